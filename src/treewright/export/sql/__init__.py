"""A model as one SELECT."""

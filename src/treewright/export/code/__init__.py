"""A model as source text: C, JavaScript, Python."""

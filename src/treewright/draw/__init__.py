"""Pictures: one style for all of them (`style`)."""

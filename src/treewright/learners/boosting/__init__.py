"""Gradient boosting: small trees, each grown on what the ones before it left over."""

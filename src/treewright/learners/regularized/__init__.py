"""Least squares with a penalty on large coefficients: lasso, ridge, elastic net, and every other power."""

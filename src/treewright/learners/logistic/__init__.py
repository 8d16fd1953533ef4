"""Logistic regression: losses, solvers, standard errors, separable classes, the summary."""

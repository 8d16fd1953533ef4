"""Naive Bayes on mixed tables: sums by class, densities of numbers, shares of levels."""

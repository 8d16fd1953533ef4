"""Basis functions: a column of numbers as several columns, so that a linear model can bend."""

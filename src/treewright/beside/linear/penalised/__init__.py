"""Least squares with a price on large coefficients: λ Σ |w|^q, or the elastic net."""

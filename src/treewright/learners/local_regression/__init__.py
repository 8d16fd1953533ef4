"""Locally weighted regression: a small regression at every row that is asked for."""

"""Linear regression by least squares, and the basis functions that let it bend."""

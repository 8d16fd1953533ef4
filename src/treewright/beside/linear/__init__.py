"""Linear models: least squares, penalised least squares, and the basis functions both can use."""

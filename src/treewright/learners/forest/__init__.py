"""Random forests, extra trees, and forests of oblique trees."""

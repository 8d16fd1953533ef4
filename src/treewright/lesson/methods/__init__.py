"""How each algorithm judges the columns at a node: one file an algorithm."""

"""Trees that other programs grew from the shipped tables, and tests that ours are the same."""

"""What a teacher reckons with: rows, counts, entropies, cuts, tests. Plain Python, one idea a file."""

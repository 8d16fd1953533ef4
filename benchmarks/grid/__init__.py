"""A grid in place of points: every learner on every kind of table, beside the best peer, in one run.

`python -m benchmarks.grid` measures what is not measured yet and prints the geometric mean and the worst cell;
`docs/benchmarks.md` says what a cell is.
"""

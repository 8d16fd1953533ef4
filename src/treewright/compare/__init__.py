"""Learners side by side on one table: the comparison on folds, learning curves, tuning, the table of all learners.

Read in this order: `contestants` (who takes part), `one_fold` (fit, predict, measure), `side_by_side` (many of those at
once), `run_comparison` (`tw.compare`) with `comparison` (its result).
"""

from treewright.compare.comparison import Comparison
from treewright.compare.run_comparison import compare

__all__ = ["Comparison", "compare"]

"""Learners side by side on one table: the comparison on folds, learning curves, tuning, the table of all learners.

Read in this order: `contestants` (who takes part), `one_fold` (fit, predict, measure), `side_by_side` (many of those at
once), `run_comparison` (`tw.compare`) with `comparison` (its result),
`run_curve` (`tw.learning_curve`) with `curve`.
"""

from treewright.compare.comparison import Comparison
from treewright.compare.curve import LearningCurve
from treewright.compare.run_comparison import compare
from treewright.compare.run_curve import learning_curve

__all__ = ["Comparison", "LearningCurve", "compare", "learning_curve"]

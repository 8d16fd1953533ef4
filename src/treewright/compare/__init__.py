"""Learners side by side on one table: the comparison on folds, learning curves, tuning, the table of all learners.

Read in this order: `contestants` (who takes part), `one_fold` (fit, predict, measure), `side_by_side` (many of those at
once), `run_comparison` (`tw.compare`) with `comparison` (its result),
`run_curve` (`tw.learning_curve`) with `curve`, `run_tuning` (`tw.tune`) with `candidates`,
`search_grids` and `tuning`, `learner_table` (`tw.learners`) with `learner_facts`.
"""

from treewright.compare.comparison import Comparison
from treewright.compare.curve import LearningCurve
from treewright.compare.learner_table import LearnerTable, learners
from treewright.compare.run_comparison import compare
from treewright.compare.run_curve import learning_curve
from treewright.compare.run_tuning import tune
from treewright.compare.tuning import Tuning

__all__ = ["Comparison", "LearnerTable", "LearningCurve", "Tuning", "compare", "learners", "learning_curve", "tune"]

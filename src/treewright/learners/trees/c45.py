"""C4.5 and J48: gain ratio, fractions of rows for missing values, error-based pruning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.base.parameters import above, at_least, fixed, number, one_of, parameter
from treewright.learners.trees.training_data import Recipe, TrainingData
from treewright.learners.trees.tree_model import TreeClassifier, TreeModel
from treewright.prune.cp_table import CpTable
from treewright.prune.pessimistic_error import deviate
from treewright.prune.pruner import Pruner
from treewright.sources.source import Source

_FOLDS_OF_REDUCED_ERROR = 3  # one of them is kept, as J48 does


class C45Classifier(TreeClassifier, TreeModel):
    """A tree that predicts classes, grown and pruned as C4.5 and Weka's J48 do it.

    Nominal columns get a branch for each level, numbers are cut in two, and the column with the largest gain ratio is
    taken. A row without a value goes down every branch with a part of its weight, in training and in prediction. The
    grown tree is pruned by the errors that its leaves must be feared to make, so no rows need to be kept for that.
    ``variant="j48"`` grows the trees of Weka's J48.

    Attributes
    ----------
    tree_ : Tree
        The stored tree: print it, walk it, turn it into a dict, JSON or a data frame.
    classes_ : array
        The class labels, sorted.

    References
    ----------
    J. R. Quinlan, C4.5: Programs for Machine Learning, 1993; Improved use of continuous attributes in C4.5, 1996.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_weather_numeric(return_X_y=True)
    >>> print(tw.C45Classifier().fit(X, y))
    play: yes 64 %, no 36 %  (14 rows)
    ├─ outlook is overcast  → yes  100 %  (4 of 4)
    ├─ outlook is rainy       yes   60 %  (3 of 5)
    │  ├─ windy is False    → yes  100 %  (3 of 3)
    │  └─ windy is True     → no   100 %  (2 of 2)
    └─ outlook is sunny       no    60 %  (3 of 5)
       ├─ humidity <= 75    → yes  100 %  (2 of 2)
       └─ humidity > 75     → no   100 %  (3 of 3)
    """

    confidence: float = parameter(
        default=0.25,
        takes=number(0.0, 1.0, "neither"),
        doc="How much is feared from leaves with few rows. Lowering it prunes more.",
    )
    min_samples_leaf: float = parameter(
        default=2,
        takes=above(0.0),
        kind="int or float",
        doc="Two branches of every test must have at least this weight. Raising it gives a smaller tree.",
    )
    prune: bool = parameter(
        default=True,
        takes="boolean",
        doc="""Whether subtrees are replaced where no more errors are to be feared. ``model.pruned(pruner)`` gives a
        smaller model of a fitted one.""",
    )
    raise_subtrees: bool = parameter(
        default=True,
        takes="boolean",
        doc="Whether a subtree may also be replaced by its largest branch.",
    )
    collapse: bool = parameter(
        default=True,
        takes="boolean",
        doc="Whether a subtree that gets no more training rows right than a leaf is made one before pruning.",
    )
    binary: bool = parameter(
        default=False,
        takes="boolean",
        doc="Test nominal columns for one level against all others.",
    )
    subsets: bool = parameter(
        default=False,
        takes="boolean",
        doc="Put levels of nominal columns together where that raises the gain ratio.",
    )
    reduced_error: bool = parameter(
        default=False,
        takes="boolean",
        doc="""Keep a third of the rows, and make leaves of subtrees that are no better on them. They are those that J48
        keeps, chosen by where they stand in the table: in another order it is another tree.""",
    )
    laplace: bool = parameter(
        default=False,
        takes="boolean",
        doc="Count one more row of every class in each leaf when class shares are asked for.",
    )
    mdl_correction: bool = parameter(
        default=True,
        takes="boolean",
        doc="Make numeric columns pay for the number of their cuts.",
    )
    threshold: str = parameter(
        default="observed",
        takes=one_of("observed", "midpoint"),
        doc="Whether a threshold is a value of the table or lies between two.",
    )
    value_gap: float = parameter(
        default=1e-5,
        takes=at_least(0.0),
        doc="Values that are no further apart than this are not cut between. Lower it for columns in tiny units.",
    )
    variant: str = parameter(
        default="j48",
        takes=one_of("j48", "c45"),
        doc="Which program is followed where they differ: Weka's J48, or Quinlan's C4.5 release 8.",
    )
    missing: str = parameter(
        default="fractional",
        takes=one_of("fractional", "refuse"),
        doc="What happens to missing values: shared out over the branches, or an error.",
    )
    class_weight: Mapping[Any, float] | str | None = parameter(
        default=None,
        takes=[dict, one_of("balanced"), None],
        doc="How much each class counts.",
    )
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="Not used: nothing is drawn. It is there so that all estimators can be set alike.",
    )

    criterion = "entropy"
    _counts_declared_levels = True  # they have branches
    ccp_alpha = 0.0
    max_depth: int | None = fixed(None)
    min_samples_split: float = fixed(2)

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        return Recipe(
            criterion=self.criterion,
            missing=self.missing,
            splitter="gain_ratio",
            options={
                "variant": self.variant,
                "min_weight": float(self.min_samples_leaf),
                "binary": self.binary,
                "subsets": self.subsets,
                "mdl_correction": self.mdl_correction,
                "observed_threshold": self.threshold == "observed",
                "value_gap": float(self.value_gap),
            },
        )

    def _complete(self, training: TrainingData, y: Any) -> TrainingData:
        if not self.reduced_error:
            return training
        grown, kept = _core.keep_rows(training.target, _FOLDS_OF_REDUCED_ERROR)
        return replace(training, grown_from=grown, kept_back=kept)

    def _prune_grown(
        self, core: _core.Tree, training: TrainingData, pruner: Pruner | None
    ) -> tuple[_core.Tree, CpTable | None]:
        prune = bool(self.get_params(deep=False)["prune"])
        grown, kept = training.grown_from, training.kept_back
        if prune and grown is not None and kept is not None:
            return _core.prune_by_kept_rows(core, training.table.core, training.target, grown, kept), None
        rows = _core.rows_that_count(training.target) if grown is None else grown
        pruned = _core.prune_by_errors(core, training.table.core, training.target, rows, self._error_pruning())
        return pruned, None

    def _error_pruning(self) -> dict[str, Any]:
        """What is done after growing, in the words of the core."""
        return {
            "criterion": self.criterion,
            "confidence": float(self.confidence),
            "z": deviate(float(self.confidence), self.variant),
            "as_j48": self.variant == "j48",
            "collapse": bool(self.collapse) and not self.reduced_error,
            "prune": bool(self.get_params(deep=False)["prune"]) and not self.reduced_error,
            "raise_subtrees": bool(self.raise_subtrees),
            "first_answers": True,
        }

    def _fit_source(self, source: Source, y: Any, sample_weight: Any = None) -> None:
        from treewright.learners.trees.fit_c45 import fit_c45  # most fits have their rows at hand

        fit_c45(self, source, y, sample_weight)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the class shares of each row: those of the leaves that it reaches, by the weight that arrives.

        With `laplace` every leaf counts one more row of each class. The answer of `predict` does not change by that.

        Examples
        --------
        >>> import treewright as tw
        >>> rows, labels = [[1], [2], [3], [7], [8], [9]], list("aaabbb")
        >>> tw.C45Classifier(laplace=True, confidence=0.5).fit(rows, labels).predict_proba([[0], [None]])
        array([[0.8, 0.2],
               [0.5, 0.5]])
        """
        return super().predict_proba(X)

    def _node_shares(self, core: _core.Tree) -> NDArray[np.float64] | None:
        return _laplace_shares(core) if self.laplace else None


def _laplace_shares(tree: _core.Tree) -> NDArray[np.float64]:
    """For every node (n_k + 1) / (n + K); a node that no row reached answers as its parent."""
    arrays = tree.arrays()
    counts = np.zeros((tree.n_nodes, tree.n_classes))
    node = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
    counts[node, arrays["count_class"]] = arrays["count_weight"]
    shares = (counts + 1) / (counts.sum(axis=1, keepdims=True) + tree.n_classes)
    empty = np.flatnonzero(arrays["weight"] == 0)
    shares[empty] = shares[tree.parent[empty]]  # a node without rows is a leaf, and its parent has some
    return np.asarray(shares)

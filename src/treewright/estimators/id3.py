"""ID3: one branch for each level of the column that tells most about the class."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from treewright import _core
from treewright.encode.input_frame import InputFrame
from treewright.estimators.nominal_columns import nominal_kinds
from treewright.estimators.price_table import PriceTable
from treewright.estimators.shared_parameters import SHARED_CONSTRAINTS
from treewright.estimators.training_data import TrainingData
from treewright.estimators.tree_classifier import TreeClassifier
from treewright.recipe import Recipe


class ID3Classifier(TreeClassifier):
    """A tree that predicts classes from nominal columns, grown by ID3.

    The column with the largest information gain is asked first; every level of it gets a branch, and it is not asked
    again below. A branch that no row takes answers as its parent would.

    Parameters
    ----------
    min_gain : float, default 0.0
        A split must gain this many bits. With 0 also splits without any gain are made, so that "exactly one of the two"
        is learnt; raising it gives a smaller tree.
    missing : {"refuse", "branch"}, default "refuse"
        Missing values are an error, or one more level. A level that was never seen in training counts as missing.
    class_weight : dict or "balanced", optional
        How much each class counts.
    column_kinds : dict, optional
        Kinds that override the guess: ``{"zip": "nominal"}`` makes levels of a column of numbers.
    random_state : int, optional
        Not used: nothing is drawn. It is there so that all estimators can be set alike.
    n_jobs : int, optional
        Threads; None and -1 use all processors. It changes the time, never the model.

    Attributes
    ----------
    tree_ : Tree
        The stored tree: print it, walk it, turn it into a dict, JSON or a data frame.
    classes_ : array
        The class labels, sorted.

    References
    ----------
    J. R. Quinlan, Induction of Decision Trees, Machine Learning 1, 1986.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_tennis(return_X_y=True)
    >>> print(tw.ID3Classifier().fit(X, y))
    """

    criterion = "entropy"
    ccp_alpha = 0.0
    prune = None
    _parameter_constraints: dict[str, list[Any]] = {
        "min_gain": [Interval(Real, 0.0, None, closed="left")],
        "missing": [StrOptions({"refuse", "branch"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        **{name: SHARED_CONSTRAINTS[name] for name in ("column_kinds", "random_state", "n_jobs")},
    }

    def __init__(
        self,
        *,
        min_gain: float = 0.0,
        missing: str = "refuse",
        class_weight: Mapping[Any, float] | str | None = None,
        column_kinds: Mapping[Any, str] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.min_gain = min_gain
        self.missing = missing
        self.class_weight = class_weight
        self.column_kinds = column_kinds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _kinds(self, frame: InputFrame) -> Mapping[Any, str]:
        return nominal_kinds(frame, self.column_kinds, "ID3")

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        options = {"min_gain": float(self.min_gain)}
        return Recipe(self.criterion, self.missing, splitter="branch_per_level", options=options)

    def _prune_grown(self, core: _core.Tree, training: TrainingData) -> tuple[_core.Tree, PriceTable | None]:
        return core, None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "branch"
        return tags

"""Model trees: a tree whose leaves answer with linear equations (M5)."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.parameters import at_least, number, one_of, parameter, share, whole
from treewright.learners.trees.training_data import Recipe, TrainingData, rows_of
from treewright.learners.trees.tree_model import TreeModel
from treewright.prune.cp_table import CpTable
from treewright.prune.pruner import Pruner


class ModelTreeRegressor(RegressorMixin, TreeModel):  # type: ignore[misc]
    """A tree that predicts numbers by a linear equation in each leaf: M5, smoothed and pruned.

    Where the target rises or falls steadily with a column, a plain regression tree needs a staircase of leaves; here
    one leaf with a slope does. It takes tables as they are, as `DecisionTreeRegressor` does. The page on model trees
    tells the rules and how they compare with M5, M5' and Cubist.

    Attributes
    ----------
    tree_ : Tree
        The stored tree with its equations: print it, walk it, turn it into a dict, JSON or a data frame.
    feature_importances_ : array
        How much each column explains, by its tests and in the equations of the leaves, as shares that sum to 1.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> model = tw.ModelTreeRegressor().fit(X, y)
    >>> print(model)
    Ozone: mean 42.13, sd 32.85  (116 rows)
    ├─ Temp <= 82.5    26.54  (sd 23.2, 79 rows)
    │  ├─ Wind <= 6  → equation 1  (mean 141.5, sd 26.5, 2 rows)
    │  └─ Wind > 6   → equation 2  (mean 23.56, sd 13.49, 77 rows)
    └─ Temp > 82.5   → equation 3  (mean 75.41, sd 24.63, 37 rows)
    <BLANKLINE>
    equation 1: -15.85 + 0.05095·Solar_R - 2.189·Wind + 0.852·Temp + 0.4485·Day
    equation 2: -40.76 + 0.04153·Solar_R - 0.8084·Wind + 0.9079·Temp + 0.08288·Day
    equation 3: -62.23 + 0.01746·Solar_R - 3.748·Wind + 1.816·Temp
    >>> round(model.predict_one({"Temp": 90, "Wind": 8, "Solar_R": 200}), 1)
    74.7
    """

    prune: bool = parameter(
        default=True,
        takes="boolean",
        doc="Whether a subtree becomes a leaf where the node's own equation is expected to do no worse.",
    )
    penalty: float = parameter(
        default=2.0,
        takes=at_least(0.0),
        doc="""How dear the numbers of a subtree are when it is compared with the equation of its root: n rows and v
        numbers make an error ``(n + penalty * v) / (n - v)`` times as large. Raising it gives a smaller tree.""",
    )
    smoothing: float = parameter(
        default=15.0,
        takes=at_least(0.0),
        doc="""How much a leaf listens to the nodes above it: the parent's equation counts as much as this many rows.
        Raising it brings the equations closer together; 0 leaves each leaf to itself.""",
    )
    max_terms: int = parameter(
        default=50,
        takes=whole(1),
        doc="The most terms of an equation, before it is smoothed: those whose tests lowered the squared error most.",
    )
    clip: bool = parameter(
        default=True,
        takes="boolean",
        doc="""Whether answers stay within the range of the targets seen in training. Without it an equation may run
        away outside of the rows it was fitted to.""",
    )
    missing: str = parameter(
        default="learn",
        takes=one_of("learn", "larger", "branch", "refuse"),
        doc="""What happens to rows without a value in the column of a test, as in `DecisionTreeRegressor`. In an
        equation a missing number counts as the column's mean, and a missing level adds nothing.""",
    )
    max_depth: int | None = parameter(default=None)
    min_samples_split: float = parameter(default=2)
    min_samples_leaf: float = parameter(
        default=2,
        takes=[whole(1), share("neither")],
        doc="""No branch may have fewer rows, or less weight where rows have weights. A fraction is a share of all of
        them. Raising it gives a smaller tree. With 2, nodes of fewer than 4 rows are not split, as in M5.""",
    )
    min_variance_share: float = parameter(
        default=0.0025,
        takes=number(0.0, 1.0),
        doc="""A node whose variance is at most this share of the root's is not split. The default is M5's: a standard
        deviation of 5 % of the root's.""",
    )

    criterion = "squared_error"
    _target_exponent = 1100  # every number: sums of squares are taken of a target on one scale
    _fit_bytes: ClassVar[tuple[float, float]] = (2, 340)

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        least = self.min_samples_leaf
        if not isinstance(least, Integral):
            least *= float(n_rows if weights is None else weights.sum())
        return Recipe(
            criterion=self.criterion,
            missing=self.missing,
            max_depth=self.max_depth,
            min_samples_split=max(2, rows_of(self.min_samples_split, n_rows)),
            min_weight_leaf=float(least),
            min_variance_share=self.min_variance_share,
        )

    def _prune_grown(
        self, core: _core.Tree, training: TrainingData, pruner: Pruner | None
    ) -> tuple[_core.Tree, CpTable | None]:
        rules = {
            "prune": bool(self.get_params(deep=False)["prune"]),
            "penalty": float(self.penalty),
            "smoothing": float(self.smoothing),
            "max_terms": int(self.max_terms),
            "clip": bool(self.clip),
        }
        table, threads = training.table.core, training.threads
        return _core.make_model_tree(core, table, training.truth, training.weights, rules, threads), None

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Give what the equation of each row's leaf says.

        Examples
        --------
        >>> import treewright as tw
        >>> rows = [[1], [2], [3], [4], [5], [6]]
        >>> tw.ModelTreeRegressor(clip=False).fit(rows, [10, 20, 30, 40, 50, 60]).predict([[2.5], [7]])
        array([25., 70.])
        """
        return super().predict(X)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column explains, by its tests and in the equations of the leaves, as shares that sum to 1."""
        check_is_fitted(self)
        arrays = self.tree_.arrays
        total = np.zeros(self.n_features_in_)
        np.add.at(total, arrays["equation_column"].astype(np.int64), arrays["equation_share"])
        inner = arrays["column"] >= 0
        if inner.any() and arrays["impurity"][0] > 0:
            worth = arrays["weight"][inner] / arrays["weight"][0] * (arrays["gain"][inner] / arrays["impurity"][0])
            np.add.at(total, arrays["column"][inner], worth)
        return total / total.sum() if total.sum() > 0 else total

    def pruned(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: a model tree is pruned by the errors of its equations, which belongs to training."""
        raise DataError(
            "A model tree prunes itself while it is trained. Train again with a larger penalty, or with max_depth."
        )

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> NoReturn:
        """Refuse: see `pruned`."""
        self.pruned()

"""CART: binary trees with exact splits, for classes and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.parameters import at_least, number, one_of, parameter
from treewright.learners.trees.cart_model import CartModel
from treewright.learners.trees.priors_and_costs import ClassCosts, ShrunkRates, read_costs, read_counts, read_losses
from treewright.learners.trees.smoothed_shares import smoothed_shares
from treewright.learners.trees.training_data import CodedRows, TrainingData
from treewright.learners.trees.tree_model import TreeClassifier, TreeModel
from treewright.table.target import encode_weights, refuse_extremes


class DecisionTreeClassifier(TreeClassifier, CartModel, TreeModel):
    """A tree that predicts classes, grown by CART with exact binary splits.

    It takes tables as they are: text and categories are split by sets of levels, dates split as dates, and missing
    values have a rule of their own. The same data and parameters give the same model, byte for byte, on any number of
    threads.

    Attributes
    ----------
    tree_ : Tree
        The stored tree: print it, walk it, turn it into a dict, JSON or a data frame.
    classes_ : array
        The class labels, sorted.
    feature_importances_ : array
        How much each column lowered the impurity, as shares that sum to 1.
    cp_table_ : CpTable
        What each price of a leaf buys; only after cross-validated pruning.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y)
    >>> print(model)
    survived: no 62 %, yes 38 %  (1,309 rows)
    ├─ sex is male                        no    81 %  (682 of 843)
    │  ├─ age <= 9.5                    → yes   58 %  (25 of 43)
    │  └─ age > 9.5 or missing          → no    83 %  (664 of 800)
    └─ sex is female                      yes   73 %  (339 of 466)
       ├─ passengerClass is 3rd         → no    51 %  (110 of 216)
       └─ passengerClass is 1st or 2nd  → yes   93 %  (233 of 250)
    >>> model.predict_one({"sex": "male", "age": 4})
    'yes'
    """

    criterion: str = parameter(
        default="gini",
        takes=one_of("gini", "entropy", "log_loss", "gain_ratio", "error", "twoing", "hellinger"),
        doc="""What a split is judged by. "gini" and "entropy" mostly agree; "log_loss" is another name of "entropy";
        "gain_ratio" divides the entropy gain by
        what the split itself tells, among columns of at least average gain, as C4.5 does; "error" counts wrong answers
        and sees little progress before the end; "twoing" balances the two branches where there are many classes;
        "hellinger" is not impressed by rare classes.""",
    )
    class_weight: Mapping[Any, float] | str | None = parameter(
        default=None,
        takes=[dict, list, one_of("balanced"), None],
        doc="""How much each class counts. Raising a class's weight makes the tree answer it more often; "balanced"
        makes every class weigh the same. With several targets: a list with a dict for each.""",
    )
    priors: Any = parameter(
        default=None,
        takes=[dict, "array-like", None],
        kind="dict or numbers in the order of `classes_`",
        doc="""The share of each class where the model will be used; they add up to 1. Splits, answers and
        `predict_proba` are those of a table with these shares. Not together with `class_weight`.""",
    )
    costs: Any = parameter(
        default=None,
        takes=[dict, "array-like", None],
        kind="dict or square table",
        doc="""What a wrong answer costs: ``{("sick", "well"): 10}`` is the cost of answering "well" where "sick" is
        true, and 1 for every other error; or a table with a row for each true class and a column for each answer. The
        tree answers the class that costs least, so that dear errors become rare.""",
    )

    smoothing: float = parameter(
        default=0.0,
        takes=at_least(0.0),
        doc="""How far `predict_proba` draws the shares of a leaf towards those of the nodes above it, in rows
        (hierarchical shrinkage): the fewer rows a node has, the less it counts. 0 gives the shares of the leaf;
        `treewright train` and `tw.compare` take 10. The tree and its answers stay.""",
    )

    def _node_shares(self, core: _core.Tree) -> NDArray[np.float64] | None:
        return smoothed_shares(core, float(self.smoothing)) if self.smoothing else None

    def _training(self, coded: CodedRows) -> TrainingData:
        plain = super()._training(coded)
        if self.priors is not None and self.class_weight is not None:
            raise DataError("Give class_weight or priors, not both: each says what the rows of a class count.")
        if self.priors is None and self.costs is None:
            return plain
        assert plain.classes is not None
        return _with_costs(plain, read_costs(self.priors, self.costs, plain.classes, plain.truth, plain.weights))

    def _losses(self) -> NDArray[np.float64] | None:
        if self.costs is None and self.priors is None:
            return None
        return read_losses(self.costs, self.classes_)


class DecisionTreeRegressor(RegressorMixin, CartModel, TreeModel):  # type: ignore[misc]
    """A tree that predicts numbers, grown by CART with exact binary splits.

    It takes tables as they are, as `DecisionTreeClassifier` does.

    Attributes
    ----------
    tree_ : Tree
        The stored tree: print it, walk it, turn it into a dict, JSON or a data frame.
    feature_importances_ : array
        How much each column lowered the impurity, as shares that sum to 1.
    cp_table_ : CpTable
        What each price of a leaf buys; only after cross-validated pruning.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    >>> model = tw.DecisionTreeRegressor(max_leaf_nodes=3).fit(X, y)
    >>> print(model)
    class: mean 23.51, sd 7.806  (398 rows)
    ├─ displacement <= 190.5    28.66  (sd 5.952, 227 rows)
    │  ├─ weight <= 2217      → 32.62  (sd 5.189, 96 rows)
    │  └─ weight > 2217       → 25.76  (sd 4.661, 131 rows)
    └─ displacement > 190.5   → 16.69  (sd 3.61, 171 rows)
    >>> model.predict_one({"displacement": 140, "weight": 2000})  # doctest: +ELLIPSIS
    32.6...
    """

    criterion: str = parameter(
        default="squared_error",
        takes=one_of("squared_error", "friedman_mse", "absolute_error", "poisson"),
        doc="""What a split is judged by, and what a leaf answers: the mean, the (lower) median, or the rate of a count.
        "friedman_mse" is another name of "squared_error": Friedman's gain is what the squared error falls by.
        "absolute_error" is not led astray by a few extreme values, and takes longer. With "poisson", y may have two
        columns, exposure and number of events, as rpart's ``cbind(exposure, events)``; answers are events by exposure.
        """,
    )
    min_variance_share: float = parameter(
        default=0.0,
        takes=number(0.0, 1.0),
        doc="""A node whose variance is at most this share of the root's is not split: there is little left to explain.
        With other criteria their own impurity (mean deviation, deviance) takes the place of the variance. Raising it
        gives a smaller tree; Weka's REPTree has 0.001.""",
    )
    shrink: float = parameter(
        default=0.0,
        takes=at_least(0.0),
        doc="""With ``criterion="poisson"``: draws the rates of leaves towards the rate of all rows; the coefficient of
        variation that rates are expected to have. A smaller number shrinks more, 0 shrinks nothing; rpart takes 1.""",
    )

    def _takes_several_targets(self) -> bool:
        return not (isinstance(self.criterion, str) and self.criterion == "poisson")  # exposure and events: two columns

    _target_exponent = 1100  # every number: splits are found in whole numbers, and impurities have an end

    def _encode_target(self, y: Any, n_rows: int, weights: Any) -> tuple[NDArray[Any] | None, NDArray[Any], Any]:
        if self.shrink > 0 and self.criterion != "poisson":
            raise DataError("'shrink' draws rates together and belongs to criterion='poisson'. Leave it at 0.")
        exposure = None
        if self.criterion == "poisson":
            exposure, y = read_counts(y, n_rows)
        _, numbers, weights = super()._encode_target(y, n_rows, weights)
        if self.criterion == "poisson":
            _refuse_no_counts(numbers)
        return None, numbers if exposure is None else np.column_stack([exposure, numbers]), weights

    def _training(self, coded: CodedRows) -> TrainingData:
        exposure = None
        if coded.truth.ndim == 2:
            exposure, events = np.ascontiguousarray(coded.truth[:, 0]), coded.truth[:, 1]
            with np.errstate(over="ignore"):
                coded = replace(coded, truth=self._encode_numbers(events / exposure))
        plain = super()._training(coded)
        if plain.recipe.draws is not None or plain.recipe.splitter == "binary_cuts":  # they sum squares as doubles
            refuse_extremes(plain.truth, TreeModel._target_exponent, type(self).__name__)
        if exposure is not None:
            plain = _with_exposure(plain, exposure)
        return replace(plain, shrunk=ShrunkRates(self.shrink)) if self.shrink > 0 else plain


def _with_costs(plain: TrainingData, costs: ClassCosts) -> TrainingData:
    """The same rows, counted in the splits as priors and costs say; surrogates still see them as they were given."""
    assert plain.classes is not None
    given = plain.row_weights
    weights = encode_weights(given * costs.altered[plain.truth], len(given))
    target = _core.Target.classes(plain.truth, len(plain.classes), weights, given)
    return replace(plain, target=target, weights=weights, case_weights=given, costs=costs)


def _with_exposure(plain: TrainingData, exposure: NDArray[np.float64]) -> TrainingData:
    """A row of exposure e is e rows of exposure 1 to the splits, and one row to everything that counts rows."""
    given = plain.row_weights
    weights = encode_weights(given * exposure, len(given))
    target = _core.Target.numbers(plain.truth, weights, True, given)
    return replace(plain, target=target, weights=weights, case_weights=given, exposure=exposure)


def _refuse_no_counts(numbers: NDArray[np.float64]) -> None:
    if (numbers < 0).any():
        row = int(np.argmax(numbers < 0))
        raise DataError(
            f"The poisson criterion needs counts, but row {row + 1} has y = {numbers[row]}. Use squared_error instead."
        )
    if not numbers.any():
        raise DataError(
            "The poisson criterion needs at least one count above zero, but the sum of y is not positive. "
            "Use squared_error instead."
        )

"""Bagging: many trees of any recipe, each grown from rows drawn with replacement, and their mean answer."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from numbers import Integral
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from treewright import _core
from treewright.encode.input_frame import InputFrame
from treewright.encode.table import EncodedRows, RowEncoder
from treewright.errors import DataError
from treewright.estimators.bags import make_bags
from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.estimators.member_trees import MemberGrower, in_order
from treewright.estimators.out_of_bag import OutOfBag
from treewright.estimators.recipe_ensemble import RecipeEnsemble, Weights
from treewright.estimators.row_lookup import RowLookup
from treewright.estimators.shared_parameters import SHARED_CONSTRAINTS
from treewright.estimators.tree_classifier import TreeClassifier
from treewright.estimators.tree_model import TreeModel

_PARAMETERS = """estimator : a tree of treewright, optional
        The recipe: any single tree, such as ``tw.C45Classifier()`` or ``tw.ModelTreeRegressor()``, with its own
        parameters. None grows CART to the end.
    n_estimators : int, default 100
        How many trees. More trees make the answers steadier, never worse; time grows with them.
    max_samples : int or float, default 1.0
        How many rows are drawn for each tree; a fraction is a share of all rows. Lowering it makes the trees differ
        more.
    bootstrap : bool, default True
        Whether a row can be drawn more than once. Without it, lower `max_samples`: trees of the same rows are the same.
    oob_score : bool, default False
        Whether each row is also answered by the trees that did not see it: an honest score without held-out rows."""

_MORE_PARAMETERS = """warm_start : bool, default False
        Whether `fit` keeps the trees that are there and grows only those that `n_estimators` asks for beyond them. The
        outcome is that of growing all of them at once.
    column_kinds : dict, optional
        Kinds that override the guess, for instance ``{"zip": "nominal"}``; None leaves them to the estimator.
    random_state : int, optional
        Which rows are drawn. None is 0: the same data and parameters give the same model.
    n_jobs : int, optional
        Threads; None and -1 use all processors. It changes the time, never the model."""

_ATTRIBUTES = """trees_ : list of Tree
        The stored trees: print them, walk them, turn them into data frames.
    estimators_ : list
        The same as fitted estimators.
    estimator_ : estimator
        The recipe that was grown.
    feature_importances_ : array
        The mean importance of each column, as shares that sum to 1.
    oob_score_ : float"""

_CONSTRAINTS: dict[str, list[Any]] = {
    "estimator": "no_validation",  # type: ignore[dict-item]  # refused with a sentence of its own
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "max_samples": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
    "bootstrap": ["boolean"],
    "oob_score": ["boolean"],
    "warm_start": ["boolean"],
    **{name: SHARED_CONSTRAINTS[name] for name in ("column_kinds", "random_state", "n_jobs")},
}


class _BaggedTrees(RecipeEnsemble):
    """What both estimators share: drawing rows, growing, keeping trees, the rows out of bag."""

    _learnt_numbers = ("oob_score_",)

    def _grow(self, grower: MemberGrower, frame: InputFrame, weights: Weights) -> dict[str, Any]:
        bags = make_bags(grower.training, weights, self.max_samples, self.bootstrap, grower.seed)
        kept = self._kept_trees(grower)
        missing = range(len(kept), self.n_estimators)
        at_once = max(1, min(self._threads, len(missing)))
        inside = grower.with_threads(max(1, self._threads // at_once))
        grown = in_order(lambda number: inside.grow(number, bags.weights_of(number)), missing, at_once)
        if not self.oob_score:
            return {"cores": [*kept, *grown]}
        cores, training = [], grower.training
        out = OutOfBag(len(training.truth), 1 if training.classes is None else len(training.classes))
        rows = RowEncoder(training.table.schema).encode(frame)
        for number, core in enumerate(chain(kept, grown)):
            cores.append(core)
            lookup = self._lookup_of(grower.recipe, core, training.table.schema, training.classes)
            out.add(bags.weights_of(number) == 0, self._answers(grower.recipe, lookup, rows))
        out.tell_gaps()
        return {"cores": cores, **self._out_of_bag(out, training.truth, weights)}

    def _kept_trees(self, grower: MemberGrower) -> list[_core.Tree]:
        if not self.warm_start or not hasattr(self, "trees_"):
            return []
        kept = [cast(_core.Tree, tree.core) for tree in self.trees_]
        classes = grower.training.classes
        before, now = (None if given is None else given.tolist() for given in (self.__dict__.get("classes_"), classes))
        if self.trees_[0].schema != grower.training.table.schema or before != now:
            raise DataError(
                "With warm_start the table must have the columns, levels and classes that the trees were grown from. "
                "Pass the same rows again, or set warm_start=False."
            )
        if len(kept) > self.n_estimators:
            raise DataError(
                f"n_estimators={self.n_estimators} is less than the {len(kept)} trees that are there, and with "
                "warm_start trees are added, not taken away. Raise n_estimators, or set warm_start=False."
            )
        return kept

    def _out_of_bag(self, out: OutOfBag, truth: NDArray[Any], weights: Weights) -> dict[str, Any]:
        """The attributes that tell what is known out of bag."""
        raise NotImplementedError

    def _answers(self, recipe: TreeModel, lookup: RowLookup, rows: EncodedRows) -> NDArray[np.float64]:
        """What one tree says of every row: one column a class, or one column."""
        raise NotImplementedError

    def _mean_answers(self, X: Any) -> NDArray[np.float64]:
        rows = self._rows(X)
        total = self._answers(self.estimator_, self._lookups[0], rows)
        for lookup in self._lookups[1:]:
            total += self._answers(self.estimator_, lookup, rows)
        return np.asarray(total / len(self._lookups))


class BaggingTreesClassifier(ClassifierMixin, _BaggedTrees):  # type: ignore[misc]
    __doc__ = f"""Many trees that predict classes, each grown from rows drawn at random, and their mean answer.

    Any recipe can be bagged: CART, C4.5, CHAID, conditional, oblique. The table is encoded once for all trees. What is
    drawn depends on the rows and not on their order, so the same data, parameters and seed give the same model, byte
    for byte, on any number of threads.

    Parameters
    ----------
    {_PARAMETERS}
    voting : {{"mean", "vote"}}, default "mean"
        How answers come together: the mean of the class shares, or one vote a tree.
    {_MORE_PARAMETERS}

    Attributes
    ----------
    classes_ : array
        The class labels, sorted.
    {_ATTRIBUTES}
        With `oob_score`: the share of rows that the trees which did not see them get right.
    oob_decision_function_ : array of shape (n_rows, n_classes)
        With `oob_score`: the mean answer of those trees; NaN for a row that every tree saw.

    References
    ----------
    L. Breiman, Bagging Predictors, Machine Learning 24, 1996.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_glass(return_X_y=True)
    >>> model = tw.BaggingTreesClassifier(tw.C45Classifier(), n_estimators=50, oob_score=True).fit(X, y)
    >>> round(model.oob_score_, 3)
    0.766
    >>> model.trees_[0]
    <Tree of 49 nodes, 25 leaves, depth 10>
    """

    _predicts_classes = True
    _learnt_arrays = ("oob_decision_function_",)
    _parameter_constraints: dict[str, list[Any]] = {**_CONSTRAINTS, "voting": [StrOptions({"mean", "vote"})]}

    def __init__(
        self,
        estimator: TreeModel | None = None,
        *,
        n_estimators: int = 100,
        max_samples: float = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        voting: str = "mean",
        warm_start: bool = False,
        column_kinds: Mapping[Any, str] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.voting = voting
        self.warm_start = warm_start
        self.column_kinds = column_kinds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _usual_recipe(self) -> TreeModel:
        return DecisionTreeClassifier()

    def _answers(self, recipe: TreeModel, lookup: RowLookup, rows: EncodedRows) -> NDArray[np.float64]:
        if self.voting == "mean":
            return cast(TreeClassifier, recipe)._class_shares(lookup, rows, self._threads)
        answers = lookup.classes(rows, self._threads)
        return np.asarray(answers[:, None] == lookup.labels, dtype=np.float64)

    def _out_of_bag(self, out: OutOfBag, truth: NDArray[Any], weights: Weights) -> dict[str, Any]:
        return {"oob_score_": out.accuracy(truth, weights), "oob_decision_function_": out.means()}

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row: the one with the largest share; of equals the first.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.BaggingTreesClassifier(n_estimators=9).fit([[1], [2], [7], [8]], list("aabb")).predict([[0], [9]])
        array(['a', 'b'], dtype=object)
        """
        answers = self._mean_answers(X)  # first: it says so where the model is not fitted
        return cast(NDArray[Any], self.classes_[answers.argmax(axis=1)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the mean share of each class over the trees, or the share of their votes; columns as `classes_`.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.BaggingTreesClassifier(n_estimators=9).fit([[1], [2], [7], [8]], list("aabb"))
        >>> model.predict_proba([[1.5]]).shape
        (1, 2)
        """
        return self._mean_answers(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithms of `predict_proba`; minus infinity where no tree sees any chance."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class BaggingTreesRegressor(RegressorMixin, _BaggedTrees):  # type: ignore[misc]
    __doc__ = f"""Many trees that predict numbers, each grown from rows drawn at random, and their mean answer.

    It works as `BaggingTreesClassifier` does, with any recipe that predicts numbers.

    Parameters
    ----------
    {_PARAMETERS}
    {_MORE_PARAMETERS}

    Attributes
    ----------
    {_ATTRIBUTES}
        With `oob_score`: the share of the variance that is explained by trees which did not see the rows.
    oob_prediction_ : array
        With `oob_score`: the mean answer of those trees; NaN for a row that every tree saw.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> model = tw.BaggingTreesRegressor(tw.ModelTreeRegressor(), n_estimators=50, oob_score=True).fit(X, y)
    >>> round(model.oob_score_, 3)
    0.638
    """

    _predicts_classes = False
    _learnt_arrays = ("oob_prediction_",)
    _parameter_constraints: dict[str, list[Any]] = dict(_CONSTRAINTS)

    def __init__(
        self,
        estimator: TreeModel | None = None,
        *,
        n_estimators: int = 100,
        max_samples: float = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        warm_start: bool = False,
        column_kinds: Mapping[Any, str] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.column_kinds = column_kinds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _usual_recipe(self) -> TreeModel:
        return DecisionTreeRegressor()

    def _answers(self, recipe: TreeModel, lookup: RowLookup, rows: EncodedRows) -> NDArray[np.float64]:
        return lookup.values(rows, self._threads)[:, None]

    def _out_of_bag(self, out: OutOfBag, truth: NDArray[Any], weights: Weights) -> dict[str, Any]:
        return {"oob_score_": out.explained(truth, weights), "oob_prediction_": out.means()[:, 0]}

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Give the mean of what the trees say of each row.

        Examples
        --------
        >>> import treewright as tw
        >>> rows, values = [[1], [2], [7], [8]], [10, 10, 20, 20]
        >>> tw.BaggingTreesRegressor(n_estimators=9).fit(rows, values).predict([[0], [9]]).round(1)
        array([11.1, 18.9])
        """
        return self._mean_answers(X)[:, 0]

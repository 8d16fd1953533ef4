"""Bagging: many trees of any recipe, each grown from rows drawn with replacement, and their mean answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.learners.base.calibration import calibrated
from treewright.learners.base.learnt import real, reals
from treewright.learners.base.parameters import MOST_TREES, declares_parameters, one_of, parameter, share, whole
from treewright.learners.base.several_targets import fit_one_by_one, for_one_target
from treewright.learners.base.shap_values import ExplainedAnswers, explained_trees, refuse_spread_votes
from treewright.learners.ensemble.bootstrap import (
    OOB_SCORE,
    WARM_START,
    BootstrapSamples,
    OutOfBag,
    draw_bootstraps,
    drawn_rows,
    trees_to_keep,
)
from treewright.learners.ensemble.drawn_columns import ColumnDraws, draw_columns
from treewright.learners.ensemble.other_estimators import Member, MemberFitter
from treewright.learners.ensemble.reweighted_trees import (
    MemberGrower,
    ReweightedTrees,
    Weights,
    in_order,
)
from treewright.learners.ensemble.tree_store import WholeTrees
from treewright.learners.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.learners.trees.tree_lookup import RowLookup, node_answers
from treewright.learners.trees.tree_model import TreeClassifier, TreeModel
from treewright.sources.answers import in_batches
from treewright.sources.source import Source
from treewright.table.encode import EncodedRows
from treewright.table.frame import InputFrame

_ATTRIBUTES = """trees_ : list of Tree
        The stored trees: print them, walk them, turn them into data frames.
    estimators_ : list
        The same as fitted estimators.
    estimator_ : estimator
        The recipe that was grown.
    feature_importances_ : array
        The mean importance of each column, as shares that sum to 1.
    oob_score_ : float"""


@declares_parameters
class _BaggedTrees(BaseEstimator):  # type: ignore[misc]
    """What both estimators share: drawing rows, growing, keeping trees, the rows out of bag."""

    estimator: Any = parameter(
        default=None,
        takes="no_validation",
        kind="a tree of treewright, or any estimator",
        kw_only=False,
        doc="""The recipe: any single tree, such as ``tw.C45Classifier()`` or ``tw.ModelTreeRegressor()``, with its own
        parameters. None grows CART to the end. Any other estimator with `fit` and `predict` is fitted as it is; such a
        model can be pickled, but not be saved to a model file.""",
    )
    n_estimators: int = parameter(
        default=100,
        takes=whole(1, MOST_TREES),
        doc="How many trees. More trees make the answers steadier, never worse; time grows with them.",
    )
    max_samples: float = parameter(
        default=1.0,
        takes=[whole(1), share("right")],
        doc="""How many rows are drawn for each tree; a fraction is a share of all rows. Lowering it makes the trees
        differ more.""",
    )
    max_features: float = parameter(
        default=1.0,
        takes=[whole(1), share("right")],
        doc="""How many columns, drawn at random, each tree may use; a fraction is a share of them. Lowering it makes
        the trees differ more.""",
    )
    bootstrap: bool = parameter(
        default=True,
        takes="boolean",
        doc="""Whether a row can be drawn more than once. Without it, lower `max_samples`: trees of the same rows are
        the same.""",
    )
    bootstrap_features: bool = parameter(
        default=False,
        takes="boolean",
        doc="""Whether a column can be drawn more than once. It adds nothing to a tree the second time, so that trees
        have fewer columns.""",
    )
    oob_score: bool = OOB_SCORE
    warm_start: bool = WARM_START
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="Which rows are drawn. None is 0: the same data and parameters give the same model.",
    )
    verbose: int = parameter(
        default=0,
        takes="verbose",
        doc="Whether a bar on stderr shows how far the fit is, with the score out of bag.",
    )

    _fitted_numbers = {"oob_score_": real(absent="left out")}
    _fit_targets: ClassVar[Any] = fit_one_by_one
    _score_name = "out of bag"

    def _grow(
        self, grower: MemberGrower | MemberFitter, frame: InputFrame, weights: Weights, progress: _core.Progress
    ) -> dict[str, Any]:
        training, progress.total = grower.training, self.n_estimators
        bootstraps = draw_bootstraps(training, weights, self.max_samples, self.bootstrap, grower.seed)
        out = OutOfBag(len(training.truth), 1 if training.classes is None else len(training.classes))
        rows = grower.rows(frame) if self.oob_score else None
        cores: list[Any] = []
        for core in self._kept_and_grown(grower, bootstraps):
            if rows is not None:
                said = self._answers(grower.recipe, grower.lookup(core), rows)
                out.add(bootstraps.weights_of(len(cores)) == 0, said)
                progress.score = self._score(out, training.truth, weights)
            cores.append(core)
            progress.done = len(cores)
        grown = {"cores": cores, "_samples": bootstraps}
        if rows is None:
            return grown
        out.tell_gaps()
        if callable(self.oob_score):
            score = out.score_by(self.oob_score, training.truth, training.classes)
        else:
            score = self._score(out, training.truth, weights)
        return {**grown, "oob_score_": score, **self._out_of_bag(out)}

    def _takes_several_targets(self) -> bool:
        return getattr(self.estimator, "criterion", None) != "poisson"  # to which two columns are exposure and events

    def _column_draws(self, n_columns: int, seed: int) -> ColumnDraws:
        return draw_columns(self.max_features, n_columns, seed, self.bootstrap_features)

    @property
    def estimators_features_(self) -> list[NDArray[np.int64]]:
        """The columns that each tree may use, ascending."""
        check_is_fitted(self)
        drawn = self._column_draws(self.n_features_in_, self._seed())
        every = list(range(self.n_features_in_))
        return [np.array(drawn.columns_of(tree) or every) for tree in range(len(self))]

    @property
    def estimators_samples_(self) -> list[NDArray[np.int64]]:
        """The rows that each tree drew, ascending, each as often as it was drawn; not kept in a model file."""
        return drawn_rows(self, len(self))

    def _kept_and_grown(self, grower: MemberGrower | MemberFitter, bootstraps: BootstrapSamples) -> Iterator[Any]:
        """The trees of a warm start, and those that are still to be grown."""
        kept = self._kept_trees(grower)
        missing = range(len(kept), self.n_estimators)
        at_once = max(1, min(self._threads, len(missing)))
        inside = grower.with_threads(max(1, self._threads // at_once))
        columns = self._column_draws(len(grower.training.table.schema.columns), grower.seed)

        def grow(number: int) -> Any:
            return inside.grow(number, bootstraps.weights_of(number), columns.columns_of(number))

        return chain(kept, in_order(grow, missing, at_once))

    def _kept_trees(self, grower: MemberGrower | MemberFitter) -> Sequence[Any]:
        if ("_members" in self.__dict__) != isinstance(grower, MemberFitter):
            return ()  # trees before and other estimators now, or the other way round
        kept = trees_to_keep(self, grower.training.table.schema, grower.training.classes)
        return kept.trees if isinstance(kept, WholeTrees) else kept or ()

    def _score(self, out: OutOfBag, truth: NDArray[Any], weights: Weights) -> float:
        """How good the answers out of bag are."""
        raise NotImplementedError

    def _out_of_bag(self, out: OutOfBag) -> dict[str, Any]:
        """The attribute that tells the answers out of bag."""
        raise NotImplementedError

    def _answers(self, recipe: TreeModel, lookup: RowLookup | Member, rows: Any) -> NDArray[np.float64]:
        """What one tree says of every row: one column a class, or one column."""
        raise NotImplementedError

    def _explained(self) -> ExplainedAnswers:
        cores = [cast(_core.Tree, member.tree.core) for member in self._lookup.members]
        votes = getattr(self, "voting", "mean") == "vote"
        if votes:
            refuse_spread_votes(cores)
        numbers = [node_answers(core, "votes") if votes else self.estimator_._node_numbers(core) for core in cores]
        start = np.zeros(numbers[0].shape[1])
        return explained_trees(zip(cores, numbers, strict=True), start, self._predicts_classes, 1 / len(cores))

    def _mean_answers(self, X: Any) -> NDArray[np.float64]:
        return self._mean_of(self._encoded(X))

    def _mean_of(self, rows: EncodedRows) -> NDArray[np.float64]:
        first, *others = self._lookup.members
        total = self._answers(self.estimator_, first, rows)
        for lookup in others:
            total += self._answers(self.estimator_, lookup, rows)
        return np.asarray(total / (1 + len(others)))


class BaggingTreesClassifier(ClassifierMixin, _BaggedTrees, ReweightedTrees):  # type: ignore[misc]
    __doc__ = f"""Many trees that predict classes, each grown from rows drawn at random, and their mean answer.

    Any recipe can be bagged: CART, C4.5, CHAID, conditional, oblique. The table is encoded once for all trees. What is
    drawn depends on the rows and not on their order, so the same data, parameters and seed give the same model, byte
    for byte, on any number of threads.

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

    voting: str = parameter(
        default="mean",
        takes=one_of("mean", "vote"),
        doc="How answers come together: the mean of the class shares, or one vote a tree.",
    )

    _predicts_classes = True
    _fitted_arrays = {"oob_decision_function_": reals("rows", "classes", unknown=True, needed=False)}

    def _usual_recipe(self) -> TreeModel:
        return DecisionTreeClassifier()

    def _answers(self, recipe: TreeModel, lookup: RowLookup | Member, rows: Any) -> NDArray[np.float64]:
        if self.voting == "mean":
            if isinstance(lookup, Member):
                return lookup.shares(rows)
            return cast(TreeClassifier, recipe)._class_shares(lookup, rows, self._threads)
        answers = lookup.classes(rows, self._threads)
        return np.asarray(answers[:, None] == lookup.labels, dtype=np.float64)

    def _score(self, out: OutOfBag, truth: NDArray[Any], weights: Weights) -> float:
        return out.accuracy(truth, weights)

    def _out_of_bag(self, out: OutOfBag) -> dict[str, Any]:
        return {"oob_decision_function_": out.means()}

    def _answer(self, rows: EncodedRows) -> NDArray[Any]:
        return cast(NDArray[Any], self.classes_[self._mean_of(rows).argmax(axis=1)])

    def _one_row_reader(self, recipe: TreeModel) -> Callable[[Any], Any] | None:
        if getattr(recipe, "laplace", False):
            return None  # its shares are more than those of the leaf

        def answer(values: Any) -> Any:
            shares = np.zeros(len(self.classes_))
            for member in self._lookup.members:
                shares += member.shares_of_one(values) if self.voting == "mean" else member.vote_of_one(values)
            return self.classes_.tolist()[int(shares.argmax())]

        return answer

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row: the one with the largest share; of equals the first.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.BaggingTreesClassifier(n_estimators=9).fit([[1], [2], [7], [8]], list("aabb")).predict([[0], [9]])
        array(['a', 'b'], dtype=object)
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict)
        return self._answer(self._encoded(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the mean share of each class over the trees, or the share of their votes; columns as `classes_`.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.BaggingTreesClassifier(n_estimators=9).fit([[1], [2], [7], [8]], list("aabb"))
        >>> model.predict_proba([[1.5]]).shape
        (1, 2)
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict_proba)
        return calibrated(self, self._mean_answers(X))

    @available_if(for_one_target("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Give how clearly the trees decide: with two classes the share of the second less that of the first.

        With more classes the shares themselves, as `predict_proba` gives them before any calibration.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.BaggingTreesClassifier(n_estimators=9).fit([[1], [2], [7], [8]], list("aabb"))
        >>> (model.decision_function([[0], [9]]) > 0).tolist()
        [False, True]
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.decision_function)
        shares = self._mean_answers(X)
        return np.asarray(shares[:, 1] - shares[:, 0]) if shares.shape[1] == 2 else shares

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithms of `predict_proba`; minus infinity where no tree sees any chance."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class BaggingTreesRegressor(RegressorMixin, _BaggedTrees, ReweightedTrees):  # type: ignore[misc]
    __doc__ = f"""Many trees that predict numbers, each grown from rows drawn at random, and their mean answer.

    It works as `BaggingTreesClassifier` does, with any recipe that predicts numbers.

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

    _fitted_arrays = {"oob_prediction_": reals("rows", unknown=True, needed=False)}

    def _usual_recipe(self) -> TreeModel:
        return DecisionTreeRegressor()

    def _answers(self, recipe: TreeModel, lookup: RowLookup | Member, rows: Any) -> NDArray[np.float64]:
        return lookup.values(rows, self._threads)[:, None]

    def _score(self, out: OutOfBag, truth: NDArray[Any], weights: Weights) -> float:
        return out.explained(truth, weights)

    def _out_of_bag(self, out: OutOfBag) -> dict[str, Any]:
        return {"oob_prediction_": out.means()[:, 0]}

    def _answer(self, rows: EncodedRows) -> NDArray[Any]:
        return self._mean_of(rows)[:, 0]

    def _one_row_reader(self, recipe: TreeModel) -> Callable[[Any], Any]:
        def answer(values: Any) -> float:
            said = [float(member._reader(values)) for member in self._lookup.members]
            return sum(said) / len(said)

        return answer

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Give the mean of what the trees say of each row.

        Examples
        --------
        >>> import treewright as tw
        >>> rows, values = [[1], [2], [7], [8]], [10, 10, 20, 20]
        >>> tw.BaggingTreesRegressor(n_estimators=9).fit(rows, values).predict([[0], [9]]).round(1)
        array([11.1, 18.9])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict)
        return self._mean_answers(X)[:, 0]

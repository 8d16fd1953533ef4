"""AdaBoost: small trees of any recipe, each grown from weights that stress what the ones before got wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score

from treewright import _core
from treewright.errors import DataError
from treewright.learners.adaboost.boosted_trees import BoostedTrees
from treewright.learners.adaboost.weight_updates import LOSSES, Round, update_weights, update_weights_by_errors
from treewright.learners.base.calibration import calibrated
from treewright.learners.base.links import softmax
from treewright.learners.base.parameters import one_of, parameter
from treewright.learners.base.shap_values import ExplainedAnswers, explained_trees, refuse_spread_votes
from treewright.learners.ensemble.other_estimators import Member
from treewright.learners.ensemble.reweighted_trees import ReweightedTrees
from treewright.learners.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.learners.trees.training_data import TrainingData
from treewright.learners.trees.tree_lookup import RowLookup, node_answers
from treewright.learners.trees.tree_model import TreeClassifier, TreeModel
from treewright.sources.answers import in_batches
from treewright.sources.source import Source
from treewright.table.encode import EncodedRows

Floats = NDArray[np.float64]
_WHOLE_SAY = 2.0**40  # of the tree with most say: sums over thousands of trees are exact


class AdaBoostClassifier(ClassifierMixin, BoostedTrees, ReweightedTrees):  # type: ignore[misc]
    """Many small trees, each grown from weights that stress the rows which the trees before it got wrong.

    Any recipe can be boosted; a stump of one test is the usual one. Every tree has a say, the larger the fewer its
    weighted errors, and the class with most say wins. The table is encoded once. The same data and parameters give the
    same model, byte for byte, on any number of threads.

    Attributes
    ----------
    classes_ : array
        The class labels, sorted.
    trees_ : list of Tree
        The stored trees: print them, walk them, turn them into data frames.
    estimators_ : list
        The same as fitted estimators.
    estimator_ : estimator
        The recipe that was grown.
    estimator_weights_ : array
        The say of each tree.
    estimator_errors_ : array
        The weighted error of each tree.
    feature_importances_ : array
        The importance of each column, averaged by the say of the trees, as shares that sum to 1.

    References
    ----------
    Y. Freund and R. E. Schapire, A Decision-Theoretic Generalization of On-Line Learning, 1997; J. Zhu, H. Zou, S.
    Rosset and T. Hastie, Multi-class AdaBoost, 2009.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_heart_c(return_X_y=True)
    >>> model = tw.AdaBoostClassifier(n_estimators=30).fit(X, y)
    >>> print(model.trees_[0])
    num: <50 54 %, >50_1 46 %  (303 rows)
    ├─ thal is normal                                        → <50     78 %  (130 of 166)
    └─ thal is fixed_defect or reversable_defect or missing  → >50_1   74 %  (102 of 137)
    >>> model.estimator_weights_[:3].round(3)
    array([1.184, 1.078, 0.921])
    """

    estimator: Any = parameter(
        default=None,
        takes="no_validation",
        kind="a tree of treewright, or any estimator, that predicts classes",
        kw_only=False,
        doc="""The recipe, such as ``tw.C45Classifier()``, with its own parameters. None is CART with one test. Any
        other estimator that takes `sample_weight` is fitted as it is; such a model can be pickled, but not be saved to
        a model file.""",
    )
    algorithm: str = parameter(
        default="samme",
        takes=one_of("samme", "m1"),
        doc="""How large the say is. With K classes SAMME adds ln(K - 1) and wants a tree to be better than chance among
        K; M1 wants fewer than half of the weight to be wrong, which a stump seldom reaches with many classes. With two
        classes they are the same.""",
    )

    _predicts_classes = True
    _without_weights = "refuse"

    def _usual_recipe(self) -> TreeModel:
        return DecisionTreeClassifier(max_depth=1)

    def _answers_of(self, lookup: RowLookup | Member, rows: Any) -> NDArray[Any]:
        return lookup.classes(rows, self._threads)

    def _judge(self, weights: Floats, answers: NDArray[Any], training: TrainingData) -> Round | None:
        n_classes = len(cast(Any, training.classes))
        return update_weights(weights, answers != training.truth, n_classes, self.learning_rate, self.algorithm)

    def _without_trees(self, first: Any, training: TrainingData) -> tuple[Any, float]:
        if isinstance(first, Member):
            name = type(first.estimator).__name__
            raise DataError(f"{name} is worse than random on these rows, or as good, and cannot be boosted.")
        # Not even the first tree is better than chance: the model is its root, the shares of the classes.
        return _root_of(first), 1 - 1 / len(cast(Any, training.classes))

    # ---------------------------------------------------------------- answers
    def _staged_votes(self, rows: EncodedRows) -> Iterator[tuple[Floats, float]]:
        """The say for each class at every row, and the whole say, after each tree."""
        votes, whole = np.zeros((rows.n_rows, len(self.classes_))), 0.0
        for lookup, estimator_weight in zip(self._lookup.members, self.estimator_weights_.tolist(), strict=True):
            votes[np.arange(rows.n_rows), lookup.classes(rows, self._threads)] += estimator_weight
            whole += estimator_weight
            yield votes, whole

    def _votes(self, X: Any) -> tuple[Floats, float]:
        *_, last = self._staged_votes(self._encoded(X))
        return last

    def decision_function(self, X: Any) -> Floats:
        """Give how clearly the trees decide: for each class its share of the say less what chance would give.

        With two classes one number a row, above 0 for the second class.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.AdaBoostClassifier().fit([[1], [2], [7], [8]], list("aabb")).decision_function([[0], [9]])
        array([-2.,  2.])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.decision_function)
        return _decision(*self._votes(X))

    def _explained(self) -> ExplainedAnswers:
        estimator_weights, whole = self.estimator_weights_, float(np.sum(self.estimator_weights_))
        cores = [cast(_core.Tree, member.tree.core) for member in self._lookup.members]
        refuse_spread_votes(cores)
        shares = [
            _decision(node_answers(core, "votes"), 1.0) * (estimator_weight / whole)
            for core, estimator_weight in zip(cores, estimator_weights, strict=True)
        ]
        numbers = [share.reshape(len(share), -1) for share in shares]
        n_outputs = numbers[0].shape[1]
        return explained_trees(zip(cores, numbers, strict=True), np.zeros(n_outputs), n_outputs > 1, 1.0)

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Give `decision_function` after the first tree, the second, and so on."""
        rows = self._encoded(X)
        return (_decision(*voted) for voted in self._staged_votes(rows))

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row: the one with most say; of equals the first.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.AdaBoostClassifier().fit([[1], [2], [7], [8]], list("aabb")).predict([[0], [9]])
        array(['a', 'b'], dtype=object)
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict)
        return self._answer(self._encoded(X))

    def _answer(self, rows: EncodedRows) -> NDArray[Any]:
        *_, (votes, _) = self._staged_votes(rows)
        return cast(NDArray[Any], self.classes_[votes.argmax(axis=1)])

    def _one_row_reader(self, recipe: TreeModel) -> Callable[[Any], Any]:
        def answer(values: Any) -> Any:
            votes = [0.0] * len(self.classes_)
            for member, estimator_weight in zip(self._lookup.members, self.estimator_weights_.tolist(), strict=True):
                votes[member._reader(values)] += estimator_weight
            return self.classes_.tolist()[votes.index(max(votes))]

        return answer

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Give `predict` after the first tree, the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.AdaBoostClassifier(n_estimators=2).fit([[1], [2], [7], [8]], list("abab"))
        >>> [answers.tolist() for answers in model.staged_predict([[1.5], [7.5]])]
        [['a', 'b'], ['a', 'a']]
        """
        rows = self._encoded(X)
        return (self.classes_[votes.argmax(axis=1)] for votes, _ in self._staged_votes(rows))

    def predict_proba(self, X: Any) -> Floats:
        """Give a probability of each class out of `decision_function`; columns in the order of `classes_`.

        It is the softmax of the decisions, as in scikit-learn: good for ranking rows, too timid to be believed as it
        is. A model of one leaf gives the shares of the classes.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.AdaBoostClassifier().fit([[1], [2], [7], [8]], list("aabb")).predict_proba([[0]]).round(3)
        array([[0.881, 0.119]])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict_proba)
        rows = self._encoded(X)
        *_, last = self._staged_votes(rows)
        return calibrated(self, self._probabilities(rows, *last))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Give `predict_proba` after the first tree, the second, and so on."""
        rows = self._encoded(X)
        return (self._probabilities(rows, *voted) for voted in self._staged_votes(rows))

    def _probabilities(self, rows: EncodedRows, votes: Floats, whole: float) -> Floats:
        if "_members" not in self.__dict__ and len(self.trees_) == 1 and self.trees_[0].n_nodes == 1:
            return cast(TreeClassifier, self.estimator_)._class_shares(self._lookup.members[0], rows, self._threads)
        decision = _decision(votes, whole)
        if votes.shape[1] == 2:
            return softmax(np.column_stack([-decision, decision]) / 2)
        return softmax(decision / (votes.shape[1] - 1))

    def predict_log_proba(self, X: Any) -> Floats:
        """Give the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Give the accuracy after the first tree, the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.AdaBoostClassifier(n_estimators=3).fit([[1], [2], [7], [8]], list("abaa"))
        >>> [round(score, 2) for score in model.staged_score([[1], [2], [7], [8]], list("abaa"))]
        [0.75, 0.75, 1.0]
        """
        return (float(accuracy_score(y, answers, sample_weight=sample_weight)) for answers in self.staged_predict(X))


def _decision(votes: Floats, whole: float) -> Floats:
    """SAMME's decision: a class that a tree answers gets its say, every other class -1 / (K - 1) of it.

    >>> _decision(np.array([[3.0, 1.0]]), 4.0), _decision(np.array([[3.0, 1.0, 0.0]]), 4.0)
    (array([-1.]), array([[ 0.625, -0.125, -0.5  ]]))
    """
    n_classes = votes.shape[1]
    if n_classes == 1:
        return np.zeros(len(votes))
    decision = (votes * n_classes / whole - 1) / (n_classes - 1)
    return np.asarray(decision[:, 1] - decision[:, 0] if n_classes == 2 else decision)


def _root_of(core: _core.Tree) -> _core.Tree:
    becomes_leaf = np.zeros(core.n_nodes, dtype=np.uint8)
    becomes_leaf[0] = 1
    return core.cut_at(becomes_leaf)


class AdaBoostRegressor(RegressorMixin, BoostedTrees, ReweightedTrees):  # type: ignore[misc]
    """Many small trees for numbers, each grown from weights that stress the rows where those before were far off.

    AdaBoost.R2. A tree has a say, the larger the smaller its weighted error; the answer is the median of what the trees
    say, each counted by its say. The weights go into the trees, where scikit-learn draws rows by them: so nothing is
    drawn, and the same data and parameters give the same model, byte for byte, on any number of threads.

    Attributes
    ----------
    trees_ : list of Tree
        The stored trees: print them, walk them, turn them into data frames.
    estimators_ : list
        The same as fitted estimators.
    estimator_ : estimator
        The recipe that was grown.
    estimator_weights_ : array
        The say of each tree.
    estimator_errors_ : array
        The weighted mean loss of each tree.
    feature_importances_ : array
        The importance of each column, averaged by the say of the trees, as shares that sum to 1.

    References
    ----------
    H. Drucker, Improving Regressors using Boosting Techniques, 1997.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    >>> model = tw.AdaBoostRegressor(n_estimators=20).fit(X, y)
    >>> round(model.score(X, y), 2), len(model.trees_)
    (0.89, 20)
    """

    estimator: Any = parameter(
        default=None,
        takes="no_validation",
        kind="a tree of treewright, or any estimator, that predicts numbers",
        kw_only=False,
        doc="""The recipe, such as ``tw.ModelTreeRegressor()``, with its own parameters. None is CART of depth 3. Any
        other estimator is fitted as it is, on rows drawn by weight where it takes no `sample_weight`; such a model can
        be pickled, but not be saved to a model file.""",
    )
    loss: str = parameter(
        default="linear",
        takes=one_of(*LOSSES),
        doc="What an error counts, as a share of the largest one: itself, its square, or 1 - exp(-error).",
    )

    _without_weights = "draw"

    def _usual_recipe(self) -> TreeModel:
        return DecisionTreeRegressor(max_depth=3)

    def _answers_of(self, lookup: RowLookup | Member, rows: Any) -> NDArray[Any]:
        return lookup.values(rows, self._threads)

    def _judge(self, weights: Floats, answers: NDArray[Any], training: TrainingData) -> Round | None:
        return update_weights_by_errors(weights, np.abs(training.truth - answers), self.learning_rate, self.loss)

    def _without_trees(self, first: Any, training: TrainingData) -> tuple[Any, float]:
        return first, 0.5  # off by half of the largest error or more, and still the best there is

    @property
    def shap_values(self) -> Any:  # type: ignore[override]
        """Not known: a median of trees is no sum over them."""
        raise AttributeError(
            "AdaBoostRegressor answers with a median, which is no sum over its trees, so it has no SHAP values. "
            "Ask tw.importance, or take GradientBoostingRegressor."
        )

    # ---------------------------------------------------------------- answers
    def _staged_answers(self, rows: EncodedRows) -> Iterator[Floats]:
        said: list[Floats] = []
        for lookup in self._lookup.members:
            said.append(lookup.values(rows, self._threads))
            yield _weighted_median(np.column_stack(said), self.estimator_weights_[: len(said)])

    def _answer(self, rows: EncodedRows) -> NDArray[Any]:
        said = np.column_stack([lookup.values(rows, self._threads) for lookup in self._lookup.members])
        return _weighted_median(said, self.estimator_weights_)

    def _one_row_reader(self, recipe: TreeModel) -> Callable[[Any], Any]:
        def answer(values: Any) -> float:
            said = np.array([[float(member._reader(values)) for member in self._lookup.members]])
            return float(_weighted_median(said, self.estimator_weights_)[0])

        return answer

    def predict(self, X: Any) -> Floats:
        """Give the median of what the trees say of each row, each counted by its say.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.AdaBoostRegressor().fit([[1], [2], [7], [8]], [10, 10, 20, 20]).predict([[0], [9]])
        array([10., 20.])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict)
        return self._answer(self._encoded(X))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Give `predict` after the first tree, the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.AdaBoostRegressor(n_estimators=2).fit([[1], [2], [7], [8]], [10, 12, 20, 29])
        >>> [answers.shape for answers in model.staged_predict([[0], [9]])]
        [(2,)]
        """
        rows = self._encoded(X)
        return self._staged_answers(rows)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Give R squared after the first tree, the second, and so on."""
        return (float(r2_score(y, answers, sample_weight=sample_weight)) for answers in self.staged_predict(X))


def whole_says(says: Floats) -> Floats:
    """Give the says of trees as whole numbers up to 2^40, so that no sum of them depends on the order of additions.

    >>> whole_says(np.array([1.0, 0.5])).tolist() == [2.0**40, 2.0**39]
    True
    """
    largest = float(says.max(initial=0.0))
    return np.rint(says / largest * _WHOLE_SAY) if largest > 0 else says


def _weighted_median(said: Floats, says: Floats) -> Floats:
    """Of each row: the smallest number so that the numbers up to it have half of all say.

    >>> _weighted_median(np.array([[3.0, 1.0, 2.0]]), np.array([5.0, 1.0, 1.0]))
    array([3.])
    """
    order = np.argsort(said, axis=1, kind="stable")
    below = np.cumsum(whole_says(says)[order], axis=1)
    place = (below >= 0.5 * below[:, -1:]).argmax(axis=1)
    rows = np.arange(len(said))
    return np.asarray(said[rows, order[rows, place]])

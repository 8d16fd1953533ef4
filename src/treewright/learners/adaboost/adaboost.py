"""AdaBoost: small trees of any recipe, each grown from weights that stress what the ones before got wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score

from treewright import _core
from treewright.learners.base.parameters import MOST_TREES, number, one_of, parameter, whole
from treewright.learners.base.shap_values import ExplainedAnswers, explained_trees, refuse_spread_votes
from treewright.learners.ensemble.lookup import member_lookup
from treewright.learners.ensemble.reweighted_trees import MemberGrower, ReweightedTrees, Weights
from treewright.learners.trees.decision_tree import DecisionTreeClassifier
from treewright.learners.trees.tree_lookup import node_answers
from treewright.learners.trees.tree_model import TreeClassifier, TreeModel
from treewright.table.encode import EncodedRows, RowEncoder
from treewright.table.frame import InputFrame

# AdaBoost's arithmetic: how much a tree counts, and what its mistakes do to the weights of the rows.


_MOST_RAISE = 300.0  # whatever the learning rate, the others keep some weight
_LEAST = 1e-10  # errors nearer than this to 0 would give a tree a say beyond all others; to chance, none worth having


@dataclass(frozen=True)
class Round:
    """What one tree brought: its weighted error, its say, and the weights of the rows for the next tree.

    The weights keep their sum: recipes such as C4.5 ask for leaves of a certain weight.
    """

    error: float
    estimator_weight: float
    weights: NDArray[np.float64]

    @property
    def is_perfect(self) -> bool:
        """Whether there is nothing left to learn."""
        return self.error <= 0


def update_weights(
    weights: NDArray[np.float64], wrong: NDArray[np.bool_], n_classes: int, learning_rate: float, algorithm: str
) -> Round | None:
    """Judge a tree by its mistakes; None if it is no better than chance allows.

    Examples
    --------
    Ten rows, three of them wrong: the say is ln(.7 / .3), and the wrong rows weigh one half together from then on.

    >>> wrong = np.arange(10) < 3
    >>> updated = update_weights(np.full(10, 0.1), wrong, 2, 1.0, "samme")
    >>> round(updated.estimator_weight, 4), updated.weights.round(4).tolist()[2:4]
    (0.8473, [0.1667, 0.0714])
    >>> round(update_weights(np.full(10, 0.1), wrong, 3, 1.0, "samme").estimator_weight, 4)
    1.5404
    """
    whole = total(weights)
    error = total(weights[wrong]) / whole
    if error <= 0:
        return Round(0.0, 1.0, weights)
    if error >= (1 - 1 / n_classes if algorithm == "samme" else 0.5) - _LEAST:
        return None
    kept = max(error, _LEAST)
    estimator_weight = learning_rate * (
        math.log((1 - kept) / kept) + (math.log(n_classes - 1) if algorithm == "samme" else 0.0)
    )
    raised = np.where(wrong, weights * math.exp(min(estimator_weight, _MOST_RAISE)), weights)
    return Round(error, estimator_weight, raised * (whole / total(raised)))


def total(weights: NDArray[np.float64]) -> float:
    """The sum of weights, the same for any order of them: it is taken in whole numbers, of which 2^62 are enough.

    >>> total(np.array([0.1] * 10))
    1.0
    """
    if len(weights) == 0:
        return 0.0
    shift = 62 - math.frexp(float(weights.max()))[1] - len(weights).bit_length()
    return math.ldexp(int(np.rint(np.ldexp(weights, shift)).astype(np.int64).sum()), -shift)


Floats = NDArray[np.float64]
_MOST_SAY = 1e100  # of one tree in a file: sums of them stay finite


class AdaBoostClassifier(ClassifierMixin, ReweightedTrees):  # type: ignore[misc]
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
    ├─ thal is normal                             → <50     78 %  (130 of 166)
    └─ thal is fixed_defect or reversable_defect  → >50_1   74 %  (102 of 137)
    >>> model.estimator_weights_[:3].round(3)
    array([1.184, 1.078, 0.921])
    """

    estimator: TreeModel | None = parameter(
        default=None,
        takes="no_validation",
        kind="a tree of treewright that predicts classes",
        kw_only=False,
        doc="The recipe, such as ``tw.C45Classifier()``, with its own parameters. None is CART with one test.",
    )
    n_estimators: int = parameter(
        default=50,
        takes=whole(1, MOST_TREES),
        doc="The most trees. Boosting stops earlier where a tree makes no error, or is no better than chance.",
    )
    learning_rate: float = parameter(
        default=1.0,
        takes=number(0.0, 1e300, "right"),
        doc="""What the say of every tree is multiplied by. Lowering it needs more trees, and mostly gives a better
        model.""",
    )
    algorithm: str = parameter(
        default="samme",
        takes=one_of("samme", "m1"),
        doc="""How large the say is. With K classes SAMME adds ln(K - 1) and wants a tree to be better than chance among
        K; M1 wants fewer than half of the weight to be wrong, which a stump seldom reaches with many classes. With two
        classes they are the same.""",
    )
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="For recipes that draw (folds of pruning, permutations). Boosting itself draws nothing.",
    )
    verbose: int = parameter(
        default=0,
        takes="verbose",
        doc="Whether a bar on stderr shows how far the fit is, with the error of the last tree.",
    )

    _predicts_classes = True
    _score_name = "error"
    _fitted_arrays = ("estimator_weights_", "estimator_errors_")

    def _usual_recipe(self) -> TreeModel:
        return DecisionTreeClassifier(max_depth=1)

    # ---------------------------------------------------------------- fit
    def _grow(
        self, grower: MemberGrower, frame: InputFrame, weights: Weights, progress: _core.Progress
    ) -> dict[str, Any]:
        training, progress.total = grower.training, self.n_estimators
        rows, truth = RowEncoder(training.table.schema).encode(frame), training.truth
        now = np.ones(len(truth)) if weights is None else weights
        cores, estimator_weights, errors = [], [], []
        for stage in range(self.n_estimators):
            core = grower.grow(stage, now)
            lookup = member_lookup(grower.recipe, grower.seen(core))
            wrong = lookup.classes(rows, self._threads) != truth
            updated = update_weights(now, wrong, len(cast(Any, training.classes)), self.learning_rate, self.algorithm)
            if updated is None:
                break
            cores.append(core)
            estimator_weights.append(updated.estimator_weight)
            progress.done, progress.score = stage + 1, updated.error
            errors.append(updated.error)
            if updated.is_perfect:
                break
            now = updated.weights
        if not cores:  # not even the first tree is better than chance: the model is its root, the shares of the classes
            cores, estimator_weights, errors = [_root_of(core)], [1.0], [1 - 1 / len(cast(Any, training.classes))]
        return {
            "cores": cores,
            "estimator_weights_": np.array(estimator_weights),
            "estimator_errors_": np.array(errors),
        }

    def _check_fitted(self, fitted: dict[str, Any], n_trees: int, n_classes: int) -> None:
        for name in self._fitted_arrays:
            values = fitted.get(name)
            if values is None or values.shape != (n_trees,) or values.dtype.kind != "f":
                raise ValueError(f"its {name} are not one number a tree")
            if not ((values >= 0) & (values < _MOST_SAY)).all():
                raise ValueError(f"its {name} are not finite numbers of 0 or more")
        if not fitted["estimator_weights_"].all():
            raise ValueError("one of its trees has no say")

    def _says(self) -> Floats:
        return cast(Floats, self.estimator_weights_)

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
        rows = self._encoded(X)
        *_, last = self._staged_votes(rows)
        return self._probabilities(rows, *last)

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Give `predict_proba` after the first tree, the second, and so on."""
        rows = self._encoded(X)
        return (self._probabilities(rows, *voted) for voted in self._staged_votes(rows))

    def _probabilities(self, rows: EncodedRows, votes: Floats, whole: float) -> Floats:
        if len(self.trees_) == 1 and self.trees_[0].n_nodes == 1:
            return cast(TreeClassifier, self.estimator_)._class_shares(self._lookup.members[0], rows, self._threads)
        decision = _decision(votes, whole)
        if votes.shape[1] == 2:
            return np.asarray(softmax(np.column_stack([-decision, decision]) / 2, axis=1))
        return np.asarray(softmax(decision / (votes.shape[1] - 1), axis=1))

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

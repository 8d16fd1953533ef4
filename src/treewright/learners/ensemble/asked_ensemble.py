"""A saved forest or booster that is only asked for its answers, without its estimator and what that imports."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.learnt import real
from treewright.learners.base.links import exp, expit, softmax
from treewright.learners.base.state import split_fitted
from treewright.learners.base.table_lookup import Rows
from treewright.learners.ensemble.lookup import EnsembleLookup, WholeLookup
from treewright.learners.ensemble.state import check_tests, n_labels, read_trees
from treewright.learners.ensemble.text import SCORES, ensemble_text
from treewright.learners.ensemble.tree_store import TreeSequence, WholeTrees, importance_of
from treewright.learners.registry import LEARNERS
from treewright.save.refusing_damage import refusing_damage
from treewright.save.tree_header import check_tree_header, class_array

Floats = NDArray[np.float64]

_FORESTS, _BOOSTERS = ("forest", "extra_trees"), ("boosting",)
# What the header of a model says that answers by its trees alone. A file that says more is an estimator's.
_KNOWN = {
    "estimator",
    "params",
    "schema",
    "has_names",
    "classes",
    "classes_dtype",
    "n_columns",
    "n_classes",
    "learnt",
    "tree_arrays",
}
_LINKS = {"squared_error": None, "absolute_error": None, "quantile": None, "huber": None, "poisson": exp, "gamma": exp}


class AskedEnsemble:
    """The trees of a model file, without their estimator.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.save.model_bytes import from_bytes
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.RandomForestClassifier(5).fit(X, y)
    >>> asked = asked_ensemble_of(*from_bytes(model._tw_bytes(), "iris.tw"), "iris.tw")
    >>> asked.trees_, asked.classes_.tolist()
    (<5 trees, 99 nodes in all>, ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica'])
    """

    def __init__(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        params, is_booster = header["params"], header["estimator"] in _classes_of(_BOOSTERS)
        beside = {name.removeprefix("learnt_") for name in arrays if name.startswith("learnt_")}
        learnt, of_trees = split_fitted(arrays, beside)
        core = read_trees(header, of_trees)
        schema, labels = check_tree_header(header, core.n_columns, n_labels(header, core), source)
        check_tests(core, schema, of_trees, source)
        is_classifier = header["estimator"].endswith("Classifier")
        counts_classes = is_classifier and not is_booster  # trees of boosters hold numbers
        if (labels is not None) != is_classifier or (core.n_classes > 0) != counts_classes:
            raise ValueError("its trees are not those of its estimator")
        if labels is not None:
            self.classes_ = class_array(labels, header.get("classes_dtype"), source)
        self._is_booster = is_booster
        self._name, self._scores = header["estimator"], _scores_in(header)
        self._link = _LINKS.get(params.get("loss", "squared_error")) if is_booster and labels is None else None
        self.refuses_missing = params.get("missing") == "refuse"
        self.trees_ = TreeSequence(cast(Any, core), schema, labels)
        start = _baseline(learnt, core, labels) if is_booster else np.zeros(max(1, core.n_classes))
        kind = WholeLookup if isinstance(core, WholeTrees) else EnsembleLookup
        votes = "votes" if params.get("voting", "mean") == "vote" else "shares"
        says = "values" if is_booster or labels is None else votes
        self._lookup = kind(self.trees_, says, start, self._answer, self._answer_one, self.refuses_missing)

    @property
    def encoder(self) -> Any:
        """What lays rows out for the trees."""
        return self._lookup.encoder

    @property
    def feature_importances_(self) -> Floats:
        """How much each column lowered the impurity, as shares that sum to 1."""
        return importance_of(self.trees_, not self._is_booster)

    def __str__(self) -> str:
        return ensemble_text(self, name=self._name)

    def __getattr__(self, name: str) -> Any:
        """Only what is not there comes here: a score that the file has."""
        scores: dict[str, float] = self.__dict__.get("_scores", {})
        if name in scores:
            return scores[name]
        raise AttributeError(f"{type(self).__name__} has no {name!r}")

    def predict(self, rows: Rows) -> NDArray[Any]:
        """Give the answer to each of some encoded rows; with so few one thread is the quickest."""
        return self._answer(self._lookup.sums(rows, 1), len(self.trees_))

    def predict_proba(self, rows: Rows) -> Floats:
        """Give the probability of each class."""
        sums = self._lookup.sums(rows, 1)
        if not self._is_booster:
            return sums / len(self.trees_)
        if self._has_a_score_a_class(sums):
            return softmax(sums)
        second = expit(sums[:, 0])
        return np.column_stack([1 - second, second])

    def _answer(self, sums: Floats, n_trees: int) -> NDArray[Any]:
        if not hasattr(self, "classes_"):
            numbers: NDArray[Any] = sums[:, 0] if self._is_booster else sums[:, 0] / n_trees
            return numbers if self._link is None else self._link(numbers)
        if not self._is_booster or self._has_a_score_a_class(sums):
            return np.asarray(self.classes_[sums.argmax(axis=1)])
        return np.asarray(self.classes_[(sums[:, 0] > 0).astype(np.int64)])

    def _answer_one(self, sums: list[float]) -> Any:
        return self._answer(np.array([sums]), len(self.trees_))[0]

    def _has_a_score_a_class(self, sums: Floats) -> bool:
        return sums.shape[1] > 1 or len(self.classes_) == 1


def asked_ensemble_of(header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> AskedEnsemble | None:
    """The same of what a file of many trees holds; what does not fit is a ModelFileError."""
    with refusing_damage(header, source):
        return AskedEnsemble(header, arrays, source) if _answers_by_its_trees(header) else None


def _scores_in(header: dict[str, Any]) -> dict[str, float]:
    learnt = header.get("learnt", {})
    scores = {name: learnt[name] for name in SCORES if name in learnt}
    if not all(map(real().fits, scores.values())):
        raise ValueError("its score is none")
    return scores


def _classes_of(names: tuple[str, ...]) -> set[str]:
    return {each for name in names for each in LEARNERS[name].classes.values()}


def _answers_by_its_trees(header: dict[str, Any]) -> bool:
    params = header.get("params")
    if not set(header) <= _KNOWN or not isinstance(params, dict):
        return False
    if header.get("estimator") in _classes_of(_FORESTS):
        return params.get("costs") is None
    loss = params.get("loss", "squared_error")
    known = isinstance(loss, str) and (loss in _LINKS or loss == "log_loss")
    return header.get("estimator") in _classes_of(_BOOSTERS) and known and params.get("init") is None


def _baseline(learnt: dict[str, NDArray[Any]], core: Any, labels: list[Any] | None) -> Floats:
    """Where the scores of a booster start, one for each output; ValueError where that cannot be."""
    start = learnt.get("baseline_")
    if start is None or start.dtype != np.float64 or start.ndim != 1 or not np.isfinite(start).all():
        raise ValueError("its baseline is none")
    outputs = 1 if labels is None or len(labels) == 2 else len(labels)
    if len(start) != outputs or core.n_classes or core.n_trees % outputs:
        raise ValueError("its trees are not those of a booster")
    return start

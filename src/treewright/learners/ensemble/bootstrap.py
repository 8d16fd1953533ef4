"""Which rows each tree of an ensemble sees, what the trees that did not see a row say of it, and growing on."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from dataclasses import replace as change
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.exact_sum import exact_sum
from treewright.learners.base.folds import units_per_row
from treewright.learners.base.parameters import parameter
from treewright.learners.trees.training_data import TrainingData
from treewright.table.schema import Schema

# What bagging and forests are asked in the same words.


OOB_SCORE: Any = parameter(
    default=False,
    takes=["boolean", callable, None],
    kind="bool or a function",
    doc="""Whether each row is also answered by the trees that did not see it: an honest score without held-out rows. A
    function such as ``sklearn.metrics.f1_score`` is given the truth and the answers of those rows, and gives the score;
    a model file cannot hold it and has None there.""",
)
WARM_START: Any = parameter(
    default=False,
    takes="boolean",
    doc="""Whether `fit` keeps the trees that are there and grows only those that `n_estimators` asks for beyond them.
    The outcome is that of growing all of them at once.""",
)


# Bootstrap samples: which rows each tree of a bagged model sees, and how often.


_PURPOSE = 1  # of the random words: the rows of a tree


@dataclass(frozen=True)
class BootstrapSamples:
    """The rows to draw from, as units in the order of their content.

    Whole weights are counts: a row of weight 3 is three units, as if it stood in the table three times. With any other
    weights every row is one unit, and keeps its weight in the bag. Neither the order of the rows nor the choice between
    a weight and a repeated row changes what is drawn.
    """

    rows: NDArray[np.uint32]  # those that count, by content
    ends: NDArray[np.int64] | None  # where the units of each row end; None: one unit a row
    weights: NDArray[np.float64] | None  # what a unit of each row of the table weighs; None: 1
    n_rows: int
    n_drawn: int
    replace: bool
    seed: int
    groups: NDArray[np.uint32] | None = None  # of each row of the table: then a unit is a group

    def rows_of(self, tree: int) -> NDArray[np.int64]:
        """The rows that this tree drew, ascending, each as often as it was drawn."""
        if self.groups is None:
            drawn = self._drawn(tree)
            places = drawn if self.ends is None else np.searchsorted(self.ends, drawn, side="right")
            return np.sort(self.rows[places].astype(np.int64))
        counts = self._weights_by_group(self._drawn(tree), self.groups, None)
        return np.repeat(np.arange(self.n_rows), counts.astype(np.int64))

    def weights_of(self, tree: int) -> NDArray[np.float64]:
        """How much each row of the table counts for this tree; 0 for the rows that it does not see."""
        drawn = self._drawn(tree)
        if self.groups is not None:
            return self._weights_by_group(drawn, self.groups, self.weights)
        places = drawn if self.ends is None else np.searchsorted(self.ends, drawn, side="right")
        counts = np.zeros(self.n_rows)
        counts[self.rows] = np.bincount(places, minlength=len(self.rows))
        return counts if self.weights is None else counts * self.weights

    def _weights_by_group(
        self, drawn: NDArray[np.int64], groups: NDArray[np.uint32], weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        _, units = np.unique(groups[self.rows], return_inverse=True)
        counts = np.zeros(self.n_rows)
        counts[self.rows] = np.bincount(drawn, minlength=units.max() + 1)[units]
        return counts if weights is None else counts * weights

    def _n_units(self) -> int:
        if self.groups is not None:
            return len(np.unique(self.groups[self.rows]))
        return len(self.rows) if self.ends is None else int(self.ends[-1])

    def _drawn(self, tree: int) -> NDArray[np.int64]:
        n_units = self._n_units()
        if self.replace:
            words = _core.drawn_words(self.seed, _PURPOSE, tree, self.n_drawn)
            return ((words >> np.uint64(32)) * np.uint64(n_units) >> np.uint64(32)).astype(np.int64)
        if self.n_drawn == n_units:
            return np.arange(n_units)
        words = _core.drawn_words(self.seed, _PURPOSE, tree, n_units)
        return np.argpartition(words, self.n_drawn - 1)[: self.n_drawn]


def draw_bootstraps(
    training: TrainingData, sample_weight: NDArray[np.float64] | None, max_samples: Any, replace: bool, seed: int
) -> BootstrapSamples:
    """Lay the units out; `training` is the encoded table, without the weights that `sample_weight` gives."""
    weighted = training
    if sample_weight is not None:
        own = 1.0 if training.weights is None else training.weights
        weighted = change(training, weights=sample_weight * own)
    rows = weighted.by_content()
    n_rows, ends, kept = len(training.truth), None, None
    if sample_weight is not None:
        counts = None if training.groups is not None else units_per_row(sample_weight[rows])
        ends, kept = (None, sample_weight) if counts is None else (np.cumsum(counts), None)
    if len(rows) == 0:
        raise DataError("No row has a weight above 0, so there is nothing to draw from. Give some rows a weight.")
    bootstraps = BootstrapSamples(rows, ends, kept, n_rows, 0, replace, seed, training.groups)
    return change(bootstraps, n_drawn=_size_of(max_samples, bootstraps._n_units()))


def _size_of(max_samples: Any, n_units: int) -> int:
    """Read `max_samples`: a whole number of rows, or a share of them.

    >>> _size_of(0.632, 1000), _size_of(10, 1000)
    (632, 10)
    """
    if not isinstance(max_samples, Integral):
        return max(1, round(float(max_samples) * n_units))
    if int(max_samples) > n_units:
        raise DataError(
            f"max_samples is {max_samples}, but there are only {n_units} rows to draw from. Give a smaller number, or "
            "a share such as 1.0."
        )
    return int(max_samples)


def drawn_rows(model: Any, n_trees: int) -> list[NDArray[np.int64]]:
    """The rows that each tree of a fitted model drew; they are known where it was fitted, and in no file.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.BaggingTreesClassifier(n_estimators=2).fit([[1], [2], [7], [8]], list("aabb"))
    >>> [len(rows) for rows in drawn_rows(model, 2)]
    [4, 4]
    """
    check_is_fitted(model)
    samples = model.__dict__.get("_samples")
    if samples is None:
        raise AttributeError(
            "Which rows each tree drew is known only where the model was fitted: not in a model file, and not with "
            "balanced_sampling=True. Fit the model again."
        )
    return [samples.rows_of(tree) for tree in range(n_trees)]


# Out of bag: what each training row is answered by the trees that did not see it.


Floats = NDArray[np.float64]


class OutOfBag:
    """The answers for every row, added up tree by tree.

    Examples
    --------
    >>> out = OutOfBag(n_rows=2, n_outputs=1)
    >>> out.add(np.array([True, False]), np.array([[3.0], [9.0]]))
    >>> out.add(np.array([True, False]), np.array([[5.0], [9.0]]))
    >>> out.means()[:, 0]
    array([ 4., nan])
    """

    def __init__(self, n_rows: int, n_outputs: int) -> None:
        self.sums = np.zeros((n_rows, n_outputs))
        self.trees = np.zeros(n_rows, dtype=np.int64)

    def add(self, is_out: NDArray[np.bool_], answers: Floats) -> None:
        """Add what one tree says of the rows that it did not see."""
        self.sums[is_out] += answers[is_out]
        self.trees += is_out

    @property
    def known(self) -> NDArray[np.bool_]:
        """The rows that some tree did not see."""
        return self.trees > 0

    def means(self) -> Floats:
        """The mean answer for each row; NaN where every tree saw it."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.sums / self.trees[:, None])

    def accuracy(self, truth: NDArray[np.int32], weights: Floats | None) -> float:
        """The share of the known rows for which the largest sum is that of the true class."""
        right = (self.sums.argmax(axis=1) == truth)[self.known].astype(np.float64)
        return _mean(right, self._weights(weights)) if self._counts(weights) else float("nan")

    def explained(self, truth: Floats, weights: Floats | None) -> float:
        """The share of the variance of the known rows that the mean answers explain (R squared)."""
        if not self._counts(weights):
            return float("nan")
        y, of, answers = truth[self.known], self._weights(weights), self.means()[self.known, 0]
        exponent = np.frexp(np.abs(y).max())[1]  # by a power of two: squares are numbers, their ratio is the same
        y, answers = np.ldexp(y, -exponent), np.ldexp(answers, -exponent)
        spread, left = _mean((y - _mean(y, of)) ** 2, of), _mean((y - answers) ** 2, of)
        return float(1 - left / spread) if spread > 0 else float(left == 0)

    def score_by(self, function: Any, truth: NDArray[Any], classes: NDArray[Any] | None) -> float:
        """The score that a function gives the answers of the known rows.

        Examples
        --------
        >>> out = OutOfBag(n_rows=2, n_outputs=1)
        >>> out.add(np.array([True, False]), np.array([[3.0], [9.0]]))
        >>> out.score_by(lambda truth, answers: truth[0] - answers[0], np.array([5.0, 9.0]), None)
        2.0
        """
        if not self.known.any():
            return float("nan")
        if classes is None:
            return float(function(truth[self.known], self.means()[self.known, 0]))
        return float(function(classes[truth[self.known]], classes[self.sums[self.known].argmax(axis=1)]))

    def tell_gaps(self) -> None:
        """Warn where rows have no answer."""
        gaps = int(np.count_nonzero(~self.known))
        if gaps:
            warnings.warn(
                f"{gaps:,} of {len(self.trees):,} rows are in the bag of every tree and have no out-of-bag answer. "
                "Grow more trees, or draw fewer rows for each (max_samples).",
                UserWarning,
                stacklevel=5,
            )

    def _weights(self, weights: Floats | None) -> Floats | None:
        return None if weights is None else weights[self.known]

    def _counts(self, weights: Floats | None) -> bool:
        """Whether any row with an answer has weight."""
        return bool(self.known.any() if weights is None else (weights[self.known] > 0).any())


def _mean(values: Floats, weights: Floats | None) -> float:
    """The mean, the same for any order of the rows."""
    each = np.ones(len(values)) if weights is None else weights
    return exact_sum(values * each) / exact_sum(each)


# Going on from the trees that an ensemble has: what a warm start may and may not.


def trees_to_keep(model: Any, schema: Schema, classes: Any) -> Any:
    """The trees that a warm start goes on from, as the core has them; None where everything is grown anew.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.RandomForestClassifier(n_estimators=3, warm_start=True).fit([[1], [2]], ["a", "b"])
    >>> trees_to_keep(model, model.trees_.schema, model.classes_).n_trees
    3
    """
    members, before = model.__dict__.get("_members"), model.__dict__.get("trees_")  # other estimators, or trees
    if not getattr(model, "warm_start", False) or (members is None and before is None):
        return None
    kept, old_schema = (before.core, before.schema) if before is not None else members[:2]
    n_kept = len(kept) if before is None else len(before)
    if old_schema != schema or not _are_same(model.__dict__.get("classes_"), classes):
        raise DataError(
            "warm_start=True goes on with the table of the first fit, and this one has other columns, levels or "
            "classes. Pass the same table, or fit with warm_start=False."
        )
    if n_kept > model.n_estimators:
        raise DataError(
            f"n_estimators={model.n_estimators} is less than the {n_kept} trees that are there, and with "
            "warm_start trees are added, not taken away. Raise n_estimators, or set warm_start=False."
        )
    return kept


def _are_same(before: Any, now: Any) -> bool:
    return bool(before is now or (before is not None and now is not None and np.array_equal(before, now)))

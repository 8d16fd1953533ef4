"""Everything that one fit of trees learns from: the recipe, the encoded rows, and the tree that they grow."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.exact_sum import exact_sum
from treewright.learners.base.threads import thread_count
from treewright.learners.trees.drawn_splits import grow_drawn
from treewright.learners.trees.priors_and_costs import ClassCosts, ShrunkRates
from treewright.memory import Block
from treewright.table.encode import BUCKET_SAMPLE, EncodedTable, encode_table
from treewright.table.frame import InputFrame
from treewright.table.schema import Schema
from treewright.table.target import encode_weights, name_of
from treewright.wording import set_words

# Sizes that may be given as rows or as a share of the rows.


def rows_of(size: float, n_rows: int) -> int:
    """Read a size: a whole number counts rows, a fraction is a share of them.

    Examples
    --------
    >>> rows_of(20, 1000), rows_of(0.05, 1000)
    (20, 50)
    """
    return int(size) if isinstance(size, numbers.Integral) else math.ceil(size * n_rows)


# The vocabulary of choices: a Recipe names the parts of an algorithm.


# Other names of a criterion, as scikit-learn has them. Friedman's gain, the weights of both sides by the square of the
# difference of their means, is what squared error falls by.
_SAME_CRITERION = {"log_loss": "entropy", "friedman_mse": "squared_error"}


def plain_criterion(name: str) -> str:
    """The name by which the core knows a criterion.

    Examples
    --------
    >>> plain_criterion("log_loss"), plain_criterion("gini")
    ('entropy', 'gini')
    """
    return _SAME_CRITERION.get(name, name)


@dataclass(frozen=True)
class Recipe:
    """What the growing loop is told: criterion, what to do about missing values, and when to stop."""

    criterion: str
    missing: str = "learn"
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    min_variance_share: float = 0.0
    splitter: str | None = None  # None: exact binary splits; otherwise a splitter that reads tables of counts …
    options: Mapping[str, Any] = field(default_factory=dict)  # … and what it wants to know
    draws: Mapping[str, Any] | None = None  # where a node draws its columns or cuts: how many, and the seed

    def for_core(self) -> dict[str, Any]:
        """The same choices as the core takes them."""
        unsaid = {"draws"} if self.min_weight_leaf > 0 else {"draws", "min_weight_leaf"}
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in unsaid}


# The recipe of a CART tree from an estimator's parameters: what single trees and forests share.


def tree_recipe(model: Any, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
    """Read criterion, missing policy and stop rules; shares become numbers of rows and weights.

    Examples
    --------
    >>> import treewright as tw
    >>> tree_recipe(tw.DecisionTreeClassifier(min_samples_leaf=0.1), 200, None).min_samples_leaf
    20
    """
    total = float(n_rows) if weights is None else exact_sum(weights)
    return Recipe(
        criterion=plain_criterion(model.criterion),
        missing=model.missing,
        max_depth=model.max_depth,
        min_samples_split=max(2, rows_of(model.min_samples_split, n_rows)),
        min_samples_leaf=max(1, rows_of(model.min_samples_leaf, n_rows)),
        min_weight_leaf=model.min_weight_fraction_leaf * total,
        max_leaf_nodes=model.max_leaf_nodes,
        min_impurity_decrease=model.min_impurity_decrease,
        min_variance_share=getattr(model, "min_variance_share", 0.0),  # only single regressors have it
    )


# The rows of a table and its target, encoded.


_POLICIES = ("learn", "larger", "branch", "surrogates", "fractional", "stop")  # as they are recommended


@dataclass(frozen=True, kw_only=True)
class CodedRows:
    """A coded table and its target. `truth` holds class numbers or values; `classes` is None for a numeric target."""

    table: EncodedTable
    truth: NDArray[Any]
    weights: NDArray[np.float64] | None
    classes: NDArray[Any] | None
    threads: int
    given: NDArray[np.float64] | None = None  # the weights as they were given; `weights` has those of classes in it

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.table.schema

    def by_content(self) -> NDArray[np.uint32]:
        """The rows that count, in an order out of what is in them."""
        return _core.rows_by_content(self.table.core, self.core_target(), self.threads, self.weights)

    def core_target(self, rates: bool = False) -> _core.Target:
        """The target as the core takes it; `rates` where the numbers are such."""
        if self.classes is not None:
            return _core.Target.classes(self.truth, len(self.classes), self.weights)
        return _core.Target.numbers(self.truth, self.weights, rates)


def encode_rows(
    model: Any, frame: InputFrame, y: Any, sample_weight: Any, bucket_sample: int = BUCKET_SAMPLE
) -> CodedRows:
    """Encode a table and its target for a model of trees."""
    threads = thread_count(model.n_jobs)
    given = encode_weights(sample_weight, frame.n_rows)
    classes, truth, weights = model._encode_target(y, frame.n_rows, given)
    declared = model._counts_declared_levels
    table = encode_table(frame, model._kinds(frame), name_of(y), threads, bucket_sample, declared)
    if model.missing == "refuse":
        _refuse_holes(table, model._parameter_constraints["missing"][0].options)
    return CodedRows(table=table, truth=truth, weights=weights, classes=classes, threads=threads, given=given)


def _refuse_holes(table: EncodedTable, offered: Collection[str]) -> None:
    names = [c.name for c, holes in zip(table.schema.columns, table.core.has_missing(), strict=True) if holes]
    if names:
        others = f" ({len(names)} such columns)" if len(names) > 1 else ""
        cure = set_words("missing", *[name for name in _POLICIES if name in offered][:4])
        raise DataError(
            f"Column '{names[0]}' has missing values and {set_words('missing', 'refuse')} was asked for{others}. "
            f"Fill them, or choose {cure}."
        )


@dataclass(frozen=True, kw_only=True)
class TrainingData(CodedRows):
    """Coded rows, and the recipe for growing a tree from them."""

    target: _core.Target
    recipe: Recipe
    case_weights: NDArray[np.float64] | None = None  # as given, where `weights` is more than that
    exposure: NDArray[np.float64] | None = None
    costs: ClassCosts | None = None
    shrunk: ShrunkRates | None = None
    groups: NDArray[np.uint32] | None = None  # of each row, from 0 on: forests draw whole groups
    grown_from: NDArray[np.uint32] | None = None  # the rows that a tree is grown from; None: all
    kept_back: NDArray[np.uint32] | None = None  # the others, which judge it

    def without_weights(self) -> TrainingData:
        """The same rows, each of which counts once, for one thread: trees of drawn rows have weights of their own."""
        return replace(self, weights=None, threads=1)

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """How often each row counts when it judges a tree."""
        given = self.weights if self.case_weights is None else self.case_weights
        return np.ones(len(self.truth)) if given is None else given

    @property
    def row_costs(self) -> NDArray[np.float64]:
        """Classes: what each answer costs where each class is true, row by row; empty where every error costs 1."""
        return np.empty(0) if self.costs is None else self.costs.row_losses.ravel()

    @property
    def loss(self) -> str:
        """The name of the loss by which held-out rows judge a tree."""
        return self.recipe.criterion if self.classes is None else "classes"


def growing_blocks(per_cell_and_row: tuple[float, float], data: CodedRows) -> list[Block]:
    """What growing a tree from such rows has in memory, the tree left out."""
    per_cell, per_row = per_cell_and_row
    n_rows, n_columns = len(data.truth), len(data.schema.columns)
    return [Block(per_cell, rows=n_rows, columns=n_columns), Block(per_row, rows=n_rows)]


def with_recipe(coded: CodedRows, recipe: Recipe) -> TrainingData:
    """Coded rows with the recipe for growing a tree from them."""
    target = coded.core_target(rates=recipe.criterion == "poisson")
    return TrainingData(
        table=coded.table,
        truth=coded.truth,
        weights=coded.weights,
        classes=coded.classes,
        threads=coded.threads,
        given=coded.given,
        target=target,
        recipe=recipe,
    )


def part_of_weights(training: TrainingData, part_of: Callable[[NDArray[np.float64]], Any]) -> TrainingData:
    """The same rows with other weights; `part_of` says what becomes of them."""
    weights = part_of(np.ones(len(training.truth)) if training.weights is None else training.weights)
    case_weights = None if training.case_weights is None else part_of(training.case_weights)
    if training.classes is not None:
        target = _core.Target.classes(training.truth, len(training.classes), weights, case_weights)
    else:
        rates = training.recipe.criterion == "poisson"
        target = _core.Target.numbers(training.truth, weights, rates, case_weights)
    return replace(training, weights=weights, case_weights=case_weights, target=target)


def grow_tree(training: TrainingData, rows: NDArray[np.uint32] | None = None) -> _core.Tree:
    """Grow a tree from some rows; without them from all that trees are to be grown from."""
    return tree_grower(training)(training.grown_from if rows is None else rows)


def tree_grower(training: TrainingData) -> Callable[[NDArray[np.uint32] | None], _core.Tree]:
    """What grows a tree from some rows, for many of them: the recipe is put into the words of the core once."""
    grow: Callable[[NDArray[np.uint32] | None], _core.Tree] = partial(grow_drawn, training)
    if training.recipe.draws is None:
        recipe = training.recipe.for_core()
        grow = partial(_core.grow, training.table.core, training.target, recipe, training.threads)
    changes = [change for change in (training.costs, training.shrunk) if change is not None]
    return (lambda rows: reduce(lambda tree, change: change.finish(tree), changes, grow(rows))) if changes else grow

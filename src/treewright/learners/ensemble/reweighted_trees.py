"""Ensembles of any recipe: many ordinary trees of one kind, grown from one encoded table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from numbers import Integral
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base import shap_values as shap
from treewright.learners.base.learner import Learner
from treewright.learners.base.learnt import check_learnt, learnt_sizes
from treewright.learners.base.parameters import fitted, parameter
from treewright.learners.base.progress_bar import show_progress
from treewright.learners.base.state import fitted_arrays, fitted_numbers, split_fitted
from treewright.learners.base.threads import thread_count
from treewright.learners.ensemble import explained_trees as explained
from treewright.learners.ensemble.ensemble_model import FEWER_TREES, SMALLEST_TREE
from treewright.learners.ensemble.lookup import RecipeLookup
from treewright.learners.ensemble.text import ensemble_text
from treewright.learners.ensemble.tree_store import TreeSequence, WholeTrees
from treewright.learners.trees.training_data import TrainingData, plain_criterion
from treewright.learners.trees.tree_model import TreeModel, count_outputs
from treewright.memory import Block
from treewright.save.persist import labels_of, model_header, names_of, restore_params
from treewright.save.tree_header import check_tree_header, count_in
from treewright.table.encode import EncodedRows, EncodedTable
from treewright.table.frame import InputFrame
from treewright.table.schema import Schema
from treewright.table.target import encode_weights, refuse_extremes
from treewright.tree.tree import Tree

# Some of the columns for each tree: drawn at random, grown from, and numbered as in the whole table again.


_COLUMNS_OF_A_TREE = 3  # of the random words: the columns of a tree


@dataclass(frozen=True)
class ColumnDraws:
    """How many of the columns each tree may use."""

    n_columns: int
    n_drawn: int
    seed: int

    def columns_of(self, tree: int) -> list[int] | None:
        """The columns of a tree, in the order of the table; None where it may use all of them.

        Examples
        --------
        >>> ColumnDraws(n_columns=5, n_drawn=2, seed=0).columns_of(0)
        [2, 4]
        """
        if self.n_drawn == self.n_columns:
            return None
        words = _core.drawn_words(self.seed, _COLUMNS_OF_A_TREE, tree, self.n_columns)
        return [int(column) for column in np.sort(np.argsort(words)[: self.n_drawn])]


def draw_columns(max_features: Any, n_columns: int, seed: int) -> ColumnDraws:
    """Read `max_features`: a whole number of columns, or a share of them; at least one.

    Examples
    --------
    >>> draw_columns(0.5, 5, 0).n_drawn, draw_columns(3, 5, 0).n_drawn
    (2, 3)
    """
    if not isinstance(max_features, Integral):
        return ColumnDraws(n_columns, max(1, int(float(max_features) * n_columns)), seed)
    if int(max_features) > n_columns:
        raise DataError(
            f"max_features is {max_features}, but the table has only {n_columns} columns. Give a smaller number, or a "
            "share such as 0.5."
        )
    return ColumnDraws(n_columns, int(max_features), seed)


def part_of(table: EncodedTable, columns: list[int]) -> EncodedTable:
    """The table with these columns only; nothing is encoded again."""
    schema = Schema(tuple(table.schema.columns[column] for column in columns), table.schema.target)
    return EncodedTable(table.core.with_columns(columns), schema)


def renumbered(core: _core.Tree, columns: list[int], n_columns: int) -> _core.Tree:
    """A tree of some columns as a tree of the whole table."""
    place = np.array([*columns, -1])  # -1, a leaf, picks the last entry
    arrays: dict[str, NDArray[Any]] = dict(core.arrays())
    for name, numbers in arrays.items():
        if name == "column" or name.endswith("_column"):
            arrays[name] = place[numbers.astype(np.int64)].astype(numbers.dtype)
    return _core.Tree(arrays, n_columns, core.n_classes)


# The trees of an ensemble of any recipe: grown one by one from a table that is encoded once.


_SEED_OF_A_TREE = 2  # of the random words: the seed of a tree that draws itself (folds of pruning, permutations)
_SUMMED = 1000  # answers below 2^1000 can be added up
_POLL = 0.05  # seconds between two looks for Ctrl-C


@dataclass(frozen=True)
class MemberGrower:
    """Grows trees of one recipe from one encoded table, each with other weights of the rows.

    `training` is made without the weights of the user, so that its own weights are those of the recipe (of classes).
    """

    recipe: TreeModel
    training: TrainingData
    y: Any
    seed: int

    def grow(self, number: int, weights: NDArray[np.float64], columns: list[int] | None = None) -> _core.Tree:
        """Grow tree `number` as the recipe would on these weights, and on these columns only where some are given."""
        member = copy(self.recipe)
        if "random_state" in member.get_params(deep=False):
            member.random_state = int(_core.drawn_words(self.seed, _SEED_OF_A_TREE, number, 1)[0] >> np.uint64(33))
        own = self.training.weights if self.training.case_weights is None else self.training.case_weights
        table = self.training.table if columns is None else part_of(self.training.table, columns)
        part = replace(self.training, table=table)
        training = member._reweighted(part, self.y, weights if own is None else weights * own, weights)
        core = member._grow_and_prune(training)[0]
        return core if columns is None else renumbered(core, columns, len(self.training.table.schema.columns))

    def seen(self, core: _core.Tree) -> Tree:
        """The tree with the names of its columns and classes."""
        classes = self.training.classes
        labels = None if classes is None else classes.tolist()
        return Tree(core, self.training.table.schema, labels, criterion=plain_criterion(self.recipe.criterion))

    def with_threads(self, threads: int) -> MemberGrower:
        """The same, with so many threads inside each tree."""
        return replace(self, training=replace(self.training, threads=threads))


def in_order(work: Callable[[int], Any], numbers: range, threads: int) -> Iterator[Any]:
    """Give ``work(i)`` for every number, in order, while other threads are at work on the next ones.

    Ctrl-C comes through at once: trees that have been begun are finished by their threads and forgotten.

    Examples
    --------
    >>> list(in_order(lambda i: i * i, range(8), threads=2))
    [0, 1, 4, 9, 16, 25, 36, 49]
    """
    if threads == 1:
        yield from map(work, numbers)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="treewright")
    try:
        ahead = iter(numbers)
        begun: list[Future[Any]] = [pool.submit(work, i) for i in islice(ahead, 2 * threads)]
        while begun:
            while not wait(begun[:1], timeout=_POLL).done:
                pass
            done = begun.pop(0)
            following = next(ahead, None)
            if following is not None:
                begun.append(pool.submit(work, following))
            yield done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


Weights = NDArray[np.float64] | None


@dataclass(frozen=True)
class RecipeRows:
    """What an ensemble of a recipe learns from: the grower of its trees, and rows and weights as they were given."""

    grower: MemberGrower
    frame: InputFrame
    weights: Weights

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.grower.training.schema

    @property
    def classes(self) -> NDArray[Any] | None:
        """The classes; None for numbers."""
        return self.grower.training.classes


class ReweightedTrees(Learner, is_base=True):
    """What bagging and AdaBoost share. Subclasses say which trees are grown and how their answers come together."""

    column_kinds: Mapping[Any, str] | None = parameter(
        default=None,
        doc='Kinds that override the guess, for instance ``{"zip": "nominal"}``; None leaves them to the estimator.',
    )

    trees_: TreeSequence = fitted()
    estimator_: TreeModel = fitted()
    _lookup: RecipeLookup = fitted()
    _fitted_by = "trees_"
    _takes_sparse = True
    why = explained.why
    _answers_to_rows = explained.answers_to_rows
    _one_row_table = explained.one_row_table
    shap_values = shap.shap_values
    expected_value = property(shap.expected_value)
    _sparing = FEWER_TREES
    _score_name = "score"  # what the score of the progress bar is called

    # ---------------------------------------------------------------- what a subclass says
    def _usual_recipe(self) -> TreeModel:
        """What is grown where no estimator is given."""
        raise NotImplementedError

    def _grow(
        self, grower: MemberGrower, frame: InputFrame, weights: Weights, progress: _core.Progress
    ) -> dict[str, Any]:
        """Grow the trees; gives them as "cores", and what else was learnt by the names of the attributes."""
        raise NotImplementedError

    def _answer(self, rows: EncodedRows) -> NDArray[Any]:
        """What rows are answered with."""
        raise NotImplementedError

    def _one_row_reader(self, recipe: TreeModel) -> Callable[[Any], Any] | None:
        """A quick way to answer one row, if there is one."""
        return None

    # ---------------------------------------------------------------- the steps of fit
    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any) -> RecipeRows:
        recipe = self._checked_recipe()
        weights = encode_weights(sample_weight, frame.n_rows)
        training = recipe._encode(frame, y, None)
        if training.classes is None:
            refuse_extremes(training.truth, _SUMMED, type(self).__name__)
        return RecipeRows(MemberGrower(recipe, training, y, self._seed()), frame, weights)

    def _fit_blocks(self, data: RecipeRows) -> list[Block]:
        of_a_tree = data.grower.recipe._fit_blocks(data.grower.training)
        weights = Block(70, rows=data.frame.n_rows)  # of the trees that are grown at one time
        return [*of_a_tree, weights, Block(SMALLEST_TREE, trees=self.n_estimators)]

    def _learn(self, data: RecipeRows) -> dict[str, Any]:
        progress = _core.Progress()
        with show_progress(progress, type(self).__name__, self._score_name, self.verbose):
            grown = self._grow(data.grower, data.frame, data.weights, progress)
        return self._fitted_trees(data.grower.recipe, grown.pop("cores"), data.schema, data.classes) | grown

    def _fitted_trees(
        self, recipe: TreeModel, cores: Any, schema: Schema, classes: NDArray[Any] | None
    ) -> dict[str, Any]:
        labels = None if classes is None else classes.tolist()
        trees = TreeSequence(cast(Any, WholeTrees(cores)), schema, labels, plain_criterion(recipe.criterion))
        return {"estimator_": recipe, "trees_": trees}

    def _prepare(self) -> None:
        count_outputs(self)

    def _make_lookup(self) -> RecipeLookup:
        return RecipeLookup(self.estimator_, self.trees_, self._answer, self._one_row_reader(self.estimator_))

    def _checked_recipe(self) -> TreeModel:
        """The kind of tree that is grown, with this estimator's threads and kinds of columns."""
        given = self._usual_recipe() if self.estimator is None else self.estimator
        if not isinstance(given, TreeModel) or given._predicts_classes != self._predicts_classes:
            kind = "classes, such as tw.C45Classifier()"
            if not self._predicts_classes:
                kind = "numbers, such as tw.ModelTreeRegressor()"
            raise DataError(
                f"{type(self).__name__} takes as its estimator a tree of treewright that predicts {kind}. "
                f"Got {given!r} instead."
            )
        recipe = clone(given)
        recipe.n_jobs = self.n_jobs
        if self.column_kinds is not None:
            recipe.column_kinds = self.column_kinds
        recipe._validate_params()
        return cast(TreeModel, recipe)

    # ---------------------------------------------------------------- the model file
    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        store = cast(WholeTrees, self.trees_.core)
        names, arrays = store.packed()
        fitted = fitted_numbers(self, self._fitted_numbers)
        common = model_header(self, self.trees_.schema, store.n_classes)
        header = {**common, "tree_arrays": names, "learnt": fitted}
        return header, {**arrays, **fitted_arrays(self, self._fitted_arrays)}

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        beside, of_trees = split_fitted(arrays, self._fitted_arrays)
        n_columns, n_classes = count_in(header, "n_columns"), count_in(header, "n_classes")
        schema, classes = check_tree_header(header, n_columns, n_classes, source)
        store = WholeTrees.unpacked(header.get("tree_arrays"), of_trees, n_columns, n_classes)
        arrays.clear()  # the core has them
        of_trees.clear()
        store.check_tests(schema, source)
        restore_params(self, header, source)
        labels = labels_of(self, header, classes, source)
        sizes = learnt_sizes(schema, labels, trees=store.n_trees)
        fitted = check_learnt(self._fitted_numbers, self._fitted_arrays, header.get("learnt"), beside, sizes)
        self._check_fitted(fitted)
        trees = self._fitted_trees(self._checked_recipe(), store.trees, schema, labels)
        self._set_fitted(schema, labels, names_of(header, schema), {**trees, **fitted})

    def _check_fitted(self, fitted: dict[str, Any]) -> None:
        """Refuse with a ValueError what no model of this kind has learnt."""

    # ---------------------------------------------------------------- looking rows up
    def _encoded(self, X: Any) -> EncodedRows:
        """The rows, checked and laid out once for all trees."""
        rows = self._rows(X)
        answers = len(self.__dict__.get("classes_", (1,)))
        self._refuse_beyond_memory("predict", Block(16, rows=rows.n_rows, answers=answers))
        return self._lookup.encode(rows)

    def _check_rows(self, frame: InputFrame) -> None:
        self.estimator_._check_rows(frame)

    @property
    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    # ---------------------------------------------------------------- about the trees
    @property
    def estimators_(self) -> list[TreeModel]:
        """The trees as fitted estimators of their own, made when they are asked for."""
        check_is_fitted(self)
        names, classes = self.__dict__.get("feature_names_in_"), self.__dict__.get("classes_")
        return [_fitted_member(self.estimator_, tree, classes, names) for tree in self.trees_]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column matters to the trees on average, as shares that sum to 1."""
        shares = np.array([member.feature_importances_ for member in self.estimators_])
        mean = np.average(shares, axis=0, weights=self._says())
        return cast(NDArray[np.float64], mean / mean.sum() if mean.sum() > 0 else mean)

    def _says(self) -> Weights:
        """How much each tree counts; None where all count the same."""
        return None

    def __str__(self) -> str:
        return ensemble_text(self) if "trees_" in self.__dict__ else repr(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        recipe = self.estimator if isinstance(self.estimator, TreeModel) else self._usual_recipe()
        of_recipe = get_tags(recipe)
        tags.input_tags.allow_nan = of_recipe.input_tags.allow_nan
        for name in ("classifier_tags", "regressor_tags"):
            if getattr(tags, name) is not None and getattr(of_recipe, name) is not None:
                getattr(tags, name).poor_score = getattr(of_recipe, name).poor_score
        return tags


def _fitted_member(
    recipe: TreeModel, tree: Tree, classes: NDArray[Any] | None, names: NDArray[Any] | None
) -> TreeModel:
    return cast(TreeModel, clone(recipe)._with_tree(tree.core, tree.schema, classes, names))

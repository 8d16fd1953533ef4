"""Ensembles of any recipe: many ordinary trees of one kind, grown from one encoded table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar, Self, cast

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
from treewright.learners.base.several_targets import columns_of_targets
from treewright.learners.base.state import fitted_arrays, fitted_numbers, split_fitted
from treewright.learners.base.threads import thread_count
from treewright.learners.ensemble import explained_trees as explained
from treewright.learners.ensemble.drawn_columns import part_of, renumbered
from treewright.learners.ensemble.ensemble_model import FEWER_TREES, SMALLEST_TREE
from treewright.learners.ensemble.lookup import RecipeLookup, member_lookup
from treewright.learners.ensemble.other_estimators import (
    GivenRows,
    MemberFitter,
    MembersLookup,
    as_given,
    check_estimator,
    is_grown_here,
)
from treewright.learners.ensemble.picture import plot
from treewright.learners.ensemble.text import ensemble_text
from treewright.learners.ensemble.tree_store import SequenceOfTrees, TreeSequence, WholeTrees
from treewright.learners.trees.training_data import TrainingData, plain_criterion
from treewright.learners.trees.tree_lookup import RowLookup
from treewright.learners.trees.tree_model import TreeModel, count_outputs
from treewright.memory import Block
from treewright.save.persist import labels_of, model_header, names_of, restore_params
from treewright.save.tree_header import check_tree_header, count_in
from treewright.sources.source import Source
from treewright.table.encode import EncodedRows, RowEncoder
from treewright.table.frame import InputFrame, is_frame
from treewright.table.schema import Schema
from treewright.table.target import encode_weights, refuse_extremes
from treewright.tree.tree import Tree

# The trees of an ensemble of any recipe: grown one by one from a table that is encoded once.


_SEED_OF_A_TREE = 2  # of the random words: the seed of a tree that draws itself (folds of pruning, permutations)
_SUMMED = 1000  # answers below 2^1000 can be added up
_POLL = 0.05  # seconds between two looks for Ctrl-C


def seed_of_tree(seed: int, number: int) -> int:
    """The `random_state` that tree `number` is grown with."""
    return int(_core.drawn_words(seed, _SEED_OF_A_TREE, number, 1)[0] >> np.uint64(33))


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
            member.random_state = seed_of_tree(self.seed, number)
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

    def lookup(self, core: _core.Tree) -> RowLookup:
        """What answers rows by one tree."""
        return member_lookup(self.recipe, self.seen(core))

    def rows(self, frame: InputFrame) -> EncodedRows:
        """The training rows as trees are asked about them."""
        return RowEncoder(self.training.table.schema).encode(frame)

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

    grower: MemberGrower | MemberFitter
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


class ReweightedTrees(SequenceOfTrees, Learner, is_base=True):
    """What bagging and AdaBoost share. Subclasses say which trees are grown and how their answers come together."""

    column_kinds: Mapping[Any, str] | None = parameter(
        default=None,
        doc='Kinds that override the guess, for instance ``{"zip": "nominal"}``; None leaves them to the estimator.',
    )

    trees_: TreeSequence = fitted()
    estimator_: Any = fitted()
    _lookup: Any = fitted()  # of trees, or of other estimators
    _fitted_by = "trees_"
    why = explained.why
    _answers_to_rows = explained.answers_to_rows
    _one_row_table = explained.one_row_table
    shap_values = shap.shap_values
    plot = plot
    expected_value = property(shap.expected_value)
    _sparing = FEWER_TREES
    _score_name = "score"  # what the score of the progress bar is called
    # what stands for weights where another estimator takes none: rows repeated, rows drawn, or nothing
    _without_weights: ClassVar[str] = "repeat"

    # ---------------------------------------------------------------- what a subclass says
    def _usual_recipe(self) -> TreeModel:
        """What is grown where no estimator is given."""
        raise NotImplementedError

    def _grow(
        self, grower: MemberGrower | MemberFitter, frame: InputFrame, weights: Weights, progress: _core.Progress
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
    def _fit(self, X: Any, y: Any, *others: Any) -> Self:
        is_several = self._takes_several_targets() and columns_of_targets(y) is not None
        if is_grown_here(self.estimator) or is_several:
            return super()._fit(X, y, *others)
        if isinstance(X, Source):
            raise DataError(
                f"{type(self).__name__} of {type(self.estimator).__name__} does not learn from a source: estimators of "
                "others take a table as it is given. Read the rows with tw.read and fit them in memory."
            )
        given = as_given(X)
        return self._fit_by(given, lambda frame: self._encode_for_others(frame, given, y, *others), self._learn)

    def _encode_for_others(self, frame: InputFrame, given: Any, y: Any, sample_weight: Any) -> RecipeRows:
        """What other estimators are fitted from: the table as it was given, and the order of its rows by content."""
        recipe = check_estimator(self.estimator, type(self).__name__, self._predicts_classes)
        if self.column_kinds is not None:
            raise DataError("column_kinds tells trees of treewright what columns are; other estimators know none.")
        training = self._usual_recipe()._encode(frame, y, None)
        labels = training.truth if training.classes is None else training.classes[training.truth]
        weights = encode_weights(sample_weight, frame.n_rows)
        fitter = MemberFitter(recipe, training, given, labels, self._seed(), self._without_weights)
        return RecipeRows(fitter, frame, weights)

    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any) -> RecipeRows:
        recipe = self._checked_recipe()
        weights = encode_weights(sample_weight, frame.n_rows)
        training = recipe._encode(frame, y, None)
        if training.classes is None:
            refuse_extremes(training.truth, _SUMMED, type(self).__name__)
        return RecipeRows(MemberGrower(recipe, training, y, self._seed()), frame, weights)

    def _fit_blocks(self, data: RecipeRows) -> list[Block]:
        weights = Block(70, rows=data.frame.n_rows)  # of the trees that are grown at one time
        if isinstance(data.grower, MemberFitter):
            return [weights]  # what else an estimator takes is not known
        of_a_tree = data.grower.recipe._fit_blocks(data.grower.training)
        return [*of_a_tree, weights, Block(SMALLEST_TREE, trees=self.n_estimators)]

    def _learn(self, data: RecipeRows) -> dict[str, Any]:
        progress = _core.Progress()
        with show_progress(progress, type(self).__name__, self._score_name, self.verbose):
            grown = self._grow(data.grower, data.frame, data.weights, progress)
        recipe, members = data.grower.recipe, grown.pop("cores")
        if isinstance(data.grower, MemberFitter):
            as_frame = is_frame(data.grower.table)
            return {"estimator_": recipe, "_members": (members, data.schema, as_frame), **grown}
        return self._fitted_trees(recipe, WholeTrees(members), data.schema, data.classes) | grown

    def _fitted_trees(
        self, recipe: TreeModel, store: WholeTrees, schema: Schema, classes: NDArray[Any] | None
    ) -> dict[str, Any]:
        labels = None if classes is None else classes.tolist()
        trees = TreeSequence(cast(Any, store), schema, labels, plain_criterion(recipe.criterion))
        return {"estimator_": recipe, "trees_": trees}

    def _prepare(self) -> None:
        count_outputs(self)

    def _make_lookup(self) -> RecipeLookup | MembersLookup:
        if "_members" in self.__dict__:
            members, schema, as_frame = self._members
            return MembersLookup(members, schema, as_frame, self._answer)
        return RecipeLookup(self.estimator_, self.trees_, self._answer, self._one_row_reader(self.estimator_))

    def _checked_recipe(self) -> TreeModel:
        """The kind of tree that is grown, with this estimator's threads and kinds of columns."""
        given = self._usual_recipe() if self.estimator is None else self.estimator
        recipe = check_estimator(given, type(self).__name__, self._predicts_classes)
        recipe.n_jobs = self.n_jobs
        if self.column_kinds is not None:
            recipe.column_kinds = self.column_kinds
        recipe._validate_params()
        return cast(TreeModel, recipe)

    # ---------------------------------------------------------------- the model file
    def _is_of_others(self) -> bool:
        """Whether the members, of each target where there are several, are other estimators than trees."""
        return any("_members" in model.__dict__ for model in self.__dict__.get("targets_", (self,)))

    def _refuse_file(self) -> None:
        if self._is_of_others():
            raise DataError(
                f"This model is made of {type(self.estimator).__name__}, and a model file holds trees of treewright "
                "only: it never runs code. Pickle the model, or bag or boost trees."
            )

    def _tw_bytes(self) -> bytes:
        self._refuse_file()
        return super()._tw_bytes()

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__) if self._is_of_others() else super().__getstate__()

    def __getattr__(self, name: str) -> Any:
        if name == "trees_" and "_members" in self.__dict__:
            made_of = type(self.estimator_).__name__
            raise AttributeError(f"This model is made of {made_of} and has no trees_; its members are its estimators_.")
        return super().__getattr__(name)

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
        trees = self._fitted_trees(self._checked_recipe(), store, schema, labels)
        self._set_fitted(schema, labels, names_of(header, schema), {**trees, **fitted})

    def _check_fitted(self, fitted: dict[str, Any]) -> None:
        """Refuse with a ValueError what no model of this kind has learnt."""

    # ---------------------------------------------------------------- looking rows up
    def _encoded(self, X: Any) -> Any:
        """The rows, checked and laid out once for all trees; other estimators get them as they are."""
        if "_members" in self.__dict__:
            given = as_given(X)
            self._rows(given)
            return GivenRows(given)
        rows = self._rows(X)
        answers = len(self.__dict__.get("classes_", (1,)))
        self._refuse_beyond_memory("predict", Block(16, rows=rows.n_rows, answers=answers))
        return self._lookup.encode(rows)

    def _check_rows(self, frame: InputFrame) -> None:
        if "_members" not in self.__dict__:
            self.estimator_._check_rows(frame)

    @property
    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    # ---------------------------------------------------------------- about the trees
    @property
    def estimators_(self) -> list[Any]:
        """The trees as fitted estimators of their own, made when they are asked for; other estimators as they are."""
        check_is_fitted(self)
        if "_members" in self.__dict__:
            return [member.estimator for member in self._lookup.members]
        names, classes = self.__dict__.get("feature_names_in_"), self.__dict__.get("classes_")
        members = [_fitted_member(self.estimator_, tree, classes, names) for tree in self.trees_]
        if "random_state" in self.estimator_.get_params(deep=False) and not hasattr(self.random_state, "randint"):
            for number, member in enumerate(members):
                member.random_state = seed_of_tree(self._seed(), number)
        return members

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column matters to the trees on average, as shares that sum to 1."""
        if "_members" in self.__dict__:
            shares = np.array([member.importance(self.n_features_in_) for member in self._lookup.members])
        else:
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
        recipe = self._usual_recipe() if self.estimator is None else self.estimator
        of_recipe = get_tags(recipe)
        if not is_grown_here(recipe):
            tags.input_tags = of_recipe.input_tags
        tags.input_tags.allow_nan = of_recipe.input_tags.allow_nan
        for name in ("classifier_tags", "regressor_tags"):
            if getattr(tags, name) is not None and getattr(of_recipe, name) is not None:
                getattr(tags, name).poor_score = getattr(of_recipe, name).poor_score
        return tags


def _fitted_member(
    recipe: TreeModel, tree: Tree, classes: NDArray[Any] | None, names: NDArray[Any] | None
) -> TreeModel:
    return cast(TreeModel, clone(recipe)._with_tree(tree.core, tree.schema, classes, names))

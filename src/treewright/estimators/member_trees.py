"""The trees of an ensemble of any recipe: grown one by one from a table that is encoded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.estimators.column_draws import part_of, renumbered
from treewright.estimators.training_data import TrainingData
from treewright.estimators.tree_model import TreeModel
from treewright.tree.tree import Tree

_PURPOSE = 2  # of the random words: the seed of a tree that draws itself (folds of pruning, permutations)
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
            member.random_state = int(_core.drawn_words(self.seed, _PURPOSE, number, 1)[0] >> np.uint64(33))
        own = self.training.weights if self.training.case_weights is None else self.training.case_weights
        table = self.training.table if columns is None else part_of(self.training.table, columns)
        part = replace(self.training, table=table)
        training = member._reweighted(part, self.y, weights if own is None else weights * own)
        core = member._grow_and_prune(training)[0]
        return core if columns is None else renumbered(core, columns, len(self.training.table.schema.columns))

    def seen(self, core: _core.Tree) -> Tree:
        """The tree with the names of its columns and classes."""
        classes = self.training.classes
        labels = None if classes is None else classes.tolist()
        return Tree(core, self.training.table.schema, labels, criterion=self.recipe.criterion)

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

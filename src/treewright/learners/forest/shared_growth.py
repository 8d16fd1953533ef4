"""A forest grown by the workers of a cluster: each is handed all rows once, and grows some of the trees.

A tree is a function of the rows, the rules and its number: nobody can tell from a forest who grew which tree.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.trees.training_data import TrainingData
from treewright.memory import Block
from treewright.sources.crew import Crew, slices
from treewright.table.encode import EncodedRows, code_columns

_EXACT_TREES = 2**13  # the sums of so many shares, in units of 2^-40, are whole numbers that doubles hold
_ONE_AT_A_TIME = threading.Lock()  # threads of one worker share the coded columns
Rules = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class SharedRows(TrainingData):
    """Coded rows that the workers of a crew have as well."""

    crew: Crew


@dataclass(frozen=True)
class ForestRows:
    """What each worker is handed: all columns, the target and the weights, as the core takes them."""

    rows: EncodedRows
    truth: NDArray[Any]
    weights: NDArray[np.float64] | None
    n_classes: int
    _coded: list[_core.Table] = field(default_factory=list)  # made by each worker when it is first asked

    @property
    def table(self) -> _core.Table:
        """The coded columns."""
        with _ONE_AT_A_TIME:
            if not self._coded:
                self._coded.append(code_columns(self.rows))
        return self._coded[0]

    def target(self, weights: NDArray[np.float64] | None) -> _core.Target:
        """The target with some weights."""
        if self.n_classes:
            return _core.Target.classes(self.truth, self.n_classes, weights)
        return _core.Target.numbers(self.truth, weights, rates=False)

    @property
    def n_bytes(self) -> int:
        """How much is sent to each worker."""
        columns = [part[1] for part in self.rows.parts] if self.rows.matrix is None else [self.rows.matrix]
        return sum(part.nbytes for part in (*columns, self.truth, self.weights) if part is not None)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.rows, self.truth, self.weights, self.n_classes

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        for name, value in zip(("rows", "truth", "weights", "n_classes", "_coded"), (*state, []), strict=True):
            object.__setattr__(self, name, value)


def hand_out(training: TrainingData, crew: Crew | None, blocks: Sequence[Block], doing: str) -> TrainingData:
    """Give the workers all rows, if they have memory for them and for what growing takes (`blocks`)."""
    rows = training.table.rows
    if crew is None or rows is None:
        return training
    n_classes = 0 if training.classes is None else len(training.classes)
    handed = ForestRows(rows, training.truth, training.weights, n_classes)
    crew.refuse_small(handed.n_bytes + sum(block.n_bytes for block in blocks), doing)
    crew.hand_out(handed)
    known = {each.name: getattr(training, each.name) for each in fields(TrainingData)}
    return SharedRows(**known, crew=crew)


def grow_forest(training: TrainingData, rules: Rules, progress: _core.Progress) -> tuple[_core.Ensemble, Rules]:
    """Grow the trees that the rules ask for: here, or where workers have the rows by these."""
    if not isinstance(training, SharedRows) or not _can_be_shared(training, rules):
        return _core.grow_forest(training.table.core, training.target, rules, progress, training.threads)
    parts = [
        {**rules, "first_tree": first, "n_trees": last}
        for first, last in slices(rules["first_tree"], rules["n_trees"], training.crew.size)
    ]
    progress.total = rules["n_trees"] - rules["first_tree"]

    def done(place: int) -> None:
        progress.done += parts[place]["n_trees"] - parts[place]["first_tree"]

    answers = training.crew.each(partial(_grow_part, tells_draws=rules["first_tree"]), parts, done)
    forests = [_core.Ensemble(arrays, len(training.schema.columns), n) for n, arrays, _ in answers]
    return _joined(forests), _known_of([known for *_, known in answers], len(training.truth))


def _can_be_shared(training: TrainingData, rules: Rules) -> bool:
    """Whether what the workers know can be put together without rounding."""
    if rules["first_tree"] >= rules["n_trees"]:
        return False
    return not rules["out_of_bag"] or (training.classes is not None and rules["n_trees"] < _EXACT_TREES)


def _grow_part(rows: ForestRows, rules: Rules, tells_draws: int) -> tuple[int, Rules, Rules]:
    """What one worker does: grow some trees, and tell what is known beside them."""
    forest, known = _core.grow_forest(rows.table, rows.target(rows.weights), rules, _core.Progress(), 1)
    if rules["first_tree"] != tells_draws:
        del known["drawn_from"]  # the same for all
    return rows.n_classes, forest.arrays(), known


def _joined(forests: list[_core.Ensemble]) -> _core.Ensemble:
    """Forests one behind the other; neighbours are joined, then their neighbours, so that no tree is copied often."""
    while len(forests) > 1:
        forests = [reduce(_core.Ensemble.extended, forests[i : i + 2]) for i in range(0, len(forests), 2)]
    return forests[0]


def _known_of(parts: list[Rules], n_rows: int) -> Rules:
    """What the parts of a forest know, as the whole knows it."""
    known = parts[0]
    if "nodes" in known:
        nodes = [part["nodes"].reshape(n_rows, -1) for part in parts]
        known["nodes"] = np.concatenate(nodes, axis=1).ravel()
    for name in ("sums", "n_trees"):
        if name in known:
            known[name] = sum(part[name] for part in parts)
    return known

"""C4.5 fitted to a source: its large nodes are counted where the rows are, small ones are fetched; then it is pruned.

Rows that may be fetched are gathered, since that is one pass. Where a column has missing values they are gathered as
well: a row without a value goes down every branch with a part of its weight, and counts do not tell its other columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.base.threads import thread_count
from treewright.learners.trees.fit_source import plan_and_profile
from treewright.learners.trees.fit_tables import MOST_NUMBERS, count_or_gather, too_many_numbers
from treewright.sources.grow_from_tables import TablesGrowing, numbers_of_columns, routing_of, with_codes
from treewright.sources.prune_from_counts import ErrorPruning, LiveNode, collapse, live_nodes, unit_of, whole_tree
from treewright.sources.questions import FetchedRows, Numbers, Plan
from treewright.sources.source import Source

MOST_DIFFERENT = 100_000  # numbers in a column; with more it is gathered
_LARGE_SAMPLE, _MOSTLY = 8000, 0.995


def fit_c45(model: Any, source: Source, y: Any, sample_weight: Any) -> None:
    """Fit a tree of C4.5 to a source; the model is changed in one step at the end."""
    model._validate_params()
    ordered = [name for name, kind in (model.column_kinds or {}).items() if kind == "ordinal" or type(kind) is not str]
    unknown = f"a column with an order ('{ordered[0]}')" if ordered else None
    if model.reduced_error:
        unknown = "reduced_error=True"
    count_or_gather(model, source, y, sample_weight, unknown, _fit_counted)


def _fit_counted(model: Any, source: Source, y: Any, sample_weight: Any) -> str | None:
    """Count; or say what cannot be counted, once the columns are known."""
    plan, profile = plan_and_profile(model, source, y, sample_weight)
    if profile.with_holes:
        return f"missing values in a column ('{min(profile.with_holes)}'), whose rows go down every branch,"
    for name, numbers in profile.numbers.items():
        if _all_differ(numbers.sample):
            return f"nearly as many different numbers as rows in a column ('{name}')"
    values: dict[int, Numbers] = {j: own for j, (own, _) in numbers_of_columns(source, plan).items()}
    unknown = too_many_numbers(plan, values, MOST_DIFFERENT)
    if unknown is not None:
        return unknown
    few = {j: own for j, own in values.items() if len(own) <= MOST_NUMBERS}
    core = _SourceTree(model, source, with_codes(plan, few), values, sorted(values.keys() - few)).fit()
    fitted = model._fitted_tree(core, plan.schema, plan.classes)
    model._set_fitted(plan.schema, plan.classes, np.array(plan.features, dtype=object), fitted)
    return None


def _all_differ(sample: Numbers) -> bool:
    """Whether a large sample of numbers has hardly one twice: then there are far more than `MOST_DIFFERENT`."""
    return len(sample) >= _LARGE_SAMPLE and len(np.unique(sample)) > _MOSTLY * len(sample)


@dataclass
class _SourceTree:
    """A tree of C4.5 on its way: what is learnt, from where, and the different numbers of each column of numbers."""

    model: Any
    source: Source
    plan: Plan
    values: Mapping[int, Numbers]
    opened: Sequence[int]  # columns with more numbers than are counted one by one

    def fit(self) -> _core.Tree:
        """Grow large nodes, then small ones; prune."""
        recipe = self.model._recipe(self.plan.facts["n_rows"], None).for_core()
        most = self.source.fetch_rows
        tell = self.source.tell
        growing = TablesGrowing(self.source, self.plan, self.values, (), recipe, tell, most, self.opened)
        growth = growing.grow()
        tree, order = growth.tree()
        nodes = live_nodes(tree, self.plan)
        for node in nodes:
            node.done = not node.children
        place = {int(node): i for i, node in enumerate(order)}
        whole = float(nodes[0].sums[1:].sum()) * unit_of(self.plan)
        recipe["options"] = {**recipe["options"], "whole_weight": whole}
        self._fetch(growth, growing.small, [nodes[place[node]] for node in growing.small], recipe)
        choices = self.model._error_pruning()
        if choices["collapse"]:
            collapse(nodes[0], self.plan)
        if choices["prune"]:
            ErrorPruning(self.source, self.plan, choices).run(nodes[0])
        return self._written(whole_tree(nodes[0], self.plan), choices)

    def _fetch(
        self, growth: _core.TableGrowth, small: list[int], nodes: list[LiveNode], recipe: Mapping[str, Any]
    ) -> None:
        """Fetch small nodes, as many at a time as fit, grow and prune what is below them."""
        if not small:
            return
        rows = [int(node.sums[0]) for node in nodes]
        for group, fetched in self.source.fetch_nodes(self.plan, routing_of(growth, small), rows):
            table, target = self._table(fetched)
            for i, which in enumerate(group):
                self._grow_below(nodes[which], table, target, np.flatnonzero(_is_at(fetched, i)), recipe)

    def _grow_below(
        self, node: LiveNode, table: _core.Table, target: _core.Target, rows: Any, recipe: Mapping[str, Any]
    ) -> None:
        own = rows.astype(np.uint32)
        grown = _core.grow(table, target, dict(recipe), thread_count(self.model.n_jobs), own)
        pruned = _core.prune_by_errors(grown, table, target, own, self.model._error_pruning())
        root = live_nodes(pruned, self.plan)[0]
        node.test, node.children = root.test, root.children
        node.errors_below = _training_errors(grown)

    def _table(self, fetched: FetchedRows | None) -> tuple[_core.Table, _core.Target]:
        """Rows in the words of the core. Behind them stand rows of no node that have every number of the whole table.

        A threshold of C4.5 is a number of the whole table; the core takes it from the rows that count.
        """
        plan = self.plan
        most = max([1, *(len(own) for own in self.values.values())])
        parts = []
        for j, column in enumerate(plan.schema.columns):
            numeric = column.kind == "numeric"
            own: NDArray[Any] = np.resize(self.values[j], most) if numeric else np.ones(most, dtype=np.uint32)
            if fetched is not None:
                own = np.concatenate([fetched.columns[j], own.astype(fetched.columns[j].dtype)])
            parts.append((column.kind, own, None if numeric else len(column.levels)))
        truth = np.zeros(most, dtype=np.int32)
        weights = None if plan.weight is None and plan.class_weights is None else np.full(most, plan.facts["largest"])
        if fetched is not None:
            truth = np.concatenate([fetched.truth.astype(np.int32), truth])
            weights = None if weights is None else np.concatenate([fetched.weights, weights])
        table = _core.Table(len(truth), parts, thread_count(self.model.n_jobs))
        return table, plan.units.classes(truth, plan.n_classes, weights)

    def _written(self, tree: _core.Tree, choices: Mapping[str, Any]) -> _core.Tree:
        """The tree with its impurities, gains and answers, as the core writes them after pruning."""
        table, target = self._table(None)
        none = np.empty(0, dtype=np.uint32)
        return _core.prune_by_errors(tree, table, target, none, {**choices, "collapse": False, "prune": False})


def _is_at(fetched: FetchedRows, node: int) -> NDArray[np.bool_]:
    here: NDArray[np.bool_] = fetched.node == node
    return here if fetched.weights is None else here & (fetched.weights > 0)


def _training_errors(tree: _core.Tree) -> float:
    """The weight that the leaves of a tree get wrong."""
    arrays = tree.arrays()
    most = np.zeros(tree.n_nodes)
    node = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
    np.maximum.at(most, node, arrays["count_weight"])
    return float((arrays["weight"] - most)[arrays["n_children"] == 0].sum())

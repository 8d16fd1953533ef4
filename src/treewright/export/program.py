"""The routing program of a model: what every exporter prints, and nothing else of the model.

A node is a list of rules that are asked in order. A rule that asks for a value which a row does not have fails, so
where missing values go, levels that a node never saw, and surrogates are the rules that follow and the fallback at
the end. `follow` is the slow definition: it walks a row through the program in plain Python.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.export.correction import Correction
from treewright.table.schema import Column
from treewright.tree.stored import HYPERPLANE, INTERVALS, LEVELS, SPREADS, STOPS, THRESHOLD

Floats = NDArray[np.float64]

# What a rule asks: x <= number; x > number; is the level one of a set; is there a value; sum <= its cut; sum > it.
BELOW, ABOVE, MEMBER, KNOWN, SUM_BELOW, SUM_ABOVE = range(6)
TOLD = ("n_rows", "weight", "impurity", "gain")  # what no answer depends on, and some formats tell
EXACT_LINKS = ("node", "mean", "identity", "median")
HALF = 0.5  # a sum of which more than this share is unknown tells nothing


@dataclass(frozen=True)
class Term:
    """A summand: weight · x, or weight where the level has this code; `filler` where there is no value."""

    column: int
    level: int
    weight: float
    filler: float
    share: float


@dataclass(frozen=True)
class Equation:
    """What a leaf of a model tree answers: a constant and terms, kept in a range."""

    intercept: float
    terms: tuple[Term, ...]
    lowest: float
    highest: float


@dataclass
class NodeTable:
    """The rules of the nodes of one tree, side by side, and what each node answers.

    Node i has the rules from `rule_start[i]` to `rule_start[i + 1]`. `number` is what a rule compares with; for MEMBER
    it is a place in `sets`, for sums a place in `sums`. `fallback` is the node of a row for which no rule holds: STOPS
    where it ends, SPREADS where it goes down every branch of `pieces`, in parts.
    """

    rule_start: list[int] = field(default_factory=lambda: [0])
    rule_kind: list[int] = field(default_factory=list)
    rule_column: list[int] = field(default_factory=list)
    rule_number: list[float] = field(default_factory=list)
    rule_child: list[int] = field(default_factory=list)
    fallback: list[int] = field(default_factory=list)
    sets: list[tuple[int, ...]] = field(default_factory=list)
    sums: list[tuple[tuple[Term, ...], float]] = field(default_factory=list)
    pieces: dict[int, list[tuple[int, float]]] = field(default_factory=dict)
    equations: dict[int, Equation] = field(default_factory=dict)
    answers: Floats = field(default_factory=lambda: np.zeros((0, 1)))
    labels: NDArray[np.int64] | None = None  # of one tree: the class that each node answers
    known: dict[str, NDArray[Any]] = field(default_factory=dict)  # of the training rows of each node: TOLD

    @property
    def n_nodes(self) -> int:
        return len(self.fallback)

    def rules(self, node: int) -> range:
        """The places of the rules of a node."""
        return range(self.rule_start[node], self.rule_start[node + 1])

    def add(self, kind: int, column: int, number: float, child: int) -> None:
        """Add a rule to the node that is being written."""
        self.rule_kind.append(kind)
        self.rule_column.append(column)
        self.rule_number.append(number)
        self.rule_child.append(child)


@dataclass(frozen=True)
class Program:
    """A model as rules and numbers.

    Attributes
    ----------
    columns : tuple of Column
        Those of the training table, in order.
    trees : list of NodeTable
    n_outputs : int
        How many numbers are added up; tree i with one number a node adds to output i modulo these.
    start : list of float
        Where the sums start.
    link : str
        What becomes of the sums: "node" (one tree: its answer), "mean", "identity", "logistic", "softmax", "exp",
        "samme" (AdaBoost's votes) or "median" (each tree has a sum of its own: their median by `says`).
    label_by : str
        What tells the class: "node" (of one tree; the largest share where a row ends in several), "sign" of the one
        sum, the largest of the "sums" or of the "answers"; "" where a number is predicted.
    labels : list or None
        The classes in order; None where a number is predicted.
    """

    columns: tuple[Column, ...]
    trees: list[NodeTable]
    n_outputs: int
    start: list[float]
    link: str
    label_by: str
    labels: list[Any] | None
    target: str | None
    title: str
    fingerprint: str
    all_votes: float = 1.0  # AdaBoost: the say of all trees
    says: tuple[float, ...] = ()  # AdaBoost of numbers: the say of each tree
    correction: Correction | None = None  # of probabilities after training
    has_corrected_answers: bool = False  # a single tree: what its nodes answer is corrected already
    takes_missing: bool = True  # or the model refuses rows without a value, and nobody knows what it would answer
    takes_unknown: bool = True  # or it refuses levels that it never saw, too; ID3 refuses the former alone

    @property
    def used(self) -> list[int]:
        """The columns that some rule, sum or equation asks for, in order."""
        asked: set[int] = set()
        for tree in self.trees:
            asked.update(tree.rule_column)
            asked.update(term.column for terms, _ in tree.sums for term in terms)
            asked.update(term.column for equation in tree.equations.values() for term in equation.terms)
        return sorted(asked - {-1})

    @property
    def n_answers(self) -> int:
        """How many numbers a row is answered with: one for each class, or one."""
        return len(self.labels) if self.labels is not None else 1

    @property
    def is_exact(self) -> bool:
        """Whether the answers are the same to the last bit: no exp is taken."""
        corrected = self.correction is not None or self.has_corrected_answers
        return self.link in EXACT_LINKS and not corrected

    @property
    def made_of(self) -> str:
        """What there is of it, in words."""
        return f"{len(self.trees):,} tree{'s' if len(self.trees) != 1 else ''}"

    @property
    def spreads(self) -> bool:
        """Whether some row may end in several leaves."""
        return any(tree.pieces for tree in self.trees)


def node_table(core: Any, answers: Floats, labels: NDArray[np.int64] | None = None) -> NodeTable:
    """Write the rules of a stored tree.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> table = node_table(example_tree().core, np.zeros((5, 1)))
    >>> [table.rule_kind[rule] for rule in table.rules(0)], table.sets, table.fallback[0]
    ([2, 2], [(2,), (1, 3)], 2)
    """
    stored = core.arrays()
    arrays = {name: values.tolist() for name, values in stored.items()}
    shape = core.children_start.tolist(), core.children.tolist()
    table = NodeTable(answers=np.asarray(answers, dtype=np.float64), labels=labels)
    for node in range(len(arrays["n_children"])):
        children = shape[1][shape[0][node] : shape[0][node + 1]]
        if children:
            _add_test(table, arrays, node, children)
            _add_surrogates(table, arrays, node, children)
        table.fallback.append(_fallback(table, arrays, node, children))
        table.rule_start.append(len(table.rule_kind))
    _add_equations(table, arrays)
    table.known = {name: stored[name] for name in TOLD}
    return table


def _add_test(table: NodeTable, arrays: dict[str, list[Any]], node: int, children: list[int]) -> None:
    kind, column, cut = arrays["kind"][node], arrays["column"][node], arrays["threshold"][node]
    if kind == THRESHOLD:
        _add_cut(table, column, cut, children[0], children[1])
    elif kind == LEVELS:
        part = slice(arrays["level_start"][node], arrays["level_start"][node + 1])
        _add_levels(table, column, zip(arrays["level"][part], arrays["level_branch"][part], strict=True), children)
    elif kind == INTERVALS:
        part = slice(arrays["interval_start"][node], arrays["interval_start"][node + 1])
        bounds = arrays["interval_upper"][part]
        for bound, child in zip(bounds, children, strict=False):
            table.add(BELOW, column, bound, child)
        table.add(KNOWN, column, math.nan, children[len(bounds)])
    elif kind == HYPERPLANE:
        table.sums.append((_terms(arrays, "term", node), cut))
        for rule, child in zip((SUM_BELOW, SUM_ABOVE), children, strict=False):
            table.add(rule, -1, len(table.sums) - 1, child)


def _add_cut(table: NodeTable, column: int, cut: float, below: int, above: int) -> None:
    if cut == math.inf:  # only whether there is a value
        table.add(KNOWN, column, math.nan, below)
    else:
        table.add(BELOW, column, cut, below)
        table.add(ABOVE, column, cut, above)


def _add_levels(table: NodeTable, column: int, branches: Any, children: list[int]) -> None:
    by_branch: dict[int, list[int]] = {}
    for code, branch in branches:
        by_branch.setdefault(int(branch), []).append(int(code))
    for branch in sorted(by_branch):
        table.sets.append(tuple(sorted(by_branch[branch])))
        table.add(MEMBER, column, len(table.sets) - 1, children[branch])


def _add_surrogates(table: NodeTable, arrays: dict[str, list[Any]], node: int, children: list[int]) -> None:
    if "surrogate_start" not in arrays:
        return
    for place in range(arrays["surrogate_start"][node], arrays["surrogate_start"][node + 1]):
        column, cut = int(arrays["surrogate_column"][place]), arrays["surrogate_threshold"][place]
        if math.isnan(cut):
            _add_levels(table, column, _surrogate_levels(arrays, node, place), children)
        else:
            first, second = children[:2][::-1] if arrays["surrogate_flip"][place] else children[:2]
            table.add(BELOW, column, cut, first)
            table.add(ABOVE, column, cut, second)


def _surrogate_levels(arrays: dict[str, list[Any]], node: int, place: int) -> list[tuple[float, float]]:
    first = arrays["surrogate_start"][node]
    part = slice(arrays["surrogate_level_start"][node], arrays["surrogate_level_start"][node + 1])
    fields = (arrays[f"surrogate_level_{name}"][part] for name in ("which", "level", "branch"))
    return [(level, branch) for which, level, branch in zip(*fields, strict=True) if which == place - first]


def _fallback(table: NodeTable, arrays: dict[str, list[Any]], node: int, children: list[int]) -> int:
    branch = int(arrays["missing_branch"][node])
    if not children or branch == STOPS:
        return STOPS
    if branch != SPREADS:
        return children[branch]
    weights = [arrays["weight"][child] for child in children]
    total = 0.0
    for weight in weights:
        total += weight
    pieces = [(child, weight / total) for child, weight in zip(children, weights, strict=True) if weight > 0]
    if not pieces:
        return STOPS
    table.pieces[node] = pieces
    return SPREADS


def _terms(arrays: dict[str, list[Any]], name: str, node: int) -> tuple[Term, ...]:
    part = slice(arrays[f"{name}_start"][node], arrays[f"{name}_start"][node + 1])
    fields = (arrays[f"{name}_{of}"][part] for of in ("column", "level", "weight", "filler", "share"))
    return tuple(Term(int(column), int(level), *rest) for column, level, *rest in zip(*fields, strict=True))


def _add_equations(table: NodeTable, arrays: dict[str, list[Any]]) -> None:
    if "equation_start" not in arrays:
        return
    for node in range(table.n_nodes):
        lowest, highest = (arrays[name][node] if name in arrays else math.nan for name in ("lowest", "highest"))
        terms = _terms(arrays, "equation", node)
        table.equations[node] = Equation(arrays["intercept"][node], terms, lowest, highest)


# The slow definition: one row of codes (NaN where there is no value) through the program.


def follow(table: NodeTable, row: Sequence[float]) -> list[tuple[int, float]]:
    """Give the nodes in which a row ends, in preorder, with the part of it that arrives there.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> follow(node_table(example_tree().core, np.zeros((5, 1))), [2.0, math.nan])
    [(1, 1.0)]
    """
    ended, waiting = [], [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        while (after := _next(table, node, row)) >= 0:
            node = after
        if after == SPREADS:
            waiting.extend((child, share * part) for child, part in reversed(table.pieces[node]))
        else:
            ended.append((node, share))
    return ended


def _next(table: NodeTable, node: int, row: Sequence[float]) -> int:
    for rule in table.rules(node):
        if _holds(table, rule, row):
            return table.rule_child[rule]
    return table.fallback[node]


def _holds(table: NodeTable, rule: int, row: Sequence[float]) -> bool:
    kind, number = table.rule_kind[rule], table.rule_number[rule]
    if kind in (SUM_BELOW, SUM_ABOVE):
        terms, cut = table.sums[int(number)]
        total, unknown = 0.0, 0.0
        for term in terms:
            total, unknown = _added(total, unknown, term, row[term.column])
        return unknown <= HALF and (total <= cut) == (kind == SUM_BELOW)
    x = row[table.rule_column[rule]]
    if kind == MEMBER:
        return x in table.sets[int(number)]
    return {BELOW: x <= number, ABOVE: x > number, KNOWN: not math.isnan(x)}[kind]


def _added(total: float, unknown: float, term: Term, x: float) -> tuple[float, float]:
    if math.isnan(x):
        return total + term.filler, unknown + term.share
    return total + (term.weight * x if term.level == 0 else term.weight if x == term.level else 0.0), unknown


def node_value(table: NodeTable, node: int, row: Sequence[float]) -> Floats:
    """Give what a node answers a row with: its numbers, or the value of its equation."""
    equation = table.equations.get(node)
    if equation is None:
        return np.asarray(table.answers[node])
    total = equation.intercept
    for term in equation.terms:
        x = row[term.column]
        total, _ = _added(total, 0.0, term, x if math.isfinite(x) else math.nan)
    if math.isnan(total):  # numbers so large that they cancel to nothing
        total = float(table.answers[node, 0])
    if total < equation.lowest:
        total = equation.lowest
    return np.array([equation.highest if total > equation.highest else total])

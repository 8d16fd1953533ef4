"""The conditions on the way to a node, with those on the same column merged into one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.inspection.decision_path import weighted_sum
from treewright.table.schema import Column
from treewright.tree.format import name_text, number_text
from treewright.tree.stored import HYPERPLANE, INTERVALS, SPREADS, THRESHOLD
from treewright.tree.test import bounds_of, cut_text, hyperplane_words, level_list
from treewright.tree.tree import Tree

# The values of one column, or of one weighted sum, that lead down a branch, and what branches have in common.


LISTED = 6  # levels listed in full; a longer list names what is left out, if that is shorter


@dataclass(frozen=True, slots=True)
class NumberRange:
    """Numbers above `low` and at most `high`, and whether rows without a number belong to it too.

    None is no bound. With `known=False` no number belongs to it.

    Examples
    --------
    >>> both = NumberRange(low=20).meet(NumberRange(low=35)).meet(NumberRange(high=60))
    >>> both.words("age", Column("age", "numeric")), 35 in both, 35.5 in both
    ('35 < age <= 60', False, True)
    """

    low: float | None = None
    high: float | None = None
    known: bool = True
    missing: bool = False

    def __contains__(self, x: float) -> bool:
        if x != x:
            return self.missing
        return self.known and (self.low is None or x > self.low) and (self.high is None or x <= self.high)

    def meet(self, other: NumberRange) -> NumberRange:
        """What belongs to both."""
        low = self.low if other.low is None or (self.low is not None and self.low >= other.low) else other.low
        high = self.high if other.high is None or (self.high is not None and self.high <= other.high) else other.high
        return NumberRange(low, high, self.known and other.known, self.missing and other.missing)

    def words(self, name: str, column: Column | None, digits: int = 6) -> str:
        """Write it as a condition; `column` tells how its values look, None for a weighted sum."""

        def show(cut: float) -> str:
            return number_text(cut, digits) if column is None else cut_text(column, cut, digits)

        if not self.known:
            return f"{name} is missing" if self.missing else f"{name} is never here"
        if self.low is None:
            return f"{name} is known" if self.high is None else f"{name} <= {show(self.high)}"
        if self.high is None:
            return f"{name} > {show(self.low)}"
        if self.low >= self.high:
            return f"{name} is missing" if self.missing else f"{name} is never here"
        return f"{show(self.low)} < {name} <= {show(self.high)}"


@dataclass(frozen=True, slots=True)
class LevelSet:
    """Levels of a nominal or ordinal column as bits: bit c is level code c, bit 0 is a missing value.

    `listed` are the levels that every test named; others may belong to it because they go the way of missing values.

    Examples
    --------
    >>> size = Column("size", "ordinal", "text", ("small", "medium", "large"))
    >>> LevelSet.of([2, 3], size).words("size", size), LevelSet.of([1, 3], size).words("size", size)
    ('size > small', 'size is small or large')
    >>> 2.0 in LevelSet.of([2, 3], size), math.nan in LevelSet.of([2, 3], size)
    (True, False)
    """

    bits: int
    listed: int

    @classmethod
    def of(cls, codes: list[int], column: Column, with_missing: bool = False, unlisted: int = 0) -> LevelSet:
        """Make a set of level codes; with missing values also the bits of levels that the test does not name."""
        listed = sum(1 << code for code in codes)
        return cls(listed | unlisted | 1 if with_missing else listed, listed)

    @property
    def missing(self) -> bool:
        """Whether rows without a value belong to it."""
        return bool(self.bits & 1)

    @property
    def codes(self) -> list[int]:
        """The codes that belong to it, those that were named first."""
        named = _codes(self.bits & self.listed)
        return named + _codes(self.bits & ~self.listed & ~1)

    def __contains__(self, x: float) -> bool:
        return bool(self.bits >> (0 if x != x else int(x)) & 1)

    def meet(self, other: LevelSet) -> LevelSet:
        """What belongs to both."""
        return LevelSet(self.bits & other.bits, self.listed & other.listed)

    def words(self, name: str, column: Column, digits: int = 6) -> str:
        """Write it as a condition."""
        named = _codes(self.bits & self.listed)
        if not named:
            others = "missing or new" if self.bits & ~1 else "missing"
            return f"{name} is {others}" if self.missing else f"{name} is never here"
        if column.kind == "ordinal" and named[-1] - named[0] + 1 == len(named) < len(column.levels):
            return self._range_words(name, column, named)
        n_left_out = len(column.levels) - len(named)
        if not n_left_out:
            return f"{name} is known"
        if len(named) > LISTED and n_left_out <= LISTED:
            left_out = _codes(all_levels(column) & ~(self.bits & self.listed))
            return f"{name} is not {level_list(column, left_out, last=' or ')}"
        return f"{name} is {level_list(column, named, last=' or ')}"

    @staticmethod
    def _range_words(name: str, column: Column, codes: list[int]) -> str:
        low, high = codes[0], codes[-1]
        if low == high:
            return f"{name} is {level_list(column, [low])}"
        low_cut = None if low == 1 else low - 1
        high_cut = None if high == len(column.levels) else high
        return NumberRange(low_cut, high_cut).words(name, column)


def all_levels(column: Column) -> int:
    """Give the bits of every level of a column.

    >>> bin(all_levels(Column("size", "ordinal", "text", ("small", "medium", "large"))))
    '0b1110'
    """
    return (1 << (len(column.levels) + 1)) - 2


def levels_up_to(column: Column, cut: float) -> int:
    """Give the bits of the levels whose code is at most `cut`.

    >>> bin(levels_up_to(Column("size", "ordinal", "text", ("small", "medium", "large")), 2.0))
    '0b110'
    """
    if cut >= len(column.levels):
        return all_levels(column)
    return (1 << (math.floor(cut) + 1)) - 2 if cut >= 1 else 0


def _codes(bits: int) -> list[int]:
    codes = []
    while bits:
        lowest = bits & -bits
        codes.append(lowest.bit_length() - 1)
        bits ^= lowest
    return codes


ValueSet = NumberRange | LevelSet


def condition_words(allowed: ValueSet, what: str, column: Column | None, digits: int = 6) -> str:
    """Write a condition on a column, or on a weighted sum when there is no column.

    >>> condition_words(NumberRange(high=41.5), "age", Column("age", "numeric"))
    'age <= 41.5'
    """
    if isinstance(allowed, LevelSet):
        assert column is not None
        return allowed.words(name_text(what), column, digits)
    return allowed.words(what if column is None else name_text(what), column, digits)


Key = int | tuple[Any, ...]  # a column, or the terms of a weighted sum
_TERM_FIELDS = ("column", "level", "weight", "filler", "share")


@dataclass(frozen=True, slots=True)
class Condition:
    """What a row must fulfil in one column (or one weighted sum) to come to a node.

    `node` is the first node that asks for it; `column` is the index of the column, -1 for a weighted sum.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> [condition.text() for condition in conditions_of(example_tree(), 4)]
    ['outlook is sunny or rain', 'humidity > 82.5']
    """

    tree: Tree
    node: int
    column: int
    allowed: ValueSet

    def text(self, digits: int = 6, missing: bool = False) -> str:
        """Write the condition; with `missing` also say that rows without a value are taken."""
        tree = self.tree
        if self.column < 0:
            words = hyperplane_words(tree.arrays, self.node, tree.schema.columns, digits)
            said = condition_words(self.allowed, words, None, digits)
        else:
            column = tree.schema.columns[self.column]
            said = condition_words(self.allowed, column.name, column, digits)
        tells = said.endswith((" is missing", " is missing or new"))
        return f"{said} or missing" if missing and self.allowed.missing and not tells else said

    def holds(self, values: Sequence[float]) -> bool:
        """Whether a row fulfils the condition (where surrogates decide for missing values, of known values only)."""
        if self.column >= 0:
            return values[self.column] in self.allowed
        total, unknown = weighted_sum(self.tree.arrays, self.node, values)
        if unknown > 0.5:
            return self.allowed.missing
        assert isinstance(self.allowed, NumberRange)
        return (
            total in self.allowed if total == total else self.allowed.high is None
        )  # as the core: not at most the cut

    def to_dict(self) -> dict[str, Any]:
        """Give the condition as plain values."""
        names = self.tree.schema.names
        plain: dict[str, Any] = {"text": self.text(), "column": names[self.column] if self.column >= 0 else None}
        if isinstance(self.allowed, LevelSet):
            levels = self.tree.schema.columns[self.column].levels
            plain["levels"] = [levels[code - 1] for code in self.allowed.codes if code <= len(levels)]
        else:
            plain |= {"above": self.allowed.low, "at_most": self.allowed.high}
        return {**plain, "takes_missing": self.allowed.missing}


def branch_values(tree: Tree, node: int, branch: int) -> tuple[Key, ValueSet]:
    """Give what a branch of a node asks of which column (or weighted sum).

    >>> from treewright.tree import example_tree
    >>> branch_values(example_tree(), 2, 1)
    (1, NumberRange(low=82.5, high=None, known=True, missing=True))
    """
    arrays = tree.arrays
    sent = int(arrays["missing_branch"][node])
    missing = sent in (branch, SPREADS)
    if arrays["kind"][node] == HYPERPLANE:
        return _terms(tree, node), _side(float(arrays["threshold"][node]), branch, missing)
    index = int(arrays["column"][node])
    column = tree.schema.columns[index]
    if column.kind == "numeric":
        return index, _numbers(tree, node, branch, missing)
    return index, _levels(tree, node, branch, missing, column)


def _side(threshold: float, branch: int, missing: bool) -> NumberRange:
    if branch == 0:
        return NumberRange(high=None if threshold == float("inf") else threshold, missing=missing)
    is_number = branch == 1 and threshold != float("inf")
    return NumberRange(low=threshold, missing=missing) if is_number else NumberRange(known=False, missing=missing)


def _numbers(tree: Tree, node: int, branch: int, missing: bool) -> NumberRange:
    if tree.arrays["kind"][node] == THRESHOLD:
        return _side(float(tree.arrays["threshold"][node]), branch, missing)
    bounds = bounds_of(tree.arrays, node)
    if branch > len(bounds):
        return NumberRange(known=False, missing=missing)
    low = bounds[branch - 1] if branch else None
    return NumberRange(low, bounds[branch] if branch < len(bounds) else None, missing=missing)


def _levels(tree: Tree, node: int, branch: int, missing: bool, column: Column) -> LevelSet:
    arrays = tree.arrays
    kind = arrays["kind"][node]
    if kind in (THRESHOLD, INTERVALS):  # of an ordinal column, by code
        allowed = _numbers(tree, node, branch, missing)
        bits = all_levels(column) if allowed.known else 0
        if allowed.high is not None:
            bits &= levels_up_to(column, allowed.high)
        if allowed.low is not None:
            bits &= ~levels_up_to(column, allowed.low)
        return LevelSet(bits | missing, bits)
    part = slice(int(arrays["level_start"][node]), int(arrays["level_start"][node + 1]))
    codes, branches = arrays["level"][part], arrays["level_branch"][part]
    named = all_levels(column)
    if missing:
        for code in codes.tolist():
            named &= ~(1 << code)
    return LevelSet.of(codes[branches == branch].tolist(), column, missing, named)


def _terms(tree: Tree, node: int) -> tuple[Any, ...]:
    arrays = tree.arrays
    part = slice(int(arrays["term_start"][node]), int(arrays["term_start"][node + 1]))
    return tuple(tuple(arrays[f"term_{field}"][part].tolist()) for field in _TERM_FIELDS)


Merged = dict[Key, Condition]


def add_branch(tree: Tree, so_far: Merged, node: int, branch: int) -> Merged:
    """Give the merged conditions after one branch more; those so far stay as they are.

    >>> from treewright.tree import example_tree
    >>> [c.text() for c in add_branch(example_tree(), {}, 2, 0).values()]
    ['humidity <= 82.5']
    """
    merged = dict(so_far)
    merge_branch(tree, merged, node, branch)
    return merged


def merge_branch(tree: Tree, merged: Merged, node: int, branch: int) -> None:
    """Put one branch more into merged conditions.

    >>> from treewright.tree import example_tree
    >>> merged = add_branch(example_tree(), {}, 2, 0)
    >>> merge_branch(example_tree(), merged, 0, 0)
    >>> [c.text() for c in merged.values()]
    ['humidity <= 82.5', 'outlook is overcast']
    """
    key, allowed = branch_values(tree, node, branch)
    known = merged.get(key)
    if known is None:
        merged[key] = Condition(tree, node, key if isinstance(key, int) else -1, allowed)
    else:
        both = known.allowed.meet(allowed)  # type: ignore[arg-type]
        merged[key] = Condition(tree, known.node, known.column, both)


def conditions_of(tree: Tree, node: int) -> list[Condition]:
    """Give the conditions of a node, in the order in which its path first asks for them.

    >>> from treewright.tree import example_tree
    >>> conditions_of(example_tree(), 0)
    []
    """
    path = []
    while node:
        parent = tree.node_parent.item(node)
        path.append((parent, tree.node_branch.item(node)))
        node = parent
    return list(merge_path(tree, path[::-1]).values())


def merge_path(tree: Tree, path: Sequence[tuple[int, int]]) -> Merged:
    """Merge the branches (node, branch) of a path.

    The same as `merge_branch` for each of them; cuts of numbers, of which a path may have many, are merged first.

    >>> from treewright.tree import example_tree
    >>> [c.text() for c in merge_path(example_tree(), [(0, 1), (2, 1)]).values()]
    ['outlook is sunny or rain', 'humidity > 82.5']
    """
    arrays, columns = tree.arrays, tree.schema.columns
    nodes = [node for node, _ in path]
    names = ("kind", "column", "threshold", "missing_branch")
    kinds, asked, cuts, sent = (arrays[name][nodes].tolist() for name in names)
    merged: Merged = {}
    ranges: dict[int, list[Any]] = {}
    for (node, branch), kind, column, cut, missing in zip(path, kinds, asked, cuts, sent, strict=True):
        if kind != THRESHOLD or branch > 1 or cut == math.inf or columns[column].kind != "numeric":
            merge_branch(tree, merged, node, branch)
            continue
        takes = missing in (branch, SPREADS)
        bounds = ranges.get(column)
        if bounds is None:
            bounds = ranges[column] = [None, None, takes]
            if column not in merged:  # keeps its place in the order
                merged[column] = Condition(tree, node, column, NumberRange(missing=True))
        if bounds[branch ^ 1] is None or (cut > bounds[0] if branch else cut < bounds[1]):
            bounds[branch ^ 1] = cut
        bounds[2] = bounds[2] and takes
    for column, (low, high, takes) in ranges.items():
        known = merged[column]
        both = NumberRange(low, high, missing=takes).meet(known.allowed)  # type: ignore[arg-type]
        merged[column] = Condition(tree, known.node, column, both)
    return merged


def conditions_by_node(tree: Tree) -> Iterator[tuple[int, Merged]]:
    """Give the merged conditions of every node, parents before children; only those of open branches are kept.

    >>> from treewright.tree import example_tree
    >>> [len(merged) for _, merged in conditions_by_node(example_tree())]
    [0, 1, 1, 2, 2]
    """
    waiting: list[tuple[int, Merged]] = [(0, {})]
    while waiting:
        node, merged = waiting.pop()
        yield node, merged
        children = tree.child_ids(node)
        for branch in reversed(range(len(children))):
            waiting.append((children[branch], add_branch(tree, merged, node, branch)))

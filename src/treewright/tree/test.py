"""The test of one node in words: which column, which branches, and where rows without a value go."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.encode.schema import Column, level_text
from treewright.tree.hyperplane import hyperplane_labels
from treewright.tree.stored import HYPERPLANE, INTERVALS, THRESHOLD
from treewright.tree.wording import name_text, number_text

_LISTED = 6  # levels listed in full; a longer list shows the first few
_SHOWN = 3


@dataclass(frozen=True)
class Branch:
    """One way out of a node: its label, the levels that take it, and whether rows without a value do.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> [branch.label for branch in example_tree().root.test.branches]
    ['outlook is overcast', 'outlook is sunny or rain']
    >>> example_tree().root.test.branches[1].levels
    ('sunny', 'rain')
    """

    label: str
    takes_missing: bool
    column: Column = field(repr=False)
    codes: NDArray[Any] = field(repr=False, compare=False)

    @property
    def levels(self) -> tuple[Any, ...]:
        """The levels that take this branch; empty for a threshold."""
        return tuple(_level(self.column, code) for code in self.codes.tolist())


@dataclass(frozen=True)
class NodeTest:
    """The question that a node asks.

    Attributes
    ----------
    column : str
        Name of the column asked.
    column_index : int
        Its place in the table, from 0.
    kind : str
        "threshold" (x <= t), "levels" (which level), "intervals" (between which bounds), "known" (is there a value at
        all) or "hyperplane" (a weighted sum of several columns <= t; `column` is the one that counts most).
    threshold : float or None
        The t of a threshold or hyperplane; None for the other kinds.
    bounds : tuple of float
        Of intervals: the upper bound of every branch but the last; empty for the other kinds.
    branches : tuple of Branch
        In the order of the node's children.
    missing_branch : int or None
        The branch of rows without a value, or with a level that the node never saw; None if they stop here.
    text : str
        The whole test on one line.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> test = example_tree().node(2).test
    >>> test.text, test.kind, test.threshold
    ('humidity <= 82.5', 'threshold', 82.5)
    """

    column: str
    column_index: int
    kind: str
    threshold: float | None
    branches: tuple[Branch, ...]
    missing_branch: int | None
    text: str
    bounds: tuple[float, ...] = ()


def read_test(arrays: Mapping[str, NDArray[Any]], node: int, columns: tuple[Column, ...], digits: int = 6) -> NodeTest:
    """Read the test of an inner node from the arrays of its tree.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> tree = example_tree()
    >>> read_test(tree.arrays, 0, tree.schema.columns).text
    'outlook: overcast | sunny, rain'
    """
    index = int(arrays["column"][node])
    column = columns[index]
    bounds: tuple[float, ...] = ()
    missing = int(arrays["missing_branch"][node])
    n_branches = int(arrays["n_children"][node])
    if arrays["kind"][node] == THRESHOLD:
        threshold = float(arrays["threshold"][node])
        labels = _threshold_labels(column, threshold, digits)
        codes = [np.empty(0, np.uint32)] * n_branches
        kind, text = "known" if threshold == math.inf else "threshold", labels[0]
    elif arrays["kind"][node] == HYPERPLANE:
        threshold = float(arrays["threshold"][node])
        labels = hyperplane_labels(arrays, node, columns, digits)
        codes = [np.empty(0, np.uint32)] * n_branches
        kind, text = "hyperplane", labels[0]
    elif arrays["kind"][node] == INTERVALS:
        bounds = bounds_of(arrays, node)
        labels = _interval_labels(column, bounds, digits)
        codes = [np.empty(0, np.uint32)] * n_branches
        kind, threshold = "intervals", math.nan
        text = f"{name_text(column.name)} in {len(labels)} intervals: " + ", ".join(labels)
    else:
        codes = codes_by_branch(arrays, node)
        labels = _level_labels(column, codes)
        kind, threshold = "levels", math.nan
        text = f"{name_text(column.name)}: " + " | ".join(map(partial(level_list, column), filter(len, codes)))
    labels += [""] * (n_branches - len(labels))
    labels = [_label(words, column, b == missing) for b, words in enumerate(labels)]
    branches = tuple(Branch(labels[b], b == missing, column, codes[b]) for b in range(n_branches))
    cut = threshold if kind in ("threshold", "hyperplane") else None
    return NodeTest(column.name, index, kind, cut, branches, missing if missing >= 0 else None, text, bounds)


def codes_by_branch(arrays: Mapping[str, NDArray[Any]], node: int) -> list[NDArray[Any]]:
    """Give the level codes of each branch of a node that tests levels.

    >>> from treewright.tree import example_tree
    >>> [codes.tolist() for codes in codes_by_branch(example_tree().arrays, 0)]
    [[2], [1, 3]]
    """
    part = slice(int(arrays["level_start"][node]), int(arrays["level_start"][node + 1]))
    codes, branch = arrays["level"][part], arrays["level_branch"][part]
    order = np.argsort(branch, kind="stable")
    ends = np.searchsorted(branch[order], np.arange(int(arrays["n_children"][node]) + 1))
    return [codes[order[start:end]] for start, end in pairwise(ends.tolist())]


def bounds_of(arrays: Mapping[str, NDArray[Any]], node: int) -> tuple[float, ...]:
    """Give the upper bounds of the branches of a node that tests intervals, without the last one, which has none.

    >>> bounds_of({"interval_start": np.array([0, 2]), "interval_upper": np.array([1.5, 3.0])}, 0)
    (1.5, 3.0)
    """
    part = slice(int(arrays["interval_start"][node]), int(arrays["interval_start"][node + 1]))
    return tuple(arrays["interval_upper"][part].tolist())


def _interval_labels(column: Column, bounds: tuple[float, ...], digits: int) -> list[str]:
    name = name_text(column.name)
    shown = [cut_text(column, bound, digits) for bound in bounds]
    middle = [f"{low} < {name} <= {high}" for low, high in pairwise(shown)]
    return [f"{name} <= {shown[0]}", *middle, f"{name} > {shown[-1]}"]


def _threshold_labels(column: Column, threshold: float, digits: int) -> list[str]:
    name = name_text(column.name)
    if threshold == math.inf:
        return [f"{name} is known"]
    shown = cut_text(column, threshold, digits)
    return [f"{name} <= {shown}", f"{name} > {shown}"]


def cut_text(column: Column, threshold: float, digits: int = 6) -> str:
    """Write a threshold as the values of its column look.

    >>> cut_text(Column("size", "ordinal", "text", ("small", "medium", "large")), 2.0)
    'medium'
    """
    try:
        if column.kind == "ordinal":
            return _level_text(column, math.floor(threshold))
        if column.face != "number":
            return column.show(threshold)
    except (OverflowError, ValueError):  # a moment outside the calendar: 1e300 days, or minus infinity
        pass
    return number_text(threshold, digits)


def _level_labels(column: Column, codes: list[NDArray[Any]]) -> list[str]:
    name = name_text(column.name)
    labels = [f"{name} is {level_list(column, c, last=' or ')}" if len(c) else "" for c in codes]
    longest = max(range(len(codes)), key=lambda b: len(codes[b]))
    if len(codes[longest]) > _LISTED:  # the others are listed, so the longest is what is left
        labels[longest] = f"{name} is any other ({len(codes[longest]):,} levels)"
    return labels


def level_list(column: Column, codes: Sequence[int] | NDArray[Any], last: str = ", ") -> str:
    """List some levels of a column, the first few of many.

    >>> level_list(Column("size", "ordinal", "text", ("small", "medium", "large")), [1, 3], last=" or ")
    'small or large'
    """
    if len(codes) > _LISTED:
        first = ", ".join(_level_text(column, int(code)) for code in codes[:_SHOWN])
        return f"{first} … and {len(codes) - _SHOWN:,} more"
    shown = [_level_text(column, int(code)) for code in codes]
    return ", ".join(shown[:-1]) + last + shown[-1] if len(shown) > 1 else "".join(shown)


def _label(words: str, column: Column, is_missing: bool) -> str:
    """Complete the label of a branch: one that the test has no words for is taken by missing values, or by nothing."""
    return words or f"{name_text(column.name)} is {'missing' if is_missing else 'never here'}"


def _level_text(column: Column, code: int) -> str:
    return name_text(level_text(column.levels[code - 1])) if 1 <= code <= len(column.levels) else f"level {code}"


def _level(column: Column, code: int) -> Any:
    return column.levels[code - 1] if 1 <= code <= len(column.levels) else None

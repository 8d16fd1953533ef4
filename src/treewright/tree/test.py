"""The test of one node in words: which column or sum, which branches, where rows without a value go."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.schema import Column, level_text
from treewright.tree.format import name_text, number_text
from treewright.tree.stored import HYPERPLANE, INTERVALS, THRESHOLD

if TYPE_CHECKING:
    pass


# A test of a weighted sum of columns in words.


def hyperplane_labels(
    arrays: Mapping[str, NDArray[Any]], node: int, columns: tuple[Column, ...], digits: int = 6
) -> list[str]:
    """Word the two branches of a test that asks for a weighted sum.

    Examples
    --------
    >>> import numpy as np
    >>> arrays = {"term_start": np.array([0, 2]), "term_column": np.array([0.0, 1.0]), "term_level": np.zeros(2)}
    >>> arrays |= {"term_weight": np.array([0.7, -1.0]), "threshold": np.array([41.0])}
    >>> hyperplane_labels(arrays, 0, (Column("age", "numeric"), Column("income", "numeric")))
    ['0.7·age - income <= 41', '0.7·age - income > 41']
    """
    words = hyperplane_words(arrays, node, columns, digits)
    shown = number_text(float(arrays["threshold"][node]), digits)
    return [f"{words} <= {shown}", f"{words} > {shown}"]


def hyperplane_words(
    arrays: Mapping[str, NDArray[Any]], node: int, columns: tuple[Column, ...], digits: int = 6
) -> str:
    """Word the weighted sum alone.

    >>> import numpy as np
    >>> arrays = {"term_start": np.array([0, 1]), "term_column": np.array([0.0]), "term_level": np.zeros(1)}
    >>> hyperplane_words(arrays | {"term_weight": np.array([0.7])}, 0, (Column("age", "numeric"),))
    '0.7·age'
    """
    part = slice(int(arrays["term_start"][node]), int(arrays["term_start"][node + 1]))
    words = ""
    fields = (arrays[f"term_{field}"][part].tolist() for field in ("column", "level", "weight"))
    for column, level, weight in zip(*fields, strict=True):
        sign = ("-" if not words else " - ") if weight < 0 else ("" if not words else " + ")
        asked = name_text(columns[int(column)].name)
        if level:
            asked = f"[{asked} is {columns[int(column)].show(int(level))}]"
        # Two digits fewer than thresholds get: a coefficient separates nothing by itself.
        size = number_text(abs(weight), digits if digits >= 17 else max(digits - 2, 1))
        words += f"{sign}{asked}" if size == "1" else f"{sign}{size}·{asked}"
    return words


# The test of one node in words: which column, which branches, and where rows without a value go.


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
    def listed(self) -> str:
        """The condition by itself, without the other branches: a long list of levels begins with its first ones."""
        words = level_list(self.column, self.codes, last=" or ")
        return f"{name_text(self.column.name)} is {words}" if len(self.codes) else self.label

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
        labels = _level_labels(column, codes, branch_of_unseen(arrays, node), node == 0)
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
            return _level_texts(column, [math.floor(threshold)])[0]
        if column.value_type != "number":
            return column.show(threshold)
    except (OverflowError, ValueError):  # a moment outside the calendar: 1e300 days, or minus infinity
        pass
    return number_text(threshold, digits)


def branch_of_unseen(arrays: Mapping[str, NDArray[Any]], node: int) -> int:
    """The branch of levels that the node never saw; -1 where other columns are asked, or the row stops or spreads."""
    start = arrays.get("surrogate_start")
    if start is not None and start[node] < start[node + 1]:
        return -1
    return max(int(arrays["missing_branch"][node]), -1)


def _level_labels(column: Column, codes: list[NDArray[Any]], of_unseen: int, is_root: bool) -> list[str]:
    """Word the branches of a test for levels. A long list is "any other" where all levels that are not listed go there.

    Levels that the column has and the root never saw count too. Further down some of those may have gone another way,
    so that their number would be no number of what comes here.
    """
    name = name_text(column.name)
    labels = [f"{name} is {level_list(column, c, last=' or ')}" if len(c) else "" for c in codes]
    longest = max(range(len(codes)), key=lambda b: len(codes[b]))
    unseen = len(column.levels) - sum(map(len, codes))
    if len(codes[longest]) > _LISTED and (unseen <= 0 or of_unseen == longest):
        number = f"({len(codes[longest]) + max(unseen, 0):,} levels)" if unseen <= 0 or is_root else "level"
        is_all = not any(len(c) for branch, c in enumerate(codes) if branch != longest)  # but what is missing
        labels[longest] = f"{name} is known" if is_all else f"{name} is any other {number}"
    return labels


def level_list(column: Column, codes: Sequence[int] | NDArray[Any], last: str = ", ") -> str:
    """List some levels of a column, the first few of many.

    >>> level_list(Column("size", "ordinal", "text", ("small", "medium", "large")), [1, 3], last=" or ")
    'small or large'
    """
    if len(codes) > _LISTED:
        first = ", ".join(_level_texts(column, codes[:_SHOWN]))
        return f"{first} … and {len(codes) - _SHOWN:,} more"
    shown = _level_texts(column, codes)
    return ", ".join(shown[:-1]) + last + shown[-1] if len(shown) > 1 else "".join(shown)


def _label(words: str, column: Column, is_missing: bool) -> str:
    """Complete the label of a branch: one that the test has no words for is taken by missing values, or by nothing."""
    return words or f"{name_text(column.name)} is {'missing' if is_missing else 'never here'}"


def _level_texts(column: Column, codes: Iterable[int]) -> list[str]:
    known = len(column.levels)
    levels = [column.levels[int(code) - 1] if 1 <= code <= known else f"level {int(code)}" for code in codes]
    return [name_text(level if isinstance(level, str) else level_text(level)) for level in levels]


def _level(column: Column, code: int) -> Any:
    return column.levels[code - 1] if 1 <= code <= len(column.levels) else None

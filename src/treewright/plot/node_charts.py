"""Small charts inside a node: how the asked column lies among its rows, with the cut, by class or over the target."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest
from treewright.learners.trees.tree_lookup import RowLookup
from treewright.plot.scene import Bars, Box, Dots, Mark, Stroke, Words
from treewright.plot.style import EDGE, FAINT, INK, OTHERS
from treewright.plot.text_size import fit, text_width
from treewright.table.encode import EncodedRows
from treewright.table.frame import InputFrame, open_frame, to_table
from treewright.table.schema import Column
from treewright.tree.format import name_text, number_text
from treewright.tree.test import NodeTest
from treewright.tree.tree import Tree

# The training rows again, at the nodes that they pass: what the pictures inside the nodes are made of.


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Target:
    """What is true of the rows: class numbers with their names, numbers, or nothing that is known."""

    classes: tuple[Any, ...] | None = None
    codes: NDArray[np.int64] | None = None
    numbers: Floats | None = None


class NodeRows:
    """Which rows come to which node, with their values and targets.

    Parameters
    ----------
    tree : Tree
    X : table
        The rows, with the columns of the tree.
    y : column, optional
        Their targets.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> tree = tw.DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    >>> [len(NodeRows(tree, X, y).at(node)[0]) for node in range(3)]
    [150, 50, 100]
    """

    def __init__(self, tree: Tree, X: Any, y: Any = None) -> None:
        self.tree = tree
        frame = frame_for(tree, X)
        self.n_rows = frame.n_rows
        self._numbers: dict[int, Floats] = {}
        self.target = _target(tree, y, frame.n_rows)
        lookup = RowLookup(tree, refuse_missing=False)
        self._rows: EncodedRows = lookup.encode(frame)
        start, nodes, shares = lookup.find_leaf_shares(self._rows, 1)
        order = np.argsort(nodes, kind="stable")
        self._ends, self._shares = nodes[order], shares[order]
        self._order = np.repeat(np.arange(frame.n_rows), np.diff(start))[order]

    @cached_property
    def _behind(self) -> NDArray[np.int64]:
        """The number behind the last node of each subtree: nodes are in preorder, so a subtree is a run of them."""
        behind = np.arange(1, self.tree.n_nodes + 1)
        parent = self.tree.node_parent
        for node in range(self.tree.n_nodes - 1, 0, -1):
            behind[parent[node]] = max(behind[parent[node]], behind[node])
        return behind

    def at(self, node: int) -> tuple[NDArray[np.int64], Floats]:
        """Give the rows that come to a node, and the part of each that does (1, unless rows are spread)."""
        part = slice(*np.searchsorted(self._ends, [node, self._behind[node]]).tolist())
        return self._order[part], self._shares[part]

    def path(self, row: int = 0) -> set[int]:
        """Give the nodes that a row passes."""
        parent = self.tree.node_parent
        passed: set[int] = set()
        for node in self._ends[self._order == row].tolist():
            while node >= 0 and node not in passed:
                passed.add(int(node))
                node = int(parent[node])
        return passed

    def numbers(self, column: int) -> Floats:
        """Give a column as numbers, or its level codes as numbers; NaN is missing."""
        if column not in self._numbers:
            self._numbers[column] = self._as_numbers(column)
        return self._numbers[column]

    def n_missing(self, node: int, column: int) -> int:
        """Count the rows at a node that have no value in a column."""
        return int(np.isnan(self.numbers(column)[self.at(node)[0]]).sum())

    def _as_numbers(self, column: int) -> Floats:
        if self._rows.matrix is not None:
            return np.asarray(self._rows.matrix[:, column], dtype=np.float64)
        kind, values, mask = self._rows.parts[column]
        numbers = np.array(values, dtype=np.float64)
        if kind == "levels":
            numbers[numbers == 0] = np.nan
        elif mask is not None:
            numbers[np.asarray(mask) != 0] = np.nan
        return numbers

    def sums(self, node: int) -> Floats:
        """Give the weighted sum that a node with a leaning cut asks for; NaN where a row has no value."""
        arrays = self.tree.arrays
        part = slice(int(arrays["term_start"][node]), int(arrays["term_start"][node + 1]))
        total = np.zeros(self.n_rows)
        fields = (arrays[f"term_{name}"][part].tolist() for name in ("column", "level", "weight", "filler"))
        for column, level, weight, filler in zip(*fields, strict=True):
            values = self.numbers(int(column))
            worth = weight * (values == level) if level else weight * values
            total += np.where(np.isnan(values), filler, worth)
        return total


def frame_for(tree: Tree, X: Any) -> InputFrame:
    """Open a table and put its columns in the order of the tree's; columns that the tree does not have are left out."""
    frame = open_frame(_as_table(X))
    names = tree.schema.names
    if frame.names == names:
        return frame
    if isinstance(_as_table(X), np.ndarray):
        if frame.n_columns != len(names):
            raise DataError(f"The table has {frame.n_columns} columns, but the tree was grown on {len(names)}.")
        return InputFrame(frame.n_rows, names, frame.matrix, frame.columns)
    places = {name: j for j, name in enumerate(frame.names)}
    for name in names:
        if name not in places:
            raise DataError(f"The table has no column '{name}', which the tree was grown on. {nearest(name, places)}")
    return InputFrame(frame.n_rows, names, columns=tuple(frame.column(places[name]) for name in names))


def _as_table(X: Any) -> Any:
    table = to_table(X)
    if isinstance(table, np.ndarray) and table.ndim != 2:
        raise DataError(f"A table has two dimensions, rows and columns. Got {table.ndim}.")
    return table


def _target(tree: Tree, y: Any, n_rows: int) -> Target:
    if y is None:
        return Target(classes=tree.classes)
    truth = np.asarray(y)
    if truth.shape != (n_rows,):
        raise DataError(f"y must have one value for each of the {n_rows:,} rows of X. It has the shape {truth.shape}.")
    if tree.classes is None and truth.dtype.kind in "iufb":
        return Target(numbers=truth.astype(np.float64))
    labels = truth.tolist()
    classes = tree.classes if tree.classes is not None else tuple(sorted(set(labels), key=str))
    number = {label: index for index, label in enumerate(classes)}
    unknown = next((label for label in labels if label not in number), None)
    if unknown is not None or None in labels:
        raise DataError(
            f"y holds {unknown!r}, which is none of the classes of the tree. {nearest(str(unknown), map(str, classes))}"
        )
    return Target(classes=classes, codes=np.array([number[label] for label in labels], dtype=np.int64))


WIDTH = 76.0
_LONGEST_NAME = 72.0  # of a level beside its bar
_HEIGHT = 26.0  # of the part in which bars and dots stand
_TICK = 5.5  # size of the letters at the axis
_BINS = 20
_THINNEST = 2.0  # width of a bar that is mostly outside the range
_DOTS = 150  # of a scatter; more would be a blot
_LEVELS, _FEWER_LEVELS = 6, 4  # that have a bar of their own; where there is little room
_ROW = 7.5  # height of the bar of a level, with its gap


@dataclass(frozen=True)
class Chart:
    """Shapes with their size; the upper left corner is at (0, 0)."""

    height: float
    marks: list[Mark]
    width: float = WIDTH


@dataclass(frozen=True)
class Part:
    """The rows of one node, ready to be counted: values of the column, share of each row, class or number of each."""

    values: Floats
    shares: Floats
    codes: NDArray[np.int64] | None
    numbers: Floats | None
    colours: list[str]

    def known(self) -> Part:
        """Leave out rows without a value."""
        kept = np.isfinite(self.values)
        codes = None if self.codes is None else self.codes[kept]
        numbers = None if self.numbers is None else self.numbers[kept]
        return Part(self.values[kept], self.shares[kept], codes, numbers, self.colours)

    def by_class(self) -> Iterator[tuple[str, Floats, Floats]]:
        """Give colour, values and shares of each class that is there; all rows in grey where classes are not known."""
        if self.codes is None:
            yield OTHERS, self.values, self.shares
            return
        for code in np.unique(self.codes).tolist():
            own = self.codes == code
            yield self.colours[code], self.values[own], self.shares[own]


def node_chart(
    rows: NodeRows, node: int, test: NodeTest, colours: list[str], marked: float | None = None, note: str = ""
) -> Chart:
    """Draw the rows of a node by what it asks.

    `marked` is the value of a row whose path is shown. `note` is written under the axis where there is one; with it
    charts of levels are shorter, too.
    """
    part = _part(rows, node, test, colours)
    column = rows.tree.schema.columns[test.column_index]
    if test.kind == "known":
        return _level_chart(
            _known_or_not(part), Column(column.name, "nominal", "text", ("known", "missing")), test, None
        )
    if test.kind == "levels":
        return _level_chart(part.known(), column, test, marked, _FEWER_LEVELS if note else _LEVELS)
    cuts = list(test.bounds) if test.kind == "intervals" else [float(test.threshold or 0.0)]
    axis = column if test.kind != "hyperplane" else Column("sum", "numeric")
    known = part.known()
    if len(known.values) == 0:
        return Chart(_TICK + 4, [Words(WIDTH / 2, _TICK, "no rows", _TICK, FAINT, anchor="middle")])
    span = _Span.of(known.values, cuts, marked)
    drawn = _scatter(known, span, cuts) if known.numbers is not None else _histogram(known, span, cuts[0])
    n_missing = len(part.values) - len(known.values)
    note = note or (f"{n_missing:,} missing" if n_missing else "")
    return Chart(_HEIGHT + _TICK + 5.5, [*drawn, *_axis(span, axis, cuts, marked, note)])


def _part(rows: NodeRows, node: int, test: NodeTest, colours: list[str]) -> Part:
    here, shares = rows.at(node)
    values = rows.sums(node) if test.kind == "hyperplane" else rows.numbers(test.column_index)
    target = rows.target
    codes = None if target.codes is None else target.codes[here]
    numbers = None if target.numbers is None else target.numbers[here]
    return Part(values[here], shares, codes, numbers, colours)


def _known_or_not(part: Part) -> Part:
    return Part(np.where(np.isnan(part.values), 2.0, 1.0), part.shares, part.codes, part.numbers, part.colours)


@dataclass(frozen=True)
class _Span:
    """From where to where an axis goes."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Floats, cuts: list[float], marked: float | None) -> _Span:
        more = [] if marked is None or not np.isfinite(marked) else [marked]
        low, high = min([values.min(), *cuts, *more]), max([values.max(), *cuts, *more])
        return cls(float(low), float(high)) if high > low else cls(float(low) - 0.5, float(high) + 0.5)

    def across(self, value: Floats | float) -> Floats:
        """Where a value stands between the left and the right edge; halves first, so that no difference overflows."""
        return np.asarray((value / 2 - self.low / 2) / (self.high / 2 - self.low / 2) * WIDTH, dtype=np.float64)


def _histogram(part: Part, span: _Span, cut: float) -> list[Mark]:
    """Stack the classes on each other, the first at the bottom.

    Bars end at the cut, so that none of them holds rows of both sides; what equals the cut is left of it, as in the
    tree.
    """
    step, origin = WIDTH / _BINS, float(span.across(cut))
    first = min(math.floor(-origin / step), -1)  # bars are counted from the cut: -1 ends there, 0 starts there
    n_bars = max(math.ceil((WIDTH - origin) / step), 1) - first
    stacks = []
    for colour, values, shares in part.by_class():
        place = np.ceil((span.across(values) - origin) / step).astype(np.int64) - 1
        place = np.where(values <= cut, np.minimum(place, -1), np.maximum(place, 0)) - first  # whatever rounding says
        stacks.append((colour, np.bincount(np.clip(place, 0, n_bars - 1), shares, minlength=n_bars)))
    highest = max(float(np.sum([heights for _, heights in stacks], axis=0).max()), 1e-300)
    marks: list[Mark] = []
    below = np.zeros(n_bars)
    for colour, counts in stacks:
        heights = counts / highest * _HEIGHT
        tops = _HEIGHT - below - heights
        bars = []
        for b in np.flatnonzero(heights > 0).tolist():
            left, right = origin + (b + first) * step, origin + (b + first + 1) * step
            left, right = max(left, min(0.0, right - _THINNEST)), min(right, max(WIDTH, left + _THINNEST))
            bars.append((left, float(tops[b]), right - left - 0.4, float(heights[b])))
        marks.append(Bars(tuple(bars), colour))
        below += heights
    return marks


def _scatter(part: Part, span: _Span, cuts: list[float]) -> list[Mark]:
    """Put the target over the column, and the mean of each side as a line."""
    assert part.numbers is not None
    low, high = float(part.numbers.min()), float(part.numbers.max())
    size = (high - low) or 1.0
    up = (1 - (part.numbers - low) / size) * (_HEIGHT - 4) + 2
    across = span.across(part.values)
    order = np.argsort(part.values, kind="stable")
    shown = order[np.unique(np.linspace(0, len(order) - 1, min(_DOTS, len(order))).astype(np.int64))]
    marks: list[Mark] = [Dots(tuple(zip(across[shown].tolist(), up[shown].tolist(), strict=True)), "#7fb2d6", 1.8)]
    edges = [span.low, *cuts, span.high]
    for side, (start, end) in enumerate(pairwise(edges)):
        own = np.searchsorted(np.asarray(cuts), part.values, side="left") == side
        if own.any():
            mean = float(np.average(up[own], weights=part.shares[own]))
            marks.append(Stroke(((float(span.across(start)), mean), (float(span.across(end)), mean)), "#d55e00", 1.3))
    return marks


def _axis(span: _Span, column: Column, cuts: list[float], marked: float | None, note: str) -> list[Mark]:
    marks: list[Mark] = [Stroke(((0, _HEIGHT), (WIDTH, _HEIGHT)), EDGE, 0.5)]
    for cut in cuts:
        x = float(span.across(cut))
        marks.append(Stroke(((x, 0), (x, _HEIGHT)), INK, 0.7, dashed=True))
        wedge = ((x, _HEIGHT + 0.6), (x - 2.4, _HEIGHT + 4.6), (x + 2.4, _HEIGHT + 4.6))
        marks.append(Stroke(wedge, fill=INK, closed=True))
    if marked is not None and np.isfinite(marked):
        x = float(span.across(marked))
        marks.append(Stroke(((x, 3), (x - 3, -2.5), (x + 3, -2.5)), "#ffffff", 0.6, INK, closed=True))
    base = _HEIGHT + _TICK + 4.5
    low, high = axis_text(column, span.low), axis_text(column, span.high)
    marks += [Words(0, base, low, _TICK, FAINT), Words(WIDTH, base, high, _TICK, FAINT, anchor="end")]
    left, right = text_width(low, _TICK), text_width(high, _TICK)
    if note and left + right + text_width(note, _TICK) < WIDTH - 6:
        marks.append(Words((WIDTH + left - right) / 2, base, note, _TICK, FAINT, anchor="middle"))
    return marks


def axis_text(column: Column, value: float) -> str:
    """Write a value at the end of an axis, shortly.

    >>> axis_text(Column("age", "numeric"), 41.23456), axis_text(Column("born", "numeric", "date"), 0.0)
    ('41.2', '1970-01-01')
    """
    if column.kind == "ordinal":
        code = min(max(round(value), 1), len(column.levels))
        return fit(name_text(column.show(code)), WIDTH * 0.45, _TICK)
    if column.value_type != "number":
        try:
            return column.show(value)
        except (OverflowError, ValueError):
            pass
    return number_text(float(f"{value:.3g}"), 3)


def _level_chart(part: Part, column: Column, test: NodeTest, marked: float | None, most_levels: int = _LEVELS) -> Chart:
    """One bar (or, for numbers, one box) for each level, branch by branch."""
    wanted = _levels_by_branch(part, test, most_levels)
    marks: list[Mark] = []
    names = [name_text(column.show(codes[0])) if len(codes) == 1 else f"{len(codes)} others" for codes, _ in wanted]
    longest = max((text_width(name, _TICK, True) for name in names), default=0.0)
    room = min(max(longest + 3, 0.42 * WIDTH), _LONGEST_NAME)
    width = max(WIDTH, room + 0.58 * WIDTH)
    y = 0.0
    most = max((float(part.shares[_own(part, codes)].sum()) for codes, _ in wanted), default=1.0) or 1.0
    for place, (codes, branch) in enumerate(wanted):
        if place and branch != wanted[place - 1][1]:
            marks.append(Stroke(((0, y), (width, y)), EDGE, 0.5, dashed=True))
            y += 1.5
        bold = marked is not None and int(marked) in codes
        marks.append(Words(0, y + _ROW - 2.1, fit(names[place], room - 2, _TICK, bold), _TICK, INK, bold))
        row = _box_row if part.numbers is not None else _bar_row
        marks += row(part, _own(part, codes), (room, width), y, most)
        y += _ROW
    return Chart(max(y, _ROW) + 1, marks, width)


def _own(part: Part, codes: list[int]) -> NDArray[np.bool_]:
    return np.isin(part.values, codes)


def _levels_by_branch(part: Part, test: NodeTest, most_levels: int) -> list[tuple[list[int], int]]:
    """Give the levels that have a row of their own, with their branch; small ones of a branch share a row."""
    if test.kind == "known":
        return [([1], 0), ([2], 1)]
    codes, sizes = np.unique(part.values.astype(np.int64), return_inverse=True)
    counts = dict(zip(codes.tolist(), np.bincount(sizes, part.shares).tolist(), strict=True))
    large = set(sorted(counts, key=lambda code: (-counts[code], code))[:most_levels])
    wanted: list[tuple[list[int], int]] = []
    for number, branch in enumerate(test.branches):
        here = [code for code in branch.codes.tolist() if counts.get(code, 0.0) > 0]
        wanted += [([code], number) for code in here if code in large]
        small = [code for code in here if code not in large]
        wanted += [(small, number)] if small else []
    return wanted


def _bar_row(part: Part, own: NDArray[np.bool_], span: tuple[float, float], y: float, most: float) -> list[Mark]:
    chosen = Part(
        part.values[own], part.shares[own], None if part.codes is None else part.codes[own], None, part.colours
    )
    marks: list[Mark] = []
    x, right = span
    for colour, _, shares in chosen.by_class():
        width = float(shares.sum()) / most * (right - span[0])
        marks.append(Bars(((x, y + 0.8, width, _ROW - 2.0),), colour))
        x += width
    return marks


def _box_row(part: Part, own: NDArray[np.bool_], span: tuple[float, float], y: float, most: float) -> list[Mark]:
    """A box from quartile to quartile with the median, and a line from the lowest to the highest."""
    assert part.numbers is not None
    if not own.any():
        return []
    low, high = float(part.numbers.min()), float(part.numbers.max())
    left, right = span
    scale = (right - left) / ((high - low) or 1.0)
    lowest, q1, median, q3, highest = (
        left + scale * (np.quantile(part.numbers[own], [0, 0.25, 0.5, 0.75, 1]) - low)
    ).tolist()
    middle, half = y + _ROW / 2 - 0.4, _ROW / 2 - 1.4
    return [
        Stroke(((lowest, middle), (highest, middle)), EDGE, 0.6),
        Box(q1, middle - half, max(q3 - q1, 0.6), 2 * half, "#7fb2d6", None),
        Stroke(((median, middle - half), (median, middle + half)), "#d55e00", 1.2),
    ]

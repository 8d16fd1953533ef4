"""Small charts inside a node: how the asked column lies among its rows, with the cut, by class or over the target."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.draw.node_rows import NodeRows
from treewright.draw.palette import EDGE, FAINT, INK, OTHERS
from treewright.draw.scene import Bars, Box, Dots, Mark, Stroke, Words
from treewright.draw.text_size import fit, text_width
from treewright.encode.schema import Column
from treewright.tree.test import NodeTest
from treewright.tree.wording import name_text, number_text

Floats = NDArray[np.float64]

WIDTH = 76.0
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
    if column.face != "number":
        try:
            return column.show(value)
        except (OverflowError, ValueError):
            pass
    return number_text(float(f"{value:.3g}"), 3)


def _level_chart(part: Part, column: Column, test: NodeTest, marked: float | None, most_levels: int = _LEVELS) -> Chart:
    """One bar (or, for numbers, one box) for each level, branch by branch."""
    wanted = _levels_by_branch(part, test, most_levels)
    marks: list[Mark] = []
    room = 0.42 * WIDTH
    y = 0.0
    most = max((float(part.shares[_own(part, codes)].sum()) for codes, _ in wanted), default=1.0) or 1.0
    for place, (codes, branch) in enumerate(wanted):
        if place and branch != wanted[place - 1][1]:
            marks.append(Stroke(((0, y), (WIDTH, y)), EDGE, 0.5, dashed=True))
            y += 1.5
        text = name_text(column.show(codes[0])) if len(codes) == 1 else f"{len(codes)} others"
        bold = marked is not None and int(marked) in codes
        marks.append(Words(0, y + _ROW - 2.1, fit(text, room - 2, _TICK, bold), _TICK, INK, bold))
        row = _box_row if part.numbers is not None else _bar_row
        marks += row(part, _own(part, codes), room, y, most)
        y += _ROW
    return Chart(max(y, _ROW) + 1, marks)


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


def _bar_row(part: Part, own: NDArray[np.bool_], left: float, y: float, most: float) -> list[Mark]:
    chosen = Part(
        part.values[own], part.shares[own], None if part.codes is None else part.codes[own], None, part.colours
    )
    marks: list[Mark] = []
    x = left
    for colour, _, shares in chosen.by_class():
        width = float(shares.sum()) / most * (WIDTH - left)
        marks.append(Bars(((x, y + 0.8, width, _ROW - 2.0),), colour))
        x += width
    return marks


def _box_row(part: Part, own: NDArray[np.bool_], left: float, y: float, most: float) -> list[Mark]:
    """A box from quartile to quartile with the median, and a line from the lowest to the highest."""
    assert part.numbers is not None
    if not own.any():
        return []
    low, high = float(part.numbers.min()), float(part.numbers.max())
    scale = (WIDTH - left) / ((high - low) or 1.0)
    lowest, q1, median, q3, highest = (
        left + scale * (np.quantile(part.numbers[own], [0, 0.25, 0.5, 0.75, 1]) - low)
    ).tolist()
    middle, half = y + _ROW / 2 - 0.4, _ROW / 2 - 1.4
    return [
        Stroke(((lowest, middle), (highest, middle)), EDGE, 0.6),
        Box(q1, middle - half, max(q3 - q1, 0.6), 2 * half, "#7fb2d6", None),
        Stroke(((median, middle - half), (median, middle + half)), "#d55e00", 1.2),
    ]

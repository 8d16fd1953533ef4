"""Rows that try a formula where exports go wrong, and how far apart the sums of two runtimes may be there.

They are made from the formula, not from data: every level, levels that nobody knows, no value, numbers at which an
input is filled or centred, very large and very small ones; and many drawn rows, since the last bit of a coefficient
shows in some rows only. Numbers stay within 1e100 and 1e-100, unless an input is kept within a reach: beyond them
products are no numbers, which PostgreSQL refuses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from treewright.export.arriving_rows import DATES, Cell
from treewright.export.formula import CLIP, CLIP_FROM, ONE, Bells, Formula, Input, Piece, Unit
from treewright.export.probes import date_cells, row_key, some_cell, unknown_levels, without_holes

Floats = NDArray[np.float64]
_MOST_ROWS = 12_000
_MOST_PRODUCTS = 8_000_000  # of all rows: an export in plain Python does them one by one
_FEWEST_DRAWN, _MOST_DRAWN = 300, 2_000
_MOST_TURNS = 12  # of a curve or of bells
_PER_CELL = 6  # rows in which a cell meets others
_UNIT = 2.0**-52
_ROWS_OF_BELLS = 1_024
_TANH_UNITS, _EXP_UNITS = 4, 2  # by which two libraries differ at most
_END_OF_TANH = 25.0  # 1 - tanh is less than a thousandth of a unit there


def formula_probes(formula: Formula) -> list[list[Cell]]:
    """Give rows of cells, in the order of the columns that the formula uses.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_formula import formula_of
    >>> rows = formula_probes(formula_of(tw.LinearRegression().fit([[1], [2]], [10, 20])))
    >>> [row[0] for row in rows][:3], len(rows) > 400
    ([None, 0.0, -0.0], True)
    """
    columns = [formula.columns[place] for place in formula.used]
    rows: dict[tuple[object, ...], list[Cell]] = {}
    special = [_special_cells(formula, place) for place in formula.used]
    of_columns = 1 + sum(map(len, special))
    most = max(of_columns + _FEWEST_DRAWN, _MOST_PRODUCTS // max(1, formula.n_terms))
    for row in islice(_all_rows(formula, special), min(_MOST_ROWS, most)):
        taken = row if formula.takes_missing else without_holes(columns, row)
        if taken is not None:
            rows.setdefault(row_key(taken), taken)
    return list(rows.values())


def _all_rows(formula: Formula, special: list[list[Cell]]) -> Iterator[list[Cell]]:
    """First every cell of each column, so that a limit leaves out the least worth."""
    rng = np.random.default_rng(0)
    plain = [some_cell(formula.columns[place]) for place in formula.used]
    yield [None] * len(plain)
    for at, cells in enumerate(special):
        for cell in cells:
            yield [cell if i == at else other for i, other in enumerate(plain)]
    for _ in range(_MOST_DRAWN):
        yield [_drawn_cell(formula, place, rng) for place in formula.used]
    for at, cells in enumerate(special):
        for cell in cells:
            for _ in range(_PER_CELL):
                others = [_drawn_cell(formula, place, rng) for place in formula.used]
                yield [cell if i == at else other for i, other in enumerate(others)]


def _special_cells(formula: Formula, place: int) -> list[Cell]:
    column = formula.columns[place]
    if column.kind != "numeric":
        return [*column.levels, *unknown_levels(column), None]
    if column.value_type in DATES:
        return [*date_cells(column.value_type, 10_000.0), None]
    turns = {turn for entry in formula.inputs if entry.column == place for turn in (entry.fill, entry.center)}
    turns |= _turns_of_units(formula, place)
    near = [number for turn in sorted(turns - {0.0}) for number in (turn, math.nextafter(turn, math.inf))]
    most = 10.0 ** min(100.0, 150.0 / formula.power)  # a power of it is a number still
    large, small = min(1e15, most), 1.0 / most
    reaches = {entry.reach for entry in formula.inputs if entry.column == place and math.isfinite(entry.reach)}
    beyond = [sign * 2 * reach for reach in sorted(reaches) for sign in (1.0, -1.0)]
    return [0.0, -0.0, 1.0, -1.0, *near, large, -large, most, -most, *beyond, small, -small, None]


def _turns_of_units(formula: Formula, place: int) -> set[float]:
    """Where curves of a column go from one piece to the next, and where some of its bells stand."""
    turns: set[float] = set()
    for unit in formula.units:
        if not unit.curve and unit.bells is None:
            continue
        entry = formula.inputs[unit.terms[0][0]]
        if entry.column == place:
            places = unit.bells.places if unit.bells else [piece.cut for piece in unit.curve[1:]]
            some = places[:: max(1, len(places) // _MOST_TURNS)]
            turns |= {at * entry.scale + entry.center for at in some}
    return turns


def _drawn_cell(formula: Formula, place: int, rng: np.random.Generator) -> Cell:
    column = formula.columns[place]
    if rng.random() < 0.1:
        return None
    if column.kind != "numeric":
        return column.levels[int(rng.integers(len(column.levels)))] if column.levels else None
    entry = next(entry for entry in formula.inputs if entry.column == place)
    spread = abs(entry.scale) if entry.scale != 1.0 else max(abs(entry.fill), 1.0)
    number = entry.fill + float(rng.normal()) * spread * float(rng.choice([0.1, 1.0, 3.0, 1e3]))
    return date_cells(column.value_type, number)[0] if column.value_type in DATES else number


def codes_of(formula: Formula, rows: list[list[Cell]]) -> Floats:
    """Give rows of cells as numbers and codes of levels, rows × all columns; NaN where there is no value."""
    codes = np.full((len(rows), len(formula.columns)), np.nan)
    for at, place in enumerate(formula.used):
        column = formula.columns[place]
        known = {level: code for code, level in enumerate(column.levels, start=1)}
        cells = [row[at] for row in rows]
        found = [cell if column.kind == "numeric" else known.get(cell) for cell in cells]
        codes[:, place] = [math.nan if number is None else float(number) for number in found]
    return codes


# ---------------------------------------------------------------- how far apart sums may be


def score_slack(formula: Formula, codes: Floats) -> Floats | None:
    """Give by how much two runtimes may differ in each score of each row; None where they may not at all.

    tanh and exp may be off by a few units in the last place. What that makes of the sums behind them is followed
    through the formula: each source brings its own slack times its weight, and rounding adds a unit a term.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_formula import formula_of
    >>> network = tw.MLPRegressor(2, "tanh", max_iter=2).fit([[1], [2]], [10, 20])
    >>> bool((score_slack(formula_of(network), np.array([[1.0]])) < 1e-13).all())
    True
    """
    if formula.has_exact_scores:
        return None
    values = np.zeros((len(codes), len(formula.inputs) + len(formula.units)))
    slack = np.zeros_like(values)
    values[:, : len(formula.inputs)] = input_values(formula, codes)
    for place, unit in enumerate(formula.units, start=len(formula.inputs)):
        sources, weights = [source for source, _ in unit.terms], np.array([weight for _, weight in unit.terms])
        parts = values[:, sources] * weights
        total, size = parts.sum(axis=1), np.abs(parts).sum(axis=1)
        brought = slack[:, sources] @ np.abs(weights)
        off = np.where(brought > 0, brought + (len(sources) + 1) * _UNIT * size, 0.0)
        value, off = shaped(unit, total, off)
        if unit.times >= 0:
            off = off * np.abs(values[:, unit.times]) + slack[:, unit.times] * np.abs(value)
            value = value * values[:, unit.times]
        if unit.gate >= 0:
            there = ~np.isnan(codes[:, unit.gate])
            value, off = value * there, off * there
        values[:, place], slack[:, place] = value / unit.divisor, off / abs(unit.divisor)
    return slack[:, list(formula.outputs)]


def input_values(formula: Formula, codes: Floats) -> Floats:
    """Give the inputs of rows: rows × inputs."""
    none = np.full(len(codes), np.nan)
    return np.column_stack(
        [input_value(entry, none if entry.column == ONE else codes[:, entry.column]) for entry in formula.inputs]
    )


def input_value(entry: Input, x: Floats) -> Floats:
    """Give what an input makes of the cells of its column."""
    gone = np.isnan(x)
    x = x if entry.level == 0 else gone * 1.0 if entry.level < 0 else (x == entry.level) * 1.0
    x = x if entry.level < 0 else np.where(gone, entry.fill, x)
    made: Floats = np.clip((x - entry.center) / entry.scale, -entry.reach, entry.reach)
    return made


def shaped(unit: Unit, total: Floats, off: Floats) -> tuple[Floats, Floats]:
    """Give what a unit makes of sums, and how far off it may be where they may be off.

    Far from 0 tanh is 1 or -1 in every library: what stands behind it shows to the last bit.
    """
    shape = unit.shape
    if unit.bells is not None:
        return _over_bells(unit.bells, total, off)
    if shape == "curve":
        return _along_curve(unit.curve, total), off
    if shape == "square":
        return total * total, 2 * np.abs(total) * off
    if shape == "exp":
        value = np.exp(total)
        return value, value * (off + _EXP_UNITS * _UNIT)
    if shape in ("sin", "cos"):
        value = np.sin(total) if shape == "sin" else np.cos(total)
        return value, off + _TANH_UNITS * _UNIT * np.abs(value)
    if shape == "tanh":
        value, at_end = np.tanh(total), np.abs(total) - off >= _END_OF_TANH
        return value, np.where(at_end, 0.0, off + _TANH_UNITS * _UNIT * np.abs(value))
    if shape in ("sigmoid", "expit"):
        half = np.tanh(0.5 * total)
        value, at_end = 0.5 * half + 0.5, np.abs(total) - off >= 2 * _END_OF_TANH
        if shape == "sigmoid":
            own = 0.5 * _TANH_UNITS * _UNIT * np.abs(half) + _UNIT * value
            return value, np.where(at_end, 0.0, 0.25 * off + own)
        return value, np.where(at_end & (total > 0), 0.0, 0.25 * off + _EXP_UNITS * _UNIT * value)
    return _SLOPE_WITHIN_ONE.get(shape, np.asarray)(total), off


def _smooth_clip(x: Floats) -> Floats:
    near = np.clip(x, -CLIP_FROM, CLIP_FROM)
    third = near / CLIP
    return np.where(near == x, near / np.sqrt(1.0 + third * third), np.copysign(CLIP, x))


_SLOPE_WITHIN_ONE: dict[str, Callable[[Floats], Floats]] = {
    "relu": lambda x: np.maximum(x, 0.0),
    "smooth_clip": _smooth_clip,
}


def _along_curve(curve: tuple[Piece, ...], x: Floats) -> Floats:
    """Follow a curve to many places, with the bits of `formula.along`."""
    at = np.searchsorted([piece.cut for piece in curve], x, side="right") - 1
    away = x - np.array([piece.origin for piece in curve])[at]
    n_numbers = np.array([len(piece.numbers) for piece in curve])
    numbers = np.array([[*piece.numbers, *[0.0] * (n_numbers.max() - len(piece.numbers))] for piece in curve])
    value, power = np.zeros(len(x)), np.ones(len(x))
    for place in range(n_numbers.max()):
        value = np.where(place < n_numbers[at], value + numbers[at, place] * power, value)
        power = power * away
    return value


def _over_bells(bells: Bells, x: Floats, off: Floats) -> tuple[Floats, Floats]:
    """The logarithm of a sum of bells: exp and log may be off, and the sum may be added up in another order."""
    value, slack = np.empty(len(x)), np.empty(len(x))
    logs, places = np.array(bells.logs), np.array(bells.places)
    for start in range(0, len(x), _ROWS_OF_BELLS):
        part = slice(start, start + _ROWS_OF_BELLS)
        terms = logs - 0.5 * ((x[part, None] - places) / bells.width) ** 2
        highest = terms.max(axis=1)
        total = np.exp(terms - highest[:, None]).sum(axis=1)
        value[part] = highest + np.log(total)
        more = (_EXP_UNITS + len(places)) * _UNIT + _EXP_UNITS * _UNIT * np.log(total)
        is_lost = _UNIT * np.abs(highest) > 8 * (np.log(total) + more)  # far out the highest term is the sum
        slack[part] = np.where(is_lost, 0.0, more + _UNIT * np.abs(value[part]))
    return value, slack


def unit_sum(unit: Unit, values: Floats) -> Floats:
    """Add the terms of a unit up in all rows, in their order, as `formula.evaluate` does."""
    total, product = np.zeros(len(values)), np.empty(len(values))
    for source, weight in unit.terms:
        part = values[:, source]
        if math.isfinite(weight):
            np.multiply(part, weight, out=product)
            total += product
        else:
            total += np.where(part != 0.0, weight, 0.0) * np.abs(part)
    return total


def unit_values(unit: Unit, values: Floats, codes: Floats) -> Floats:
    """Give what a unit makes of its sum in all rows."""
    total = unit_sum(unit, values)
    made = shaped(unit, total, np.zeros(len(total)))[0]
    if unit.times >= 0:
        made = made * values[:, unit.times]
    made = made / unit.divisor
    return np.where(np.isnan(codes[:, unit.gate]), 0.0, made) if unit.gate >= 0 else made

"""Proofs that a changed formula answers every row as the first one does, as far as libraries let anyone see.

That there is none here says nothing.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
from scipy.optimize import linprog

from export.left_open import is_left_open
from treewright.export.formula import ONE, Formula, Unit, _input_value, _unit_value
from treewright.learners.neural_network.inputs import CLIP

Pair = tuple[float, float]  # a constant in the two formulas
Range = tuple[float, float]  # between what a value lies in both of them
SAME, OTHER = "same", "other"  # not constant: the same in both, or maybe another
NUMBER = "number"  # a cell with any number
EVEN = ("square", "cos")  # shapes that answer a number and the same below 0 alike
ENDS = {"tanh": (-1.0, 0.0, 1.0), "sigmoid": (0.0, 1.0)}  # where every library has the same bits
LEAST_OF_END = 15.0  # a sum whose tanh is nearer to 0 is at no end
MOST_CASES = 5_000
MOST_HALVINGS = 10  # of the ranges that numbers are drawn in to, where the whole range tells too little


def is_shown_to_be_none(formula: Formula, mutant: Formula) -> bool:
    """Say whether it can be shown that no row tells the two apart."""
    inputs = [at for at in range(len(formula.inputs)) if formula.inputs[at] != mutant.inputs[at]]
    units = [at for at in range(len(formula.units)) if formula.units[at] != mutant.units[at]]
    if formula.outputs != mutant.outputs or len(inputs) + len(units) != 1:
        return False
    return _same_in_all_cases(formula, mutant) or (bool(units) and _lost_behind_ends(formula, mutant, units[0]))


# ---------------------------------------------------------------- every case of levels and missing values


def _same_in_all_cases(formula: Formula, mutant: Formula) -> bool:
    """Follow constants through both formulas, whatever the numbers are."""
    cases = [_states(formula, place) for place in formula.used]
    if math.prod(map(len, cases)) > MOST_CASES:
        return False
    told = (dict(zip(formula.used, case, strict=True)) for case in product(*cases))
    return all(_same_in_case(formula, mutant, case) or _open_in_case(formula, mutant, case) for case in told)


def _open_in_case(formula: Formula, mutant: Formula, case: dict[int, float | str]) -> bool:
    gone = [_is_gone(unit, case) for unit in formula.units]
    return is_left_open(formula, mutant, _inputs(formula, mutant, case)[0], gone, _both)


def _is_gone(unit: Unit, case: dict[int, float | str]) -> bool:
    gate = case.get(unit.gate, 0.0)
    return not isinstance(gate, str) and math.isnan(gate)


def _states(formula: Formula, place: int) -> list[float | str]:
    """What a cell may be: no value, a level, or any number, within the reach of its inputs or beyond."""
    column = formula.columns[place]
    known = [NUMBER] if column.kind == "numeric" else list(map(float, range(1, len(column.levels) + 1)))
    bounded = any(entry.column == place and math.isfinite(entry.reach) for entry in formula.inputs)
    far = [math.inf, -math.inf] if bounded else []
    return [*known, *far, *([math.nan] if formula.takes_missing else [])]


def _same_in_case(formula: Formula, mutant: Formula, case: dict[int, float | str]) -> bool:
    """Whether both answer alike in a case; where numbers are drawn in, in every part of what they are drawn in to."""
    windows = {
        len(formula.inputs) + at: (-CLIP, CLIP)
        for at, unit in enumerate(formula.units)
        if unit.shape == "smooth_clip" and unit == mutant.units[at] and len(unit.terms) == 1
    }
    return _same_in_windows(formula, mutant, case, windows, MOST_HALVINGS if windows else 0)


def _same_in_windows(
    formula: Formula, mutant: Formula, case: dict[int, float | str], windows: dict[int, Range], halvings: int
) -> bool:
    values, ranges = _inputs(formula, mutant, case)
    for first, second in zip(formula.units, mutant.units, strict=True):
        gone, at = _is_gone(first, case), len(values)
        reach = windows[at] if at in windows else _reach(first, second, ranges)
        value = (0.0, 0.0) if gone or reach == (0.0, 0.0) else _both(first, second, values, ranges)
        values.append(value)
        ranges.append((min(value), max(value)) if isinstance(value, tuple) else reach)
    outputs = [values[place] for place in formula.outputs]
    if all(value == SAME or (isinstance(value, tuple) and value[0] == value[1]) for value in outputs):
        return True
    open_ones = [at for at in windows if not isinstance(values[at], tuple)]
    if not open_ones or not halvings:
        return False
    widest = max(open_ones, key=lambda at: windows[at][1] - windows[at][0])
    low, high = windows[widest]
    middle = (low + high) / 2
    return all(
        _same_in_windows(formula, mutant, case, {**windows, widest: half}, halvings - 1)
        for half in ((low, middle), (middle, high))
    )


def _inputs(formula: Formula, mutant: Formula, case: dict[int, float | str]) -> tuple[list[Pair | str], list[Range]]:
    values: list[Pair | str] = []
    for first, second in zip(formula.inputs, mutant.inputs, strict=True):
        cell = math.nan if first.column == ONE else case[first.column]
        if isinstance(cell, str):
            is_same = replace(first, fill=0.0, reach=0.0) == replace(second, fill=0.0, reach=0.0)
            flag = (_input_value(first, 0.0), _input_value(second, 0.0))  # of a missing value: there is one
            values.append(flag if first.level < 0 else SAME if is_same else OTHER)
        else:
            values.append((_input_value(first, cell), _input_value(second, cell)))
    return values, [(min(v), max(v)) if isinstance(v, tuple) else (-math.inf, math.inf) for v in values]


def _reach(first: Unit, second: Unit, ranges: list[Range]) -> Range:
    """Between what a unit lies in both formulas, as far as the ranges of what it adds up tell."""
    low = high = size = 0.0
    is_below = True  # then no rounding brings the sum above 0
    for (source, a), (_, b) in zip(first.terms, second.terms, strict=True):
        ends = [weight * end if weight and end else 0.0 for weight in (a, b) for end in ranges[source]]
        low, high, size = low + min(ends), high + max(ends), size + max(map(abs, ends))
        is_below = is_below and max(ends) <= 0
    rounding = 1e-9 * size if math.isfinite(size) else math.inf
    if first.times >= 0 or (first.divisor, second.divisor) != (1.0, 1.0):
        return -math.inf, math.inf
    if first.shape == "relu":
        return (0.0, 0.0) if is_below or high + rounding < 0 else (0.0, high + rounding)
    return (low - rounding, high + rounding) if first.shape == "linear" else (-math.inf, math.inf)


def _both(first: Unit, second: Unit, values: list[Pair | str], ranges: list[Range] | None = None) -> Pair | str:
    total: Pair | str = (0.0, 0.0)
    around = (0.0, 0.0)  # between what the sum lies by now
    floors = _floors(first, second, ranges)
    for floor, (source, a), (_, b) in zip(floors, first.terms, second.terms, strict=True):
        value = values[source]
        part: Pair | str
        if isinstance(value, tuple):
            part = (a * value[0] if value[0] else 0.0, b * value[1] if value[1] else 0.0)
        else:
            part = value if a == b or (first.shape in EVEN and len(first.terms) == 1 and a == -b) else OTHER
        seen = (max(around[0], floor), around[1])
        total = SAME if total == SAME and _is_lost_in(seen, part) else _added(total, part)
        ends = [
            weight * end if weight and end else 0.0
            for weight in (a, b)
            for end in (ranges[source] if ranges else (-math.inf, math.inf))
        ]
        around = (around[0] + min(ends), around[1] + max(ends))
    made: Pair | str
    if isinstance(total, tuple):
        made = _shaped(first, total[0]), _shaped(second, total[1])
    else:
        made = total if (first.curve, first.bells) == (second.curve, second.bells) else OTHER
    if first.times >= 0:
        made = _multiplied(made, values[first.times])
    if isinstance(made, tuple):
        return made[0] / first.divisor, made[1] / second.divisor
    return made if first.divisor == second.divisor else OTHER


def _floors(first: Unit, second: Unit, ranges: list[Range] | None) -> list[float]:
    """Below what the sum before each term need not be looked at: a unit of relu is 0 there in both formulas."""
    floors, rest, size = [-math.inf] * len(first.terms), 0.0, 0.0
    if ranges is None or first.shape != "relu":
        return floors
    for at in range(len(floors) - 1, -1, -1):
        source, weights = first.terms[at][0], (first.terms[at][1], second.terms[at][1])
        ends = [weight * end if weight and end else 0.0 for weight in weights for end in ranges[source]]
        rest, size = rest + max(ends), size + max(map(abs, ends))
        floors[at] = -rest - 1e-9 * size
    return floors


def _is_lost_in(around: Range, part: Pair | str) -> bool:
    """Say whether a sum so far from 0, before and after, takes up two constants alike.

    It is a multiple of the last bit of its smallest size, so that constants are rounded to that bit, or to a half of
    it: alike unless one of those lies between them. A constant that brings a sum nearer to 0 and is a multiple of the
    last bit of its largest size is added as it is, and its neighbours are rounded to it.
    """
    if not isinstance(part, tuple):
        return False
    after = around[0] + min(part), around[1] + max(part)
    least = min(max(low, -high) for low, high in (around, after)) * (1 - 1e-9)
    if not 0 < least < math.inf:
        return False
    halves = [2 * constant / math.ulp(least) for constant in part]
    most = max(map(abs, around)) * (1 + 1e-9)
    is_nearer = math.isfinite(most) and (max(part) < 0 < around[0] or around[1] < 0 < min(part))
    if is_nearer and any((constant / math.ulp(most)).is_integer() for constant in part):
        return abs(part[0] - part[1]) < math.ulp(least) / 4
    return math.floor(halves[0]) == math.floor(halves[1]) and not any(half.is_integer() for half in halves)


def _shaped(unit: Unit, total: float) -> float:
    """What a unit makes of its sum, before factor and divisor: as a unit of nothing but that sum."""
    return _unit_value(replace(unit, terms=((0, 1.0),), divisor=1.0, times=-1), [total], False)


def _multiplied(made: Pair | str, factor: Pair | str) -> Pair | str:
    if isinstance(made, tuple) and isinstance(factor, tuple):
        return made[0] * factor[0], made[1] * factor[1]
    alike = [one == SAME or (isinstance(one, tuple) and one[0] == one[1]) for one in (made, factor)]
    return SAME if all(alike) else OTHER


def _added(total: Pair | str, part: Pair | str) -> Pair | str:
    if isinstance(total, tuple) and isinstance(part, tuple):
        return total[0] + part[0], total[1] + part[1]
    alike = [one == SAME or (isinstance(one, tuple) and one[0] == one[1]) for one in (total, part)]
    return SAME if all(alike) else OTHER


# ---------------------------------------------------------------- weights behind tanh


def _lost_behind_ends(formula: Formula, mutant: Formula, at: int) -> bool:
    """A weight behind tanh by one unit: sums of sources at their ends are the same, or no row has these ends.

    In other rows libraries may differ by more: the bound has a unit of each term for rounding alone.
    """
    unit, changed = formula.units[at], mutant.units[at]
    sources = [source for source, _ in unit.terms]
    if len(formula.inputs) + at not in formula.outputs or any(0 < source < len(formula.inputs) for source in sources):
        return False
    pairs = zip(unit.terms, changed.terms, strict=True)
    if any(abs(a - b) > math.ulp(a) for (_, a), (_, b) in pairs) or (unit.divisor, unit.shape) != (1.0, "linear"):
        return False
    ends = [(1.0,) if source == 0 else ENDS.get(formula.unit(source).shape, ()) for source in sources]
    if not all(ends) or math.prod(map(len, ends)) > MOST_CASES:
        return False
    telling = [values for values in product(*ends) if _sum(unit, values) != _sum(changed, values)]
    return not any(_is_reached(formula, sources, values) for values in telling)


def _sum(unit: Unit, values: tuple[float, ...]) -> float:
    total = 0.0
    for (_, weight), value in zip(unit.terms, values, strict=True):
        total += weight * value
    return total


def _is_reached(formula: Formula, sources: list[int], values: tuple[float, ...]) -> bool:
    """Whether some row drives units to these ends: linear inequalities in its numbers, for each case of the rest."""
    units = [formula.unit(source) for source in sources if source]
    if any(0 < source >= len(formula.inputs) for unit in units for source, _ in unit.terms):
        return True  # a deeper network
    numbers = [place for place in formula.used if formula.columns[place].kind == "numeric"]
    cases = product(*(_states(formula, place) for place in formula.used))
    wanted = [value for source, value in zip(sources, values, strict=True) if source]
    return any(
        _is_possible(formula, units, wanted, dict(zip(formula.used, case, strict=True)), numbers) for case in cases
    )


def _is_possible(
    formula: Formula, units: list[Unit], wanted: list[float], case: dict[int, float | str], numbers: list[int]
) -> bool:
    rows, bounds = [], []
    for unit, value in zip(units, wanted, strict=True):
        slope, constant = np.zeros(len(numbers)), 0.0
        for source, weight in unit.terms:
            entry = formula.inputs[source]
            cell = math.nan if entry.column == ONE else case[entry.column]
            if isinstance(cell, str) and entry.level == 0:
                slope[numbers.index(entry.column)] += weight / entry.scale
                constant -= weight * entry.center / entry.scale
            else:
                constant += weight * _input_value(entry, 0.0 if isinstance(cell, str) else cell)
        low = 0.0 if value == 0.0 and unit.shape == "sigmoid" else value
        for sign in (1.0, -1.0) if unit.shape == "tanh" and value == 0.0 else (math.copysign(1.0, low or -1.0),):
            least = -1e-6 * (1 + abs(constant)) if value == 0.0 and unit.shape == "tanh" else LEAST_OF_END
            rows.append(-sign * slope)
            bounds.append(sign * constant - least)
    found = linprog(
        np.zeros(len(numbers)), A_ub=np.array(rows), b_ub=np.array(bounds), bounds=[(None, None)] * len(numbers)
    )
    return found.status != 2  # 2: no such numbers

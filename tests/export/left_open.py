"""Proofs that a change is smaller than what two libraries may differ by, in every row of a case.

A sum that an exp, a sine or a bell goes into has a slack: what that may be off by, and a unit in the last place of
every term for rounding (`formula_probes.score_slack`). Two sums of n terms are off by n / 2 units of all sizes each, so
that one unit of them is left: a change of a term below that shows in no row. Where what makes the slack is 0 or lost
there is none, and the sums must be the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from treewright.export.formula import Formula, Unit

Pair = tuple[float, float]  # a constant in the two formulas
SAME, OTHER = "same", "other"  # not constant: the same in both, or maybe another
OPEN = "open"  # off by less than its slack
NEXT = "next to the same"  # the argument of an exp, off by so little that it is less than a unit of what that answers
INEXACT = ("exp", "sin", "cos", "bells")
ZERO = ("exp", "sin")  # that may be 0, and have no slack there
UNIT = 2.0**-52


class Lost(float):
    """A number so far below 0, at least, that a bell's logarithm of a sum is lost in it: the same in both formulas."""


Value = Pair | str | Lost
Values = list[Value]
Exact = Callable[[Unit, Unit, list[Pair | str]], Pair | str]  # what a unit makes of values that are not open


def is_left_open(formula: Formula, mutant: Formula, inputs: list[Pair | str], gone: list[bool], exact: Exact) -> bool:
    """Say whether no row of a case tells the two apart; `gone`: units that a missing value turns into 0."""
    return all(_outputs_alike(formula, mutant, list(inputs), gone, exact, far) for far in (False, True))


def _outputs_alike(
    formula: Formula, mutant: Formula, values: Values, gone: list[bool], exact: Exact, far: bool
) -> bool:
    """Follow what is open; `far`: where all of it that can be is 0 or lost."""
    for first, second, is_gone in zip(formula.units, mutant.units, gone, strict=True):
        values.append((0.0, 0.0) if is_gone else _followed(formula, first, second, values, exact, far))
    outputs = [values[place] for place in formula.outputs]
    return all(value[0] == value[1] if isinstance(value, tuple) else value not in (OTHER, NEXT) for value in outputs)


def _followed(formula: Formula, first: Unit, second: Unit, values: Values, exact: Exact, far: bool) -> Value:
    if first.shape in INEXACT:
        return _of_inexact(first, second, values, far)
    read = [values[source] for source in first.sources]
    if _is_next(first, second, read):
        return NEXT
    if not any(value == OPEN or isinstance(value, Lost) for value in read):
        return exact(first, second, [OTHER if isinstance(value, Lost) else value for value in values])
    if first.shape != "linear" or first.times >= 0 or (first.divisor, second.divisor) != (1.0, 1.0) or OTHER in read:
        return OTHER
    return _open_sum(formula, first, second, values) if OPEN in read else _lost_sum(first, second, values)


def _is_next(first: Unit, second: Unit, read: Values) -> bool:
    """Two numbers added up, one tiny and changed: a sum that it is not lost in is off by twice that at most."""
    if first != second or first.shape != "linear" or first.times >= 0 or len(read) != 2:
        return False
    least = UNIT / 8 * abs(first.divisor)
    tiny = [isinstance(value, tuple) and 2 * max(map(abs, value)) <= least for value in read]
    rest = [value == SAME or (isinstance(value, tuple) and value[0] == value[1]) for value in read]
    weights = {weight for _, weight in first.terms}
    return weights == {1.0} and ((tiny[0] and rest[1]) or (tiny[1] and rest[0])) and not all(rest)


def _of_inexact(first: Unit, second: Unit, values: Values, far: bool) -> Value:
    sources = [values[source] for source in first.sources]
    known = (SAME, NEXT) if first.shape == "exp" and len(sources) == 1 else (SAME,)
    alike = all(value[0] == value[1] if isinstance(value, tuple) else value in known for value in sources)
    if first != second or not alike or first.times >= 0 or first.divisor != 1.0:
        return OTHER
    if far and first.bells is not None:
        return Lost(8 * (2 + len(first.bells.places))) if max(first.bells.logs) <= 0 else OTHER
    return (0.0, 0.0) if far and first.shape in ZERO else OPEN


def _open_sum(formula: Formula, first: Unit, second: Unit, values: Values) -> str:
    moved = size = 0.0
    for (source, a), (_, b) in zip(first.terms, second.terms, strict=True):
        value = values[source]
        if isinstance(value, tuple):
            moved += abs(a - b) * abs(value[0]) + abs(b) * abs(value[0] - value[1])
            size += abs(a * value[0])
        elif a != b:
            # A unit of the weight of what is open is less than the slack that it brings.
            is_open = source >= len(formula.inputs) and value == OPEN and formula.unit(source).shape in INEXACT
            if not is_open or abs(a - b) > math.ulp(a):
                return OTHER
    return OPEN if moved * (1 + 1e-9) <= UNIT * size else OTHER


def _lost_sum(first: Unit, second: Unit, values: Values) -> Value:
    """A constant's last bits do not reach those of what is far below 0, unless they lie half-way between two."""
    least = 0.0  # how far below 0 the sum is by now
    for (source, a), (_, b) in zip(first.terms, second.terms, strict=True):
        value = values[source]
        if isinstance(value, Lost) and a == b == 1.0:
            least += value
        elif not isinstance(value, tuple):
            return OTHER
        else:
            pair = a * value[0], b * value[1]
            if not any(pair):
                continue
            least -= max(map(abs, pair))
            halves = [2 * part / math.ulp(max(least, 1.0)) for part in pair]
            parted = math.floor(halves[0]) != math.floor(halves[1]) or any(half.is_integer() for half in halves)
            if least <= 1.0 or (pair[0] != pair[1] and parted):
                return OTHER
    return Lost(least)

"""The numbers of a formula, and the formula with one of them moved by the least that a proof has to show."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from treewright.export.formula import ONE, TELLING_SHAPES, Formula

_BLURRED = 1e-9  # the change of a number that goes into a tanh, as a share of it


@dataclass(frozen=True)
class Spot:
    """A number of a formula: of the input or the unit at a place, by the name of its field; of a unit also a term."""

    of: str
    place: int
    name: str
    term: int = -1
    is_blurred: bool = False  # goes into a tanh or an exp, of which libraries have other last digits


def all_spots(formula: Formula) -> list[Spot]:
    """Give every number that an answer depends on."""
    first = len(formula.inputs)
    blurred = [False] * (first + len(formula.units))
    for place in range(len(formula.units) - 1, -1, -1):
        unit = formula.units[place]
        if blurred[first + place] or unit.shape not in TELLING_SHAPES:
            for source in (first + place, *unit.sources):
                blurred[source] = True
    spots = [
        Spot("input", place, name, is_blurred=blurred[place])
        for place, entry in enumerate(formula.inputs)
        for name, usual in (("fill", 0.0), ("center", 0.0), ("scale", 1.0), ("reach", math.inf))
        if entry.column != ONE and getattr(entry, name) != usual and (name != "fill" or formula.takes_missing)
    ]
    for place, unit in enumerate(formula.units):
        is_blurred = blurred[first + place]
        spots += [Spot("unit", place, "terms", term, is_blurred) for term in range(len(unit.terms))]
        spots += [Spot("unit", place, "divisor", -1, is_blurred)] if unit.divisor != 1.0 else []
    return spots


def moved(formula: Formula, spot: Spot, towards: float, to: float | None = None) -> Formula:
    """Give the formula with one number moved, by a unit in the last place unless it is blurred, or to a number."""

    def step(number: float) -> float:
        if to is not None:
            return to
        if not spot.is_blurred:
            return math.nextafter(number, towards)
        return number * (1.0 + math.copysign(_BLURRED, towards))

    if spot.of == "input":
        entry = formula.inputs[spot.place]
        changes: dict[str, Any] = {spot.name: step(getattr(entry, spot.name))}
        entry = replace(entry, **changes)
        return replace(formula, inputs=(*formula.inputs[: spot.place], entry, *formula.inputs[spot.place + 1 :]))
    unit = formula.units[spot.place]
    if spot.name == "divisor":
        unit = replace(unit, divisor=step(unit.divisor))
    else:
        source, weight = unit.terms[spot.term]
        term = (source, step(weight))
        unit = replace(unit, terms=(*unit.terms[: spot.term], term, *unit.terms[spot.term + 1 :]))
    return replace(formula, units=(*formula.units[: spot.place], unit, *formula.units[spot.place + 1 :]))

"""Formulas with one number, sign, level, column or class changed."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

from treewright.export.formula import ONE, TELLING_SHAPES, Formula


def _one_unit(number: float, rng: random.Random) -> float:
    return math.nextafter(number, rng.choice([-math.inf, math.inf]))


def _is_blurred(formula: Formula, source: int) -> bool:
    """Whether an input or unit goes into tanh or exp, or is one: their last digits differ from library to library."""
    waiting = [source]
    while waiting:
        here = waiting.pop()
        if here >= len(formula.inputs) and formula.unit(here).shape not in TELLING_SHAPES:
            return True
        waiting += [len(formula.inputs) + at for at, unit in enumerate(formula.units) if here in unit.sources]
    return False


def _step(formula: Formula, source: int, number: float, rng: random.Random) -> float:
    """By one unit in the last place; by its billionth part what goes into tanh or exp."""
    if _is_blurred(formula, source):
        return number * rng.choice([1 - 1e-9, 1 + 1e-9])
    return _one_unit(number, rng)


def _with_unit(formula: Formula, at: int, **changes: Any) -> Formula:
    units = list(formula.units)
    units[at] = replace(units[at], **changes)
    return replace(formula, units=tuple(units))


def _with_input(formula: Formula, at: int, **changes: Any) -> Formula:
    inputs = list(formula.inputs)
    inputs[at] = replace(inputs[at], **changes)
    return replace(formula, inputs=tuple(inputs))


def _term(formula: Formula, rng: random.Random) -> tuple[int, int, float]:
    """A unit, the place of one of its terms, and its weight."""
    at = rng.choice([place for place, unit in enumerate(formula.units) if unit.terms])
    term = rng.randrange(len(formula.units[at].terms))
    return at, term, formula.units[at].terms[term][1]


def _with_weight(formula: Formula, at: int, term: int, weight: float) -> Formula:
    terms = list(formula.units[at].terms)
    terms[term] = (terms[term][0], weight)
    return _with_unit(formula, at, terms=tuple(terms))


def _weight(formula: Formula, rng: random.Random) -> Formula | None:
    at, term, weight = _term(formula, rng)
    return _with_weight(formula, at, term, _step(formula, len(formula.inputs) + at, weight, rng))


def _sign(formula: Formula, rng: random.Random) -> Formula | None:
    at, term, weight = _term(formula, rng)
    return _with_weight(formula, at, term, -weight)


def _divisor(formula: Formula, rng: random.Random) -> Formula | None:
    places = [at for at, unit in enumerate(formula.units) if unit.divisor != 1.0]
    if not places:
        return None
    at = rng.choice(places)
    return _with_unit(formula, at, divisor=_step(formula, len(formula.inputs) + at, formula.units[at].divisor, rng))


def _level(formula: Formula, rng: random.Random) -> Formula | None:
    places = [at for at, entry in enumerate(formula.inputs) if entry.level > 0]
    if not places:
        return None
    at = rng.choice(places)
    others = set(range(1, len(formula.columns[formula.inputs[at].column].levels) + 1)) - {formula.inputs[at].level}
    return _with_input(formula, at, level=rng.choice(sorted(others)))


def _number(formula: Formula, rng: random.Random) -> Formula | None:
    """Another filler, centre, scale or reach."""
    name = rng.choice(["fill", "center", "scale", "reach"])
    usual = {"fill": 0.0, "center": 0.0, "scale": 1.0, "reach": math.inf}[name]
    places = [at for at, e in enumerate(formula.inputs) if e.column != ONE and getattr(e, name) != usual]
    if not places:
        return None
    at = rng.choice(places)
    return _with_input(formula, at, **{name: _step(formula, at, getattr(formula.inputs[at], name), rng)})


def _column(formula: Formula, rng: random.Random) -> Formula | None:
    """Two columns of numbers swapped."""
    places = [at for at, entry in enumerate(formula.inputs) if entry.column >= 0 and entry.level == 0]
    if len(places) < 2:
        return None
    first, second = rng.sample(places, 2)
    columns = formula.inputs[first].column, formula.inputs[second].column
    return _with_input(_with_input(formula, first, column=columns[1]), second, column=columns[0])


def _class(formula: Formula, rng: random.Random) -> Formula | None:
    if len(formula.outputs) < 2:
        return None
    outputs = list(formula.outputs)
    first, second = rng.sample(range(len(outputs)), 2)
    outputs[first], outputs[second] = outputs[second], outputs[first]
    return replace(formula, outputs=tuple(outputs))


CHANGES = (_weight, _weight, _sign, _level, _number, _column, _class, _divisor)

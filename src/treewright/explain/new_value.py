"""The nearest value of a column that belongs to a set, and how far away it is."""

from __future__ import annotations

import math

from treewright.encode.schema import Column
from treewright.explain.value_sets import LevelSet, NumberRange, ValueSet

_JUST = 0.01  # of the scale: how far beyond a border a short number may lie


def nearest_value(allowed: ValueSet, old: float, column: Column, scale: float) -> float | None:
    """Give the nearest known value that belongs to the set; None where there is none.

    Of a number that is whole the nearest whole one is taken, if there is one; else a short number just beyond the
    border. A level that the tests name is preferred to one that goes the way of missing values.

    Examples
    --------
    >>> age = Column("age", "numeric")
    >>> nearest_value(NumberRange(low=41.5), 38.0, age, 10.0), nearest_value(NumberRange(low=41.5), 38.2, age, 10.0)
    (42.0, 41.6)
    >>> nearest_value(NumberRange(low=1.25, high=1.75), 5.0, age, 10.0)
    1.7
    """
    if isinstance(allowed, LevelSet):
        codes = allowed.codes
        if column.kind == "ordinal" and old == old:
            return float(min(codes, key=lambda code: abs(code - old))) if codes else None
        return float(codes[0]) if codes else None
    if not allowed.known or (None not in (allowed.low, allowed.high) and allowed.low >= allowed.high):  # type: ignore[operator]
        return None
    if old in allowed and old == old:
        return old
    if column.face != "number":
        return _whole(allowed, old)
    if old != old or float(old).is_integer():
        found = _whole(allowed, old)
        if found is not None:
            return found
    return _just_inside(allowed, old, scale)


def _goes_up(allowed: NumberRange, old: float) -> bool:
    return allowed.low is not None and (old <= allowed.low or (old != old and allowed.high is None))


def _whole(allowed: NumberRange, old: float) -> float | None:
    border = allowed.low if _goes_up(allowed, old) else allowed.high
    if border is None:
        return 0.0
    if not math.isfinite(border):
        return None
    found = float(math.floor(border) + (1 if _goes_up(allowed, old) else 0))
    return found if found in allowed else None


def _just_inside(allowed: NumberRange, old: float, scale: float) -> float:
    room = _JUST * scale if math.isfinite(scale) else 1.0
    if _goes_up(allowed, old):
        assert allowed.low is not None
        low = allowed.low
        found = _short_number(low, low + room, above=True)
        return found if found in allowed and math.isfinite(found) else math.nextafter(low, math.inf)
    assert allowed.high is not None
    found = _short_number(allowed.high - room, allowed.high, above=False)
    return found if found in allowed and math.isfinite(found) else allowed.high


def _short_number(low: float, high: float, above: bool) -> float:
    """Give the number with fewest decimals above `low` and at most `high`, next to the border."""
    for decimals in range(16):
        unit = 10.0**decimals
        near = (low if above else high) * unit
        if not math.isfinite(near):
            break
        found = round((math.floor(near) + (1 if above else 0)) / unit, decimals)
        if low < found <= high:
            return found
    return math.nan


def distance(allowed: ValueSet, old: float, column: Column, scale: float) -> float:
    """Tell how large the change is: to the border in units of the scale; 1 for another level, and for a first value.

    Examples
    --------
    >>> distance(NumberRange(low=41.5), 38.0, Column("age", "numeric"), 10.0)
    0.35
    >>> distance(LevelSet.of([3], size := Column("size", "ordinal", "text", ("S", "M", "L"))), 1.0, size, 2.0)
    1.0
    """
    if old != old or column.kind == "nominal":
        return 1.0
    if isinstance(allowed, LevelSet):
        gap = min(abs(code - old) for code in allowed.codes)
    else:
        border = allowed.low if _goes_up(allowed, old) else allowed.high
        gap = 0.0 if border is None else abs(border - old)
    size = gap / scale if scale > 0 else math.inf
    return size if math.isfinite(size) else 1.0

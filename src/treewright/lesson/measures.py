"""The names of what is measured, how they head a table, and how their numbers are written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from treewright.lesson.unit import Unit
from treewright.tree.format import number_text

_DECIMALS = 4


@dataclass(frozen=True)
class Measure:
    """A heading, and the kind of number under it: "information" (bits or nats), "number", "count" or "log_p"."""

    heading: str
    kind: str = "number"


MEASURES = {
    "remainder": Measure("remainder", "information"),
    "gain": Measure("gain", "information"),
    "raw_gain": Measure("gain of the cut", "information"),
    "correction": Measure("correction", "information"),
    "split_information": Measure("split information", "information"),
    "gain_ratio": Measure("gain ratio"),
    "saved": Measure("saves", "information"),
    "price": Measure("costs", "information"),
    "worth": Measure("worth", "information"),
    "impurity_left": Measure("left after"),
    "impurity_gain": Measure("gain"),
    "twoing": Measure("twoing"),
    "hellinger": Measure("hellinger"),
    "squared_errors": Measure("squared errors"),
    "squared_errors_gain": Measure("gain"),
    "statistic": Measure("statistic"),
    "chi_square": Measure("chi-square"),
    "f": Measure("F"),
    "degrees": Measure("df", "count"),
    "degrees_within": Measure("df within", "count"),
    "log_p": Measure("p", "log_p"),
    "multiplier": Measure("tries", "count"),
    "log_p_adjusted": Measure("adjusted p", "log_p"),
}


def plain_measures(measures: Mapping[str, float], unit: Unit) -> dict[str, float | None]:
    """Give measures as JSON can hold them, information in the unit asked for; a p-value beside its logarithm.

    >>> plain_measures({"gain": 1.0, "log_p": -math.inf}, Unit.of(2))
    {'gain': 1.0, 'log_p': None, 'p': 0.0}
    """
    found: dict[str, float | None] = {}
    for name, value in measures.items():
        shown = unit.show(value) if MEASURES[name].kind == "information" else value
        found[name] = shown if math.isfinite(shown) else None
        if MEASURES[name].kind == "log_p":
            found[name.removeprefix("log_")] = math.exp(value)
    return found


def fixed(value: float) -> str:
    """Write a number with four decimals; large ones with fewer, tiny ones with two digits.

    >>> fixed(0.25), fixed(-1e-17), fixed(123456.789), fixed(0.0000123), fixed(12.0)
    ('0.2500', '0.0000', '123456.8', '1.2e-05', '12.0000')
    """
    if not math.isfinite(value):
        return str(value)
    if abs(value) >= 1000:
        return f"{value:.1f}"
    if 1e-12 < abs(value) < 0.5 * 10**-_DECIMALS:
        return f"{value:.1e}"
    return f"{value + 0.0 if abs(value) > 1e-12 else 0.0:.{_DECIMALS}f}"


def weight_text(weight: float) -> str:
    """Write a count; a weight that is no whole number with two decimals.

    >>> weight_text(14.0), weight_text(3.2308)
    ('14', '3.23')
    """
    nearest = round(weight)
    return f"{nearest:,}" if abs(weight - nearest) < 1e-9 else f"{weight:,.2f}"


def p_text(log_p: float) -> str:
    """Write a p-value from its natural logarithm, which does not underflow.

    >>> p_text(math.log(0.0357)), p_text(0.0), p_text(-1000.0), p_text(-math.inf)
    ('0.0357', '1.0000', '5.1e-435', '0')
    """
    if log_p == -math.inf:
        return "0"
    exponent = log_p / math.log(10)
    if exponent > -4:
        return f"{math.exp(log_p):.4f}"
    whole = math.floor(exponent)
    digits = f"{10 ** (exponent - whole):.1f}"
    return f"1.0e{whole + 1:03d}" if digits == "10.0" else f"{digits}e{whole:03d}"


def measure_text(name: str, value: float, unit: Unit) -> str:
    """Write a measure as its kind asks.

    >>> measure_text("gain", 1.0, Unit.of("e")), measure_text("degrees", 2.0, Unit.of(2))
    ('0.6931', '2')
    """
    kind = MEASURES[name].kind
    if kind == "log_p":
        return p_text(value)
    if kind == "count":
        return number_text(value) if value < 1e15 else f"{value:.2e}"
    return fixed(unit.show(value) if kind == "information" else value)

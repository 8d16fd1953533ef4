"""What SQL makes of sums: sigmoids, softmax, the class of the largest number."""

from __future__ import annotations

import math

from treewright.export.formula import Unit
from treewright.export.sql.chain import Chain
from treewright.table.sql_dialects import Dialect

_AT_ONCE = 100
FARTHEST = 700  # beyond it exp fails in some engines
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-1, 1.90821492927058770002e-10  # as in core/base/links.hpp
_TERMS = 14
_NOTHING = 1e-20  # 1 and less than that is 1


def largest(names: list[str], labels: list[str]) -> str:
    """The label of the largest number, the first of equals.

    >>> largest(["a", "b"], ["'no'", "'yes'"])
    "CASE WHEN a >= b THEN 'no' ELSE 'yes' END"
    """
    cases = [
        f"WHEN {' AND '.join(f'{name} >= {other}' for other in names[i + 1 :])} THEN {labels[i]}"
        for i, name in enumerate(names[:-1])
    ]
    return f"CASE {' '.join(cases)} ELSE {labels[-1]} END" if cases else labels[-1]


def extreme(dialect: Dialect, which: str, names: list[str]) -> str:
    """The "greatest" or the "least" of numbers, some at a time: engines take only so many in one call.

    >>> from treewright.table.sql_dialects import DIALECTS
    >>> extreme(DIALECTS["sqlite"], "least", ["a", "b"]), extreme(DIALECTS["duckdb"], "greatest", ["a"])
    ('min(a, b)', 'a')
    """
    call = {"greatest": "max", "least": "min"}[which] if dialect.name == "sqlite" else which
    while len(names) > 1:
        parts = [names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE)]
        names = [f"{call}({', '.join(part)})" if len(part) > 1 else part[0] for part in parts]
    return names[0]


def log_of_bells(chain: Chain, carried: list[str], place: int, unit: Unit) -> None:
    """Add the steps that give the logarithm of a sum of bells over the sum of a unit: column v of its number."""
    number, bells = chain.dialect.number, unit.bells
    assert bells is not None
    width, half = number(bells.width), number(0.5)
    terms = []
    for at, log in zip(bells.places, bells.logs, strict=True):
        gap = f"((t{place} - {number(at)}) / {width})"
        terms.append(f"{number(log)} - {half} * ({gap} * {gap})")
    names = [f"b{i}" for i in range(len(terms))]
    chain.numbered_step("bells", [*carried, *(f"{term} AS {name}" for term, name in zip(terms, names, strict=True))])
    chain.numbered_step("bells", [*carried, *names, f"{extreme(chain.dialect, 'greatest', names)} AS most"])
    total = " + ".join(power(chain.dialect, name) for name in names)
    call = "LOG" if chain.dialect.name == "sqlserver" else "ln"
    chain.numbered_step("bells", [*carried, f"most + {call}({total}) AS v{place}"])


def expit(dialect: Dialect, name: str) -> str:
    """1 / (1 + exp(-x)) of a column."""
    zero, one = map(dialect.number, (0.0, 1.0))
    share = f"{one} / ({one} + exp(-{name}))"
    if not dialect.exp_is_guarded:
        return share
    return f"CASE WHEN {name} < -{FARTHEST} THEN {zero} WHEN {name} > {FARTHEST} THEN {one} ELSE {share} END"


def softmax(chain: Chain, carried: list[str], scores: list[str]) -> list[str]:
    """Add the steps of a softmax; gives its shares. `carried` are the columns that are needed afterwards."""
    names = [f"a{i}" for i in range(len(scores))]
    chain.numbered_step(
        "scores", [*carried, *(f"{score} AS {name}" for score, name in zip(scores, names, strict=True))]
    )
    chain.numbered_step("most", [*carried, *names, f"{largest(names, names)} AS most"])
    if len(scores) > 2:
        exact_powers(chain, carried, [f"{name} - most" for name in names])
    else:  # two shares of one power: what the last bit of exp moves them by is two units at most
        powers = [f"{power(chain.dialect, name)} AS e{i}" for i, name in enumerate(names)]
        chain.numbered_step("powers", [*carried, *powers])
    total = " + ".join(f"e{i}" for i in range(len(names)))
    return [f"e{i} / ({total})" for i in range(len(names))]


def exact_powers(chain: Chain, carried: list[str], gaps: list[str]) -> None:
    """Add the steps that give e to the powers `gaps`, columns e0, e1, …, as the model computes it, to the last bit.

    The exp of an engine may have another last bit, and three shares would be apart by more than two units.
    """
    number, places = chain.dialect.number, range(len(gaps))
    far, one = number(float(FARTHEST)), number(1.0)

    def add(*columns: str) -> None:
        chain.numbered_step("powers", [*carried, *(column.format(i=i) for column in columns for i in places)])

    bounded = [f"CASE WHEN {gap} < -{far} THEN -{far} WHEN {gap} > {far} THEN {far} ELSE {gap} END" for gap in gaps]
    chain.numbered_step("powers", [*carried, *(f"{gap} AS d{i}" for i, gap in enumerate(bounded))])
    add("d{i}", f"floor(d{{i}} * {number(math.log2(math.e))} + {number(0.5)}) AS n{{i}}")
    add("d{i}", "n{i}", f"d{{i}} - n{{i}} * {number(_LN2_HIGH)} AS h{{i}}", f"n{{i}} * {number(_LN2_LOW)} AS l{{i}}")
    add("d{i}", "n{i}", "h{i}", "l{i}", "h{i} - l{i} AS r{i}")
    series = number(1.0 / math.factorial(_TERMS))
    for n in range(_TERMS - 1, 1, -1):
        series = f"({series} * r{{i}} + {number(1.0 / math.factorial(n))})"
    # Where r is next to nothing, so is its square, which some engines refuse to compute.
    square = f"CASE WHEN abs(d{{i}}) < {number(_NOTHING)} THEN {number(0.0)} ELSE r{{i}} * r{{i}} * {series} END"
    add("d{i}", "n{i}", "r{i}", f"((h{{i}} - r{{i}}) - l{{i}}) + {square} AS z{{i}}")
    above = "(r{i} + z{i})"
    rounded = f"({one} + {above})"
    lost = f"(({above} - ({rounded} - {one})) + (z{{i}} - ({above} - r{{i}})))"
    scaled = f"({rounded} + {lost}) * power({number(2.0)}, n{{i}})"
    add(f"CASE WHEN d{{i}} <= -{far} THEN {number(0.0)} ELSE {scaled} END AS e{{i}}")


def power(dialect: Dialect, name: str) -> str:
    """exp of a column less the column `most`."""
    if dialect.exp_is_guarded:
        return f"CASE WHEN {name} - most < -{FARTHEST} THEN {dialect.number(0.0)} ELSE exp({name} - most) END"
    return f"exp({name} - most)"

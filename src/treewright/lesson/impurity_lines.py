"""The impurity of a node, worked out on a line: the entropy of its shares, its Gini index, its variance."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treewright.lesson.measures import fixed, weight_text
from treewright.lesson.unit import Unit
from treewright.reference.tally import ClassTally, NumberTally, Tally
from treewright.tree.format import number_text

_TERMS = 6  # so many terms of a sum are written out


def impurity_line(name: str, tally: Tally, value: float, unit: Unit) -> str:
    """Write how the impurity of some rows is reckoned.

    Examples
    --------
    >>> impurity_line("entropy", ClassTally(14, (5.0, 9.0)), 0.94029, Unit.of(2))
    'H = − 5/14·log2(5/14) − 9/14·log2(9/14) = 0.9403 bits'
    >>> impurity_line("Gini index", ClassTally(14, (5.0, 9.0)), 0.459184, Unit.of(2))
    'Gini = 1 − (5/14)² − (9/14)² = 0.4592'
    """
    if isinstance(tally, NumberTally):
        before = f"squared errors {fixed(tally.squared_errors)}" if name == "variance" else ""
        before = f"median {number_text(tally.median, 6)}" if tally.values else before
        return f"{before}, {name} {fixed(value)}" if before else f"{name} {fixed(value)}"
    assert isinstance(tally, ClassTally)
    whole = weight_text(tally.weight)
    shares = [f"{weight_text(count)}/{whole}" for count in tally.counts if count > 0]
    if name == "entropy":
        return _sum_line(
            "H =", shares, lambda s: f"− {s}·{unit.logarithm}({s})", f"{fixed(unit.show(value))} {unit.name}"
        )
    if name == "Gini index":
        return _sum_line("Gini = 1", shares, lambda s: f"− ({s})²", fixed(value))
    return f"{name}: {weight_text(tally.errors)}/{whole} = {fixed(value)}"


def _sum_line(start: str, shares: Sequence[str], term: Callable[[str], str], result: str) -> str:
    terms = [term(share) for share in shares[:_TERMS]] + (["− …"] if len(shares) > _TERMS else [])
    return f"{start} {' '.join(terms)} = {result}"


def mean_line(branches: Sequence[Tally], impurities: Sequence[float]) -> str:
    """Write the mean impurity of branches as a sum; branches without rows do not count.

    Examples
    --------
    >>> mean_line([ClassTally(1, (1.0,)), ClassTally(3, (3.0,))], [0.5, 0.25])
    '1/4·0.5000 + 3/4·0.2500'
    """
    whole = weight_text(sum(branch.weight for branch in branches))
    terms = [
        f"{weight_text(branch.weight)}/{whole}·{fixed(impurity)}"
        for branch, impurity in zip(branches, impurities, strict=True)
        if branch.weight > 0
    ]
    shown = terms[:_TERMS] + (["…"] if len(terms) > _TERMS else [])
    return " + ".join(shown)

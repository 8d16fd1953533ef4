"""Cost-complexity pruning by its definition: the cheapest pruned tree for every price of a leaf.

A pruned tree costs the risk of its leaves plus alpha times their number. For each number of leaves we find the
smallest risk that any pruned tree has, and keep the numbers that are cheapest for some alpha.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def least_risks(children: Sequence[Sequence[int]], risk: Sequence[Fraction]) -> dict[int, Fraction]:
    """The smallest risk of a pruned tree with 1, 2, 3 ... leaves; nodes are in preorder.

    >>> least_risks([[1, 2], [], []], [Fraction(5), Fraction(1), Fraction(2)])
    {1: Fraction(5, 1), 2: Fraction(3, 1)}
    """
    best: dict[int, dict[int, Fraction]] = {}
    for node in reversed(range(len(risk))):
        opened: dict[int, Fraction] = {0: Fraction(0)} if children[node] else {}
        for child in children[node]:
            opened = _together(opened, best.pop(child))
        best[node] = {1: risk[node], **{n: r for n, r in opened.items() if n > 1}}
    return best[0]


def _together(one: dict[int, Fraction], other: dict[int, Fraction]) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    for n, r in one.items():
        for m, s in other.items():
            found[n + m] = min(found.get(n + m, r + s), r + s)
    return found


def cost_complexity_path(
    children: Sequence[Sequence[int]], risk: Sequence[Fraction]
) -> list[tuple[Fraction, int, Fraction]]:
    """(alpha, leaves, risk) from the largest tree worth its leaves to the root alone.

    From each alpha on, until the next, the smallest tree of least cost has that many leaves and that risk.

    >>> cost_complexity_path([[1, 2], [], []], [Fraction(5), Fraction(1), Fraction(2)])
    [(Fraction(0, 1), 2, Fraction(3, 1)), (Fraction(2, 1), 1, Fraction(5, 1))]
    """
    table = least_risks(children, risk)
    alpha = Fraction(0)
    leaves = min(table, key=lambda n: (table[n], n))
    path = [(alpha, leaves, table[leaves])]
    while leaves > 1:
        alpha, leaves = min(((table[n] - table[leaves]) / (leaves - n), n) for n in table if n < leaves)
        path.append((alpha, leaves, table[leaves]))
    return path

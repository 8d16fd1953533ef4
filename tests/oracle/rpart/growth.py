"""Which nodes rpart divides when a leaf has a price: it prices them while it grows, and gives up early.

A node is divided only if the most that it could be worth is above the price. That is its own risk, or the worth that
its parent had left when its turn came, minus the price. The left son, whose mean is lower, has its turn first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Standing = tuple[Fraction, Fraction, int]  # worth, risk of all below, splits


def divided(
    children: Sequence[Sequence[int]], risks: Sequence[Fraction], means: Sequence[Fraction], price: Fraction
) -> set[int]:
    """The nodes that are divided; the others that can be reached from the root are leaves."""
    opened: set[int] = set()

    def grow(node: int, bound: Fraction) -> Standing:
        most = min(risks[node], bound)
        if not children[node] or most <= price:
            return price, risks[node], 0
        left, right = children[node] if means[children[node][0]] < means[children[node][1]] else children[node][::-1]
        first = grow(left, most - price)
        left_over = max((risks[node] - first[1]) / (first[2] + 1), risks[node] - risks[left])
        second = grow(right, min(left_over, bound) - price)
        worth, risk, splits = settle(node, (left, first), (right, second))
        if worth <= price:
            return worth, risks[node], 0
        opened.add(node)
        return worth, risk, splits

    def settle(node: int, first: tuple[int, Standing], second: tuple[int, Standing]) -> Standing:
        weak, strong = (first, second) if second[1][0] > first[1][0] else (second, first)
        sons = [weak[1], strong[1]]
        for place, (son, standing) in enumerate((weak, strong)):
            if worth_of(node, sons) <= standing[0]:
                break
            sons[place] = (standing[0], risks[son], 0)
        return worth_of(node, sons), sons[0][1] + sons[1][1], sons[0][2] + sons[1][2] + 1

    def worth_of(node: int, sons: list[Standing]) -> Fraction:
        return (risks[node] - sons[0][1] - sons[1][1]) / (sons[0][2] + sons[1][2] + 1)

    grow(0, risks[0])
    return reachable(children, opened)


def reachable(children: Sequence[Sequence[int]], opened: set[int]) -> set[int]:
    """Those of the opened nodes that no closed one stands above."""
    found, waiting = set(), [0]
    while waiting:
        node = waiting.pop()
        if node in opened:
            found.add(node)
            waiting += children[node]
    return found

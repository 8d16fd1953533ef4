"""Cutting back at a price of a leaf, the cp table, and its cross-validated error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import Any

from oracle.prune import cost_complexity_path
from oracle.rpart.grow import Node, goes_left, grow
from oracle.rpart.lesson import Control, Method

SAME = Fraction(1, 10**12)


def pruned(root: Node, alpha: Fraction) -> Node:
    """The best tree when every leaf costs alpha, by its definition; of equally good trees the smallest."""
    cost: dict[int, Fraction] = {}
    kept: dict[int, Node] = {}
    for node in reversed(list(root.preorder())):
        leaf = Fraction(node.risk) + alpha
        below = sum((cost[id(child)] for child in node.children), Fraction(0))
        opens = bool(node.children) and below < leaf - SAME * Fraction(root.risk)
        cost[id(node)] = below if opens else leaf
        children = [kept[id(child)] for child in node.children] if opens else []
        kept[id(node)] = replace(node, children=children)
    return kept[id(root)]


def cp_table(root: Node, cp: Fraction = Fraction(0)) -> list[tuple[float, int, float]]:
    """rpart's table (CP, splits, relative error), from the root alone to the tree that was pruned at cp."""
    nodes = list(root.preorder())
    place = {id(node): i for i, node in enumerate(nodes)}
    children = [[place[id(child)] for child in node.children] for node in nodes]
    risks = [Fraction(node.risk) for node in nodes]
    if not risks[0]:
        return [(0.0, 0, 1.0)]
    path = cost_complexity_path(children, risks)
    lines = [(max(alpha / risks[0], cp), leaves - 1, risk / risks[0]) for alpha, leaves, risk in reversed(path)]
    return [(float(price), splits, float(risk)) for price, splits, risk in lines]


def answer_of(lesson: Any, root: Node, row: int) -> Any:
    """What a tree answers to a row."""
    node = root
    while node.children:
        left = goes_left(lesson, node, row)
        if left is None:
            break
        node = node.children[0 if left else 1]
    return node.answer


def cross_validated(
    method_of: Callable[[list[int]], Method],
    control: Control,
    table: Sequence[tuple[float, int, float]],
    folds: Sequence[int],
    cut: Callable[[Node, list[Fraction]], list[Node]],
) -> list[tuple[float, float]]:
    """(xerror, xstd) of every line of a cp table. Row i is judged by the tree that was grown without its fold.

    `method_of` gives the method for some rows; `cut` the tree at each of some prices, which are in units of risk and
    belong to the weight of the rows the tree was grown from. A line is tried at the geometric mean of its price and
    the next higher one.
    """
    whole = method_of([])
    lesson, rows = whole.lesson, whole.lesson.rows()
    root_risk = Fraction(whole.risk(rows))
    prices = [10 * table[0][0]] + [sqrt(above[0] * line[0]) for above, line in pairwise(table)]
    losses: list[list[tuple[int, float]]] = [[] for _ in table]
    for fold in sorted(set(folds)):
        kept, held = ([row for row in rows if (folds[row] == fold) is side] for side in (False, True))
        method = method_of(kept)
        share = Fraction(lesson.weight(kept), lesson.weight(rows))
        trees = cut(grow(method, control, kept), [Fraction(price) * root_risk * share for price in prices])
        for line, tree in zip(losses, trees, strict=True):
            answers = [answer_of(lesson, tree, row) for row in held]
            line += [(lesson.weights[row], float(method.loss(row, a))) for row, a in zip(held, answers, strict=True)]
    return [summed(line, float(root_risk)) for line in losses]


def summed(losses: list[tuple[int, float]], unit: float) -> tuple[float, float]:
    """The sum of weighted losses and its standard error, in units of the root's risk."""
    first, second = sum(w * x for w, x in losses), sum(w * x * x for w, x in losses)
    spread = max(second - first**2 / sum(w for w, _ in losses), 0.0)
    return first / unit, sqrt(spread) / unit

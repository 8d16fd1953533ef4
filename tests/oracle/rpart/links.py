"""How rpart itself finds the price of a leaf at which a node is cut back, and the table that comes of it.

The right price of a node is found with everything below it that is still worth its leaves at that price. rpart works
from the leaves up and remembers of each son only how it stood when the son itself is about to be cut. A grandson that
goes before the son, but after the node, is then counted as cut though it should not be: the price comes out a little
too small, and the node is cut a little too early. `price.pruned` is the definition; this is what rpart prints.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from oracle.rpart.grow import Node


@dataclass(frozen=True)
class Standing:
    """How a node stands when it is about to be cut: its price, and the risk and splits of what is below it."""

    price: Fraction
    risk: Fraction
    splits: int


def node_prices(root: Node, alpha: Fraction) -> dict[int, Fraction]:
    """The price at which rpart cuts each node, by id; never above its parent's. Leaves have alpha."""
    standing: dict[int, Standing] = {}
    for node in reversed(list(root.preorder())):
        own = Fraction(node.risk)
        found = Standing(alpha, own, 0)
        if node.children:
            found = _standing(own, node, standing)
        standing[id(node)] = found if found.price > alpha else Standing(alpha, own, 0)
    prices: dict[int, Fraction] = {id(root): standing[id(root)].price}
    for node in root.preorder():
        for child in node.children:
            prices[id(child)] = min(standing[id(child)].price, prices[id(node)])
    return prices


def _standing(own: Fraction, node: Node, standing: dict[int, Standing]) -> Standing:
    sons = {id(child): standing[id(child)] for child in node.children}
    risks = {id(child): Fraction(child.risk) for child in node.children}
    # The weaker son is the first to be counted as cut; the right one of equals.
    for son in sorted(reversed(list(sons)), key=lambda key: sons[key].price):
        splits = sum(s.splits for s in sons.values()) + 1
        price = (own - sum((s.risk for s in sons.values()), Fraction(0))) / splits
        if price <= sons[son].price:
            break
        sons[son] = replace(sons[son], risk=risks[son], splits=0)
    splits = sum(s.splits for s in sons.values()) + 1
    risk = sum((s.risk for s in sons.values()), Fraction(0))
    return Standing((own - risk) / splits, risk, splits)


def cut_below(root: Node, prices: dict[int, Fraction], price: Fraction) -> Node:
    """The tree whose nodes all cost more than the price; the others are leaves."""
    kept: dict[int, Node] = {}
    for node in reversed(list(root.preorder())):
        opens = bool(node.children) and prices[id(node)] > price
        kept[id(node)] = replace(node, children=[kept[id(child)] for child in node.children] if opens else [])
    return kept[id(root)]


def rpart_cp_table(root: Node, cp: Fraction) -> list[tuple[float, int, float]]:
    """(CP, splits, relative error) as rpart prints them, from the root alone to the tree grown with cp."""
    whole = Fraction(root.risk)
    if not whole:
        return [(0.0, 0, 1.0)]
    prices = node_prices(root, cp * whole)
    lines = []
    for price in sorted({*prices.values(), cp * whole}, reverse=True):
        leaves = [node for node in cut_below(root, prices, price).preorder() if not node.children]
        risk = sum((Fraction(leaf.risk) for leaf in leaves), Fraction(0))
        # Rows that stay at a node above are no part of any leaf: rpart leaves their risk out of the table.
        lines.append((float(price / whole), len(leaves) - 1, float(risk / whole)))
    return lines

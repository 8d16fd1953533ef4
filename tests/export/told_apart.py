"""Whether any row tells two trees apart, exactly: sets of rows go through both at once, column by column.

A tree asks for columns one at a time, so rows that are not told apart so far are a product of sets, one a column. Of
numbers a set needs the cuts of both trees, the next double above each, and no value: between two cuts all are alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from treewright.export.program import ABOVE, BELOW, HALF, KNOWN, MEMBER, SUM_BELOW, NodeTable, Program, Term
from treewright.tree.stored import SPREADS, STOPS

Rows = dict[int, frozenset[float]]  # by column: the values that a row may have; NONE for no value
NONE = -math.inf  # of a cell; NaN is not equal to itself
Held = Callable[[set[float], float], list[float]]  # a number as the cells that stand for it beside cuts


def as_it_is(_cuts: set[float], number: float) -> list[float]:
    """Give the number: most formats hold every double."""
    return [number]


def all_rows(program: Program, trees: list[NodeTable], held: Held = as_it_is) -> Rows:
    """Give values of every column that stand for all that there are."""
    found = {}
    for place in program.used:
        column = program.columns[place]
        if column.kind == "numeric":
            cuts = {
                number
                for tree in trees
                for kind, asked, number in zip(tree.rule_kind, tree.rule_column, tree.rule_number, strict=True)
                if asked == place and kind in (BELOW, ABOVE)
            }
            wanted = cuts | {math.nextafter(cut, math.inf) for cut in cuts} | {0.0}
            values = {number for value in wanted for number in held(cuts, value)}
        else:
            values = set(map(float, range(1, len(column.levels) + 1)))
        found[place] = frozenset(values | {NONE})
    return found


def row_that_tells(
    program: Program, first: NodeTable, second: NodeTable, by_nodes: bool = True, held: Held = as_it_is
) -> Rows | None:
    """Give rows that end elsewhere or get another answer; None where no row does.

    Without `by_nodes` it is the answers alone that count, as where a format does not tell the numbers of nodes. A
    weighted sum may be anything, and an equation that was changed counts as another answer: of trees with those the
    rows may not be there, but None is None.
    """
    waiting = [(0, 0, all_rows(program, [first, second], held))]
    while waiting:
        a, b, rows = waiting.pop()
        for next_a, next_b, some in _both_parted(first, a, second, b, rows):
            if (next_a, next_b) == (None, None):
                if (a != b and by_nodes) or not _answer_alike(first, a, second, b):
                    return some
            elif isinstance(next_a, list) or isinstance(next_b, list):
                if next_a != next_b:
                    return some
                waiting += [(child, child, some) for child, _ in next_a or []]
            else:
                waiting.append((a if next_a is None else next_a, b if next_b is None else next_b, some))
    return None


def _answer_alike(first: NodeTable, a: int, second: NodeTable, b: int) -> bool:
    if first.equations.get(a) != second.equations.get(b):
        return False
    return a in first.equations or bool((first.answers[a] == second.answers[b]).all())


def _both_parted(first: NodeTable, a: int, second: NodeTable, b: int, rows: Rows) -> Iterator[tuple[Any, Any, Rows]]:
    if a == b and _asked(first, a) == _asked(second, b):
        yield from ((after, after, some) for after, some in _parted(first, a, rows))
        return
    for next_a, some in _parted(first, a, rows):
        yield from ((next_a, next_b, fewer) for next_b, fewer in _parted(second, b, some))


def _asked(tree: NodeTable, node: int) -> list[Any]:
    """All that a node asks and where it sends rows."""
    asked: list[Any] = [tree.fallback[node], tree.pieces.get(node)]
    for rule in tree.rules(node):
        kind, number = tree.rule_kind[rule], tree.rule_number[rule]
        what = tree.sums[int(number)] if kind >= SUM_BELOW else tree.sets[int(number)] if kind == MEMBER else number
        asked.append((kind, tree.rule_column[rule], "" if kind == KNOWN else what, tree.rule_child[rule]))
    return asked


def _parted(tree: NodeTable, node: int, rows: Rows) -> Iterator[tuple[Any, Rows]]:
    """Part rows by where they go from a node: to another, into pieces (a list), or nowhere."""
    for rule in tree.rules(node):
        column = tree.rule_column[rule]
        if tree.rule_kind[rule] >= SUM_BELOW:
            yield tree.rule_child[rule], _with_enough(tree.sums[int(tree.rule_number[rule])][0], rows)
            continue
        here = frozenset(value for value in rows[column] if _holds(tree, rule, value))
        if here:
            yield tree.rule_child[rule], {**rows, column: here}
        rows = {**rows, column: rows[column] - here}
        if not rows[column]:
            return
    fallback = tree.fallback[node]
    yield (None if fallback == STOPS else tree.pieces[node] if fallback == SPREADS else fallback), rows


def _with_enough(terms: tuple[Term, ...], rows: Rows) -> Rows:
    """The rows of which a sum is told: a column that is more than half of it has a value."""
    shares: dict[int, float] = {}
    for term in terms:
        shares[term.column] = shares.get(term.column, 0.0) + term.share
    return {column: values - {NONE} if shares.get(column, 0.0) > HALF else values for column, values in rows.items()}


def _holds(tree: NodeTable, rule: int, value: float) -> bool:
    kind, number = tree.rule_kind[rule], tree.rule_number[rule]
    if value == NONE:
        return False
    if kind == MEMBER:
        return value in tree.sets[int(number)]
    return {BELOW: value <= number, ABOVE: value > number, KNOWN: True}[kind]

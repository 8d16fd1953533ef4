"""ID3 by its definition: one branch for each level of the best column, and the column is not asked again below."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext

from oracle import criteria
from oracle.table import Table, Value
from oracle.tree import DIGITS, majority


@dataclass
class Node:
    """A node with its rows; `labels` are the values (None is missing) that its children stand for."""

    rows: tuple[int, ...]
    path_rows: tuple[tuple[int, ...], ...]
    unused: tuple[int, ...]
    answer: int
    column: int | None = None
    gain: Decimal = Decimal(0)
    labels: tuple[Value, ...] = ()
    children: list[Node] = field(default_factory=list)


class ID3:
    """Grows a tree from nominal columns; `missing_branch` makes a missing value one more level."""

    def __init__(self, table: Table, min_gain: float = 0.0, missing_branch: bool = False) -> None:
        self.table, self.min_gain, self.missing_branch = table, Decimal(min_gain), missing_branch

    def run(self) -> Node:
        """Open every node until no column is worth asking."""
        with localcontext(Context(prec=DIGITS)):
            root = self.node((), tuple(self.table.rows()), tuple(range(len(self.table.columns))))
            waiting = [root]
            while waiting:
                waiting += self.open(waiting.pop())
        return root

    def node(self, above: tuple[tuple[int, ...], ...], rows: tuple[int, ...], unused: tuple[int, ...]) -> Node:
        """A leaf. Without rows it answers what its parent would answer."""
        path = (*above, rows) if rows else above
        return Node(rows, path, unused, majority(self.table, path))

    def labels(self, column: int) -> tuple[Value, ...]:
        """Every level of the column in the whole table, in order, and missing where some row has no value."""
        everything = range(len(self.table.target))
        levels: list[Value] = [*self.table.columns[column].present(everything)]
        has_holes = self.missing_branch and bool(self.table.columns[column].missing(everything))
        return tuple([*levels, None] if has_holes else levels)

    def parts(self, column: int, rows: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The rows of each branch."""
        values = self.table.columns[column].values
        return [tuple(row for row in rows if values[row] == label) for label in self.labels(column)]

    def score(self, column: int, rows: tuple[int, ...]) -> Decimal:
        """The information gain in bits."""
        return criteria.gain("entropy", [self.table.sample(part) for part in self.parts(column, rows) if part])

    def open(self, node: Node) -> list[Node]:
        """Ask the column with the largest gain (the first of equals) and give the children."""
        if len({self.table.target[row] for row in node.rows}) < 2:
            return []
        unit = criteria.best_possible("entropy", self.table.sample(node.rows))
        useful = [c for c in node.unused if sum(bool(part) for part in self.parts(c, node.rows)) > 1]
        best = min(useful, key=lambda c: -criteria.quantised(self.score(c, node.rows), unit), default=None)
        if best is None or self.score(best, node.rows) < self.min_gain - Decimal("1e-12"):
            return []
        node.column, node.gain, node.labels = best, self.score(best, node.rows), self.labels(best)
        left = tuple(c for c in node.unused if c != best)
        node.children = [self.node(node.path_rows, part, left) for part in self.parts(best, node.rows)]
        return node.children


def preorder(root: Node) -> list[Node]:
    """The node and all below it, parents first.

    >>> from oracle.table import Column
    >>> xor = Table((Column("nominal", (1, 1, 2, 2)), Column("nominal", (1, 2, 1, 2))), (0, 1, 1, 0), (1,) * 4, 2)
    >>> [(node.column, node.answer) for node in preorder(ID3(xor).run())]
    [(0, 0), (1, 0), (None, 0), (None, 1), (1, 0), (None, 1), (None, 0)]
    """
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += reversed(node.children)
    return found

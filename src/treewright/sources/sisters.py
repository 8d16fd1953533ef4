"""Counts of sisters: all children of a node are counted but the largest, which has what these leave of their parent.

So most rows of a level are not looked at. Counts are whole numbers: what is left is what would have been counted. A
source answers the same question, about fewer nodes. The tables of parents are kept until their children are counted,
of the largest nodes first, as long as they take no more than `MOST_BYTES`; else all children are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from treewright.sources.questions import CellTable, Integers

MOST_BYTES = 2**28  # of the tables of parents


@dataclass(frozen=True)
class Family:
    """A node that was split, with the places of its children in the next question and how many rows each has."""

    parent: int
    children: Sequence[int]
    rows: Sequence[int]


@dataclass
class Sisters:
    """The tables of the nodes that were split last, and which of their children are what others leave of them."""

    kept: dict[int, list[Integers]] = field(default_factory=dict)  # by node, the sums of each column
    left: dict[int, Family] = field(default_factory=dict)  # by the place of the child that is not counted

    def keep(self, tables: Mapping[int, Sequence[Integers]]) -> None:
        """Keep the tables of nodes for the next level, and only these."""
        self.kept, used = {}, 0
        for node, own in sorted(tables.items(), key=lambda one: -_rows(one[1])):
            used += sum(sums.nbytes for sums in own)
            if used > MOST_BYTES:
                break
            self.kept[node] = list(own)

    def to_count(self, families: Iterable[Family], wanted: Collection[int]) -> list[int]:
        """Choose the children whose columns are counted, so that the tables of all that are wanted are known.

        Examples
        --------
        >>> sisters = Sisters()
        >>> sisters.keep({0: [np.array([[0, 0, 0], [9, 9, 4]])]})
        >>> sisters.to_count([Family(0, children=[0, 1], rows=[6, 3])], wanted=[0])
        [1]
        >>> sisters.tables([0], {1: [np.array([[0, 0, 0], [3, 3, 1]])]})[0][0].tolist()
        [[0, 0, 0], [6, 6, 3]]
        """
        self.left = {}
        counted: list[int] = []
        for family in families:
            own = [child for child in family.children if child in wanted]
            largest = self._left_over(family, own)
            if largest is not None:
                self.left[largest] = family
                own = [child for child in family.children if child != largest]
            counted += own
        return sorted(counted)

    def _left_over(self, family: Family, wanted: Sequence[int]) -> int | None:
        """The child that is cheaper to be what is left than to be counted."""
        rows = dict(zip(family.children, family.rows, strict=True))
        tables = self.kept.get(family.parent)
        if not wanted or not tables or _rows(tables) != sum(family.rows):  # some rows went to no child
            return None
        largest = max(wanted, key=lambda child: rows[child])
        for_it_alone = sum(n for child, n in rows.items() if child not in wanted)
        return largest if for_it_alone < rows[largest] else None

    def tables(self, wanted: Iterable[int], counted: Mapping[int, Sequence[Integers]]) -> dict[int, list[Integers]]:
        """Give the tables of the children that are wanted; forgets those of their parents."""
        found = {}
        for child in wanted:
            if child not in self.left:
                found[child] = list(counted[child])
                continue
            family = self.left[child]
            others = [counted[other] for other in family.children if other != child]
            found[child] = [
                np.ascontiguousarray(whole - sum(parts))
                for whole, *parts in zip(self.kept[family.parent], *others, strict=True)
            ]
        self.kept = {}
        return found


def _rows(tables: Sequence[Integers]) -> int:
    return int(tables[0][:, 0].sum()) if tables else 0


def with_ends(sums: Sequence[Integers], root: Sequence[CellTable]) -> list[CellTable]:
    """Tables with the smallest and largest values that the cells have at the root: those of a node are among them."""
    return [(own, low, high) for own, (_, low, high) in zip(sums, root, strict=True)]


def families_of(
    parents: Iterable[int],
    children: Callable[[int], Iterable[int]],
    rows: Callable[[int], int],
    places: Mapping[int, int],
) -> list[Family]:
    """The children of nodes, by their places."""
    found = []
    for parent in parents:
        own = list(children(parent))
        found.append(Family(parent, [places[child] for child in own], [rows(child) for child in own]))
    return found

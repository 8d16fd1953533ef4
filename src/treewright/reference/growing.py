"""The growing loop that all algorithms share: look at a node, divide it, go on; and what a leaf answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from treewright.reference.arithmetic import Number
from treewright.reference.split import Division, Split
from treewright.reference.table import Cases, Place, Table
from treewright.reference.tally import Tally


@dataclass(frozen=True)
class Candidate:
    """What one column offers: its best division with the measures of it, or a word that says why there is none.

    `tried` holds every division that was compared, in the order of ties, each with its measures; `best` is the place of
    the best one. `steps` is what else was done on the way, such as merging levels.
    """

    column: int
    division: Division | None = None
    measures: Mapping[str, Number] = field(default_factory=dict)
    why: str = ""
    tried: Sequence[tuple[Division, Mapping[str, Number]]] = ()
    best: int | None = None
    steps: Sequence[Any] = ()

    @property
    def split(self) -> Split | None:
        """The test, if it can be asked."""
        return None if self.why or self.division is None else self.division.split


@dataclass(frozen=True)
class Choice:
    """Which candidate a node takes (by its place in the list; None if it stays a leaf), and a word that says why.

    `average` is the mean gain that a candidate had to reach, where an algorithm asks for that.
    """

    winner: int | None
    why: str = ""
    average: Number | None = None


@dataclass(eq=False)
class Node:
    """A node of a tree, and the trace of how it came about: its candidates and the choice among them.

    `path` is the branch taken at each ancestor; sorting by it gives preorder. `number` is its number in another tree,
    `surrogates` are tests that stand in for its own.
    """

    place: Place
    path: tuple[int, ...] = ()
    parent: Node | None = None
    answer: Number = None
    impurity: Number = None
    split: Split | None = None
    n_branches: int = 0
    children: list[Node] = field(default_factory=list)
    candidates: Sequence[Candidate] = ()
    choice: Choice | None = None
    number: int = -1
    surrogates: Sequence[Any] = ()

    @property
    def tally(self) -> Tally:
        """What its rows hold."""
        return self.place.tally

    @property
    def weight(self) -> Number:
        """The weight of its rows."""
        return self.tally.weight

    @property
    def rows(self) -> tuple[int, ...]:
        """Its rows."""
        return tuple(row for row, _ in self.place.cases)

    @property
    def gain(self) -> Number:
        """The fall of impurity from this node to its branches; 0 at a leaf."""
        if not self.children:
            return 0
        return self.impurity - sum(child.weight * child.impurity for child in self.children) / self.weight

    def majority(self) -> int:
        """Its class; a node without rows answers what its parent would."""
        path: list[Any] = []
        node: Node | None = self
        while node is not None:
            path += [node.tally.counts] if node.place.cases else []  # type: ignore[attr-defined]
            node = node.parent
        return majority(path)

    def preorder(self) -> Iterator[Node]:
        """The node and all below it, parents first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def become_leaf(self) -> None:
        """Drop what is below."""
        self.split, self.children = None, []


class Algorithm(ABC):
    """One way to grow a tree from a table: how a node is judged, and how its cases are divided."""

    def __init__(self, table: Table) -> None:
        self.table = table

    @abstractmethod
    def stop(self, place: Place) -> str | None:
        """The word of the rule that makes this node a leaf before any column is looked at; None if there is none."""

    @abstractmethod
    def candidates(self, place: Place) -> Sequence[Candidate]:
        """What every column offers."""

    @abstractmethod
    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Choice:
        """Choose among the candidates."""

    @abstractmethod
    def answer(self, node: Node) -> Number:
        """What the node would answer as a leaf."""

    def impurity(self, tally: Any) -> Number:
        """How mixed some rows are."""
        return 0

    def written(self, candidate: Candidate) -> Split:
        """The test of a candidate as a node stores it."""
        assert candidate.split is not None
        return candidate.split

    def divide(self, split: Split, cases: Cases, n_branches: int) -> list[Cases]:
        """The cases of each branch."""
        return list(split.parts(self.table, cases, n_branches))

    def parts_of(self, node: Node) -> list[Cases]:
        """The cases of each branch of a node."""
        assert node.split is not None
        return self.divide(node.split, node.place.cases, node.n_branches)

    def worth(self, node: Node) -> Number:
        """What opening a node is worth: the node worth most is opened first, of equals the first in preorder."""
        return 0

    def node(self, cases: Cases, above: Node | None = None, branch: int = 0) -> Node:
        """A new node with the test that it would make."""
        path, asked = ((), ()) if above is None else ((*above.path, branch), _asked(above))
        made = Node(Place(self.table, cases, len(path), asked), path, above)
        made.answer, made.impurity = self.answer(made), self.impurity(made.tally)
        self.look(made)
        return made

    def look(self, node: Node) -> None:
        """Judge the columns at a node and set its test, if it has one."""
        reason = self.stop(node.place) if node.place.cases else "empty"
        if reason is not None:
            node.choice = Choice(None, reason)
            return
        node.candidates = self.candidates(node.place)
        node.choice = self.choose(node.place, node.candidates)
        if node.choice.winner is not None:
            winner = node.candidates[node.choice.winner]
            assert winner.division is not None
            node.split, node.n_branches = self.written(winner), len(winner.division.branches)

    def grow(self, cases: Cases | None = None, most_leaves: float = float("inf")) -> Node:
        """Open nodes until none can be opened, or there are enough leaves; give the root."""
        root = self.node(self.table.cases() if cases is None else cases)
        waiting, leaves = [root], 1
        while waiting:
            waiting.sort(key=lambda node: (-self.worth(node), node.path))
            node = waiting.pop(0)
            if node.split is None or leaves + node.n_branches - 1 > most_leaves:
                node.become_leaf()
                continue
            leaves += node.n_branches - 1
            node.children = [self.node(part, node, branch) for branch, part in enumerate(self.parts_of(node))]
            waiting += node.children
        return root


def _asked(above: Node) -> tuple[int, ...]:
    assert above.split is not None
    return (*above.place.asked, above.split.column)


def majority(path: Sequence[Sequence[Number]]) -> int:
    """The class of a node, given the weights of the classes there and at every node above, up to the root.

    The heaviest; among equals the one that is strictly heaviest of them at the nearest node above that can tell, else
    the smallest number.

    >>> majority([(1, 1)]), majority([(1, 1), (2, 3)])
    (0, 1)
    """
    tied = _heaviest(path[0], range(len(path[0])))
    for counts in path:
        if len(winners := _heaviest(counts, tied)) == 1:
            return winners[0]
    return tied[0]


def _heaviest(counts: Sequence[Number], among: Sequence[int]) -> list[int]:
    return [k for k in among if counts[k] == max(counts[other] for other in among)]

"""Walk a fitted tree node by node: the estimator has decided, the method explains."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from treewright.lesson.methods.candidate import Branch, Candidate
from treewright.lesson.methods.method import Method
from treewright.lesson.routes import split_of
from treewright.reference.split import Split
from treewright.reference.sums import SumSplit
from treewright.reference.table import Cases, Place
from treewright.reference.tally import Tally
from treewright.tree.node import Node
from treewright.tree.tree import Tree


@dataclass(frozen=True)
class NodeLesson:
    """One node explained: what it holds, what every column offers, which one is asked and why, or why it is a leaf."""

    id: int
    path: tuple[str, ...]
    tally: Tally
    impurity: float | None
    candidates: tuple[Candidate, ...]
    winner: int | None  # place in the candidates
    agrees: bool  # whether the method's own verdict is what the fitted tree does
    why: str
    prediction: Any
    branches: tuple[tuple[str, int], ...]  # label and number of each child
    note: str = ""  # what else there is to say about the question that is asked

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no branches."""
        return not self.branches


def explain(tree: Tree, method: Method, routes: Iterable[Cases], max_nodes: int) -> list[NodeLesson]:
    """Explain the first nodes of a tree, parents before children."""
    told = []
    paths: dict[int, tuple[str, ...]] = {0: ()}
    asked: dict[int, tuple[int, ...]] = {0: ()}
    for i, cases in enumerate(islice(routes, max_nodes)):
        node = tree.node(i)
        place = Place(method.sample.table, cases, node.depth, asked.pop(i))
        told.append(_explain_node(node, method, place, paths.pop(i)))
        for child, label in zip(tree.child_ids(i), node.branch_labels, strict=True):
            paths[child] = (*told[-1].path, label)
            asked[child] = (*place.asked, int(tree.arrays["column"][i]))
    return told


def _explain_node(node: Node, method: Method, place: Place, path: tuple[str, ...]) -> NodeLesson:
    found = NodeLesson(
        id=node.id,
        path=path,
        tally=place.tally,
        impurity=method.impurity(place.tally) if place.cases else None,
        candidates=(),
        winner=None,
        agrees=True,
        why="",
        prediction=node.prediction,
        branches=tuple(zip(node.branch_labels, node.tree.child_ids(node.id), strict=True)),
    )
    return _leaf(found, method, place) if node.is_leaf else _inner(found, method, place, split_of(node.tree, node.id))


def _leaf(found: NodeLesson, method: Method, place: Place) -> NodeLesson:
    if not place.cases:
        return replace(found, why="no row came here, so it takes the answer of the node above")
    reason = method.stop(place)
    if reason is not None:
        return replace(found, why=reason)
    candidates = tuple(method.candidates(place))
    verdict = method.choose(place, candidates)
    agrees = verdict.winner is None
    return replace(found, candidates=candidates, why=verdict.why if agrees else method.taken_back(), agrees=agrees)


def _inner(found: NodeLesson, method: Method, place: Place, split: Split) -> NodeLesson:
    candidates = method.candidates(place)
    verdict = method.choose(place, candidates)
    own = None if verdict.winner is None else candidates[verdict.winner]
    if own is not None and own.split is not None and same_division(own.split, split, place):
        note = method.note_on(own.split, split)
        return replace(found, candidates=tuple(candidates), winner=verdict.winner, why=verdict.why, note=note)
    # The estimator broke a tie of rounding otherwise, or knows more groupings of levels than are listed here.
    winner = next((i for i, candidate in enumerate(candidates) if _offers(candidate, split)), None)
    if winner is not None and not _is_same(candidates[winner], split, place):
        candidates[winner] = _as_divided(candidates[winner], split, place, found)
    return replace(found, candidates=tuple(candidates), winner=winner, agrees=False, why=method.as_fitted())


def _offers(candidate: Candidate, split: Split) -> bool:
    """Whether a candidate stands for the column, or the sum, that a split asks."""
    if candidate.split is None:
        return candidate.column == split.column and not isinstance(split, SumSplit)
    return _alike(candidate.split, split)


def _is_same(candidate: Candidate, split: Split, place: Place) -> bool:
    return candidate.split is not None and same_division(candidate.split, split, place)


def same_division(one: Split, other: Split, place: Place) -> bool:
    """Tell whether two splits send the rows of a node, as far as they have a value, the same ways.

    Examples
    --------
    >>> from treewright.reference.table import Column, Table
    >>> table = Table((Column("numeric", (1.0, 4.0)),), (0, 1), (1.0, 1.0), n_classes=2)
    >>> same_division(Split(0, cuts=(1.0,)), Split(0, cuts=(2.5,)), Place(table, table.cases()))
    True
    """
    if not _alike(one, other):
        return False
    table = place.table
    pairs = {(one.way(table, row), other.way(table, row)) for row, _ in place.cases if one.asks(table, row)}
    return len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)


def _alike(one: Split | None, other: Split) -> bool:
    """Whether both ask the same column, or both a sum."""
    return type(one) is type(other) and one is not None and (one.column == other.column or isinstance(one, SumSplit))


def _as_divided(candidate: Candidate, split: Split, place: Place, found: NodeLesson) -> Candidate:
    """The candidate with the branches of the fitted tree in place of its own."""
    parts = split.parts(place.table, place.cases, len(found.branches))
    branches = [Branch(label, place.table.tally(part)) for (label, _), part in zip(found.branches, parts, strict=True)]
    return Candidate(
        candidate.column, found.branches[0][0], split, tuple(branches), candidate.measures, candidate.remark
    )

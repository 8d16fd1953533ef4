"""Shapley values of a stored tree by their definition: every coalition of players is asked.

A player is a column, or a weighted sum of columns (an oblique test): such a sum is a column that the tree made itself.
What a sum earns is parted among its columns by their shares in it. So is the equation of a node a player: unknown, it
answers what it gives to a row without any value; what it earns is parted by what each column adds beyond that.

The worth of a coalition: the row walks down the tree. A test that belongs to a player of the coalition sends the row
where the model sends it. Any other test is not known, and every branch is followed, by the weights of its training
rows. The test belongs to the column that tells where the row goes: the node's own, or that of the surrogate that
answers where the own one has no value. A row that is spread over all branches is spread in every coalition.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

Player = tuple[str, int]  # ("column", its number), ("sum", the node that tests it) or ("equation", its node)
STOPS, SPREADS = -1, -2


class Route(NamedTuple):
    """Who tells where a row goes at a node, and where: a branch, STOPS or SPREADS."""

    player: Player
    branch: int


class StoredTree:
    """The arrays of a stored tree (docs/design.md 2.2), with what each node answers."""

    def __init__(self, arrays: Mapping[str, Any], answers: Sequence[Sequence[float]]) -> None:
        self.arrays = arrays
        self.answers = answers
        self.children: list[list[int]] = [[] for _ in arrays["n_children"]]
        waiting: list[int] = []
        for node, n_children in enumerate(arrays["n_children"]):
            if waiting:
                self.children[waiting.pop()].append(node)
            waiting.extend([node] * int(n_children))

    def items(self, name: str, node: int) -> range:
        """The places of a node in the arrays of a list; none where the tree has no such list."""
        if f"{name}_start" not in self.arrays:
            return range(0)
        start = self.arrays[f"{name}_start"]
        return range(int(start[node]), int(start[node + 1]))

    def shares_of_branches(self, node: int) -> list[float]:
        """The part of the training weight in each branch; equal parts where no branch has any."""
        weights = [float(self.arrays["weight"][child]) for child in self.children[node]]
        whole = sum(weights)
        return [weight / whole if whole > 0 else 1 / len(weights) for weight in weights]

    # ---------------------------------------------------------------- where a row goes
    def route(self, node: int, row: Sequence[float]) -> Route:
        """Where the row goes at an inner node, and who tells it."""
        if self.arrays["kind"][node] == 3:
            own, branch = ("sum", node), self._branch_of_sum(node, row)
        else:
            column = int(self.arrays["column"][node])
            own, branch = ("column", column), self._branch_of_value(node, row[column])
        if branch is not None:
            return Route(own, branch)
        for k in self.items("surrogate", node):
            column = int(self.arrays["surrogate_column"][k])
            answer = self._branch_of_surrogate(node, k, row[column])
            if answer is not None:
                return Route(("column", column), answer)
        return Route(own, int(self.arrays["missing_branch"][node]))

    def _branch_of_value(self, node: int, x: float) -> int | None:
        if math.isnan(x):
            return None
        kind = self.arrays["kind"][node]
        if kind == 1:
            return 0 if x <= self.arrays["threshold"][node] else 1
        if kind == 4:
            return sum(x > self.arrays["interval_upper"][k] for k in self.items("interval", node))
        for k in self.items("level", node):
            if self.arrays["level"][k] == x:
                return int(self.arrays["level_branch"][k])
        return None

    def _branch_of_sum(self, node: int, row: Sequence[float]) -> int | None:
        total = unknown = 0.0
        for k in self.items("term", node):
            x, level = row[int(self.arrays["term_column"][k])], self.arrays["term_level"][k]
            if math.isnan(x):
                total += self.arrays["term_filler"][k]
                unknown += self.arrays["term_share"][k]
            else:
                total += self.arrays["term_weight"][k] * (x if level == 0 else x == level)
        return None if unknown > 0.5 else int(not total <= self.arrays["threshold"][node])

    def _branch_of_surrogate(self, node: int, k: int, x: float) -> int | None:
        if math.isnan(x):
            return None
        threshold, flip = self.arrays["surrogate_threshold"][k], self.arrays["surrogate_flip"][k]
        if not math.isnan(threshold):
            return int((x <= threshold) == bool(flip))
        which = k - self.items("surrogate", node).start
        for at in self.items("surrogate_level", node):
            if self.arrays["surrogate_level_which"][at] == which and self.arrays["surrogate_level_level"][at] == x:
                return int(self.arrays["surrogate_level_branch"][at])
        return None

    # ---------------------------------------------------------------- the game
    def worth(self, row: Sequence[float], known: frozenset[Player], node: int = 0) -> list[float]:
        """What the tree answers on average when only the players of a coalition are known."""
        if not self.children[node]:
            return self.answer(node, row, known)
        route = self.route(node, row)
        if route.player in known and route.branch == STOPS:
            return self.answer(node, row, known)
        if route.player in known and route.branch != SPREADS:
            return self.worth(row, known, self.children[node][route.branch])
        below = [self.worth(row, known, child) for child in self.children[node]]
        shares = self.shares_of_branches(node)
        return [sum(share * part[k] for share, part in zip(shares, below, strict=True)) for k in range(len(below[0]))]

    def players(self, row: Sequence[float]) -> list[Player]:
        """Everyone who tells something about the row at some node."""
        inner = [node for node, below in enumerate(self.children) if below]
        players = {self.route(node, row).player for node in inner}
        if "equation_start" in self.arrays:
            ends = [n for n, below in enumerate(self.children) if not below or self.route(n, row).branch == STOPS]
            players |= {("equation", node) for node in ends}
        return sorted(players)

    def answer(self, node: int, row: Sequence[float], known: frozenset[Player]) -> list[float]:
        """What the node where a row ends answers."""
        if "equation_start" not in self.arrays:
            return list(self.answers[node])
        return [self.equation(node, row if ("equation", node) in known else [math.nan] * len(row))]

    def equation(self, node: int, row: Sequence[float]) -> float:
        """What the equation of a node gives for a row."""
        total = float(self.arrays["intercept"][node]) + sum(self._summands(node, row).values())
        if "lowest" in self.arrays:
            total = min(max(total, float(self.arrays["lowest"][node])), float(self.arrays["highest"][node]))
        return total

    def _summands(self, node: int, row: Sequence[float]) -> dict[int, float]:
        given = {}
        for k in self.items("equation", node):
            x, level = row[int(self.arrays["equation_column"][k])], self.arrays["equation_level"][k]
            known = self.arrays["equation_weight"][k] * (x if level == 0 else x == level)
            given[k] = float(known if math.isfinite(x) else self.arrays["equation_filler"][k])
        return given

    def parts_of(self, player: Player, row: Sequence[float], n_columns: int) -> list[float]:
        """How what a player earns is parted among the columns."""
        parts = [0.0] * n_columns
        if player[0] == "column":
            parts[player[1]] = 1.0
            return parts
        if player[0] == "equation":
            bare = self._summands(player[1], [math.nan] * len(row))
            added = {k: given - bare[k] for k, given in self._summands(player[1], row).items()}
            whole = sum(added.values())
            for k, more in added.items():
                parts[int(self.arrays["equation_column"][k])] += more / whole if whole else 0.0
            return parts
        shares = {k: float(self.arrays["term_share"][k]) for k in self.items("term", player[1])}
        whole = sum(shares.values())
        for k, share in shares.items():
            parts[int(self.arrays["term_column"][k])] += share / whole if whole > 0 else 1 / len(shares)
        return parts


def shapley_values(tree: StoredTree, row: Sequence[float], n_columns: int) -> list[list[float]]:
    """The Shapley value of every column for every number of the answer: columns × numbers."""
    players = tree.players(row)
    n_numbers = len(tree.answers[0])
    values = [[0.0] * n_numbers for _ in range(n_columns)]
    for player in players:
        others = [other for other in players if other != player]
        earned = [0.0] * n_numbers
        for size in range(len(players)):
            weight = 1 / (len(players) * math.comb(len(players) - 1, size))
            for coalition in combinations(others, size):
                before = tree.worth(row, frozenset(coalition))
                after = tree.worth(row, frozenset({*coalition, player}))
                earned = [e + weight * (a - b) for e, a, b in zip(earned, after, before, strict=True)]
        for column, part in enumerate(tree.parts_of(player, row, n_columns)):
            values[column] = [v + part * e for v, e in zip(values[column], earned, strict=True)]
    return values


def expected_value(tree: StoredTree, row: Sequence[float]) -> list[float]:
    """What the tree answers when nobody is known."""
    return tree.worth(row, frozenset())


def against_background(
    tree: StoredTree, row: Sequence[float], background: Sequence[Sequence[float]], n_columns: int
) -> list[list[float]]:
    """Shapley values when what is not known is taken from the rows of a background in turn: columns × numbers."""
    columns = range(n_columns)
    n_numbers = len(tree.answers[0])

    def worth(known: set[int]) -> list[float]:
        mixed = [[row[c] if c in known else other[c] for c in columns] for other in background]
        everything = frozenset(("column", c) for c in columns)
        answers = [tree.worth(one, everything) for one in mixed]
        return [sum(answer[k] for answer in answers) / len(background) for k in range(n_numbers)]

    values = [[0.0] * n_numbers for _ in columns]
    for column in columns:
        others = [c for c in columns if c != column]
        for size in range(n_columns):
            weight = 1 / (n_columns * math.comb(n_columns - 1, size))
            for coalition in combinations(others, size):
                before, after = worth({*coalition}), worth({*coalition, column})
                values[column] = [v + weight * (a - b) for v, a, b in zip(values[column], after, before, strict=True)]
    return values

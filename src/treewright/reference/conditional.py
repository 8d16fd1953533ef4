"""Conditional inference trees (Hothorn, Hornik and Zeileis 2006): test every column, ask the most significant one, then
look for its best cut.

Read `permutation_test` first. Where p has no formula it comes from `chance`: permutations that are drawn, or the tail
of a maximum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from treewright.reference.arithmetic import Number
from treewright.reference.chance import chance_of_maximum, permuted
from treewright.reference.divisions import level_cuts, ordered_cuts
from treewright.reference.growing import Algorithm, Candidate, Choice, Node
from treewright.reference.permutation_test import Influence, Matrix, in_steps, log_sidak, moments, moments_of_sums
from treewright.reference.split import Division, Split
from treewright.reference.table import Cases, Place, Table, ValueTable
from treewright.reference.upper_tail import log_chi_square_tail

_STEPS_OF_LOG = 2.0**26
_CERTAIN = 0.5 * math.log(np.finfo(float).tiny)  # below this p is as good as zero and only the statistic counts
_IN_OR_OUT = np.array([[1.0], [0.0]])


@dataclass(frozen=True)
class Recipe:
    """The numbers a user may set, by the names a user types."""

    alpha: float = 0.05
    test: str = "bonferroni"
    statistic: str = "quadratic"
    split_statistic: str | None = None
    min_samples_split: float = 20
    min_samples_leaf: float = 7
    min_branch_share: float = 0.01
    split_tries: int = 2
    max_depth: int | None = None
    ordinal_target: bool = False
    class_scores: tuple[float, ...] = ()
    n_permutations: int = 9999
    seed: int = 0
    missing: str = "larger"
    max_surrogates: int = 0

    @property
    def adjusts(self) -> bool:
        """Whether p-values pay for the number of columns."""
        return "bonferroni" in self.test

    @property
    def has_formula(self) -> bool:
        """Whether p comes from the chi-square distribution (and not from permutations or a maximum)."""
        return not self.test.startswith("monte_carlo") and self.statistic == "quadratic"


@dataclass(frozen=True)
class Surrogate:
    """A cut of another column that stands in where the node's own has no value; where it is turned, left is right."""

    split: Split
    turned: bool


def ranked(candidates: Sequence[Candidate], weight: float, kind: str = "quadratic") -> list[int]:
    """Smallest p first, then the larger statistic, then the later column, as ctree does; columns without a test not.

    >>> likely, unlikely = ({"log_p_adjusted": log_p, "statistic": 1.0} for log_p in (-0.1, -9.0))
    >>> ranked([Candidate(0, measures=likely), Candidate(1, measures=unlikely), Candidate(2)], weight=20.0)
    [1, 0]
    """

    def key(i: int) -> tuple[int, int, int]:
        measures = candidates[i].measures
        chance = round(max(measures["log_p_adjusted"], _CERTAIN) * _STEPS_OF_LOG)
        return chance, -in_steps(measures["statistic"], weight, kind), -i

    return sorted((i for i, candidate in enumerate(candidates) if "log_p_adjusted" in candidate.measures), key=key)


class Conditional(Algorithm):
    """One table and one recipe.

    >>> from treewright.reference.table import Column
    >>> ages = Table((Column("numeric", tuple(range(40))),), (0,) * 20 + (1,) * 20, (1.0,) * 40, n_classes=2)
    >>> [age] = Conditional(ages, Recipe()).candidates(Place(ages, ages.cases()))
    >>> round(age.measures["statistic"], 3), age.measures["degrees"], age.split
    (29.268, 1.0, Split(column=0, cuts=(19,), levels={}, missing=1))
    """

    def __init__(self, table: Table, recipe: Recipe) -> None:
        super().__init__(table)
        self.recipe = recipe

    @cached_property
    def influence(self) -> Influence:
        """An indicator for each class, but one score for two classes or classes in an order."""
        n_classes, scores = self.table.n_classes, self.recipe.class_scores
        if not scores and (n_classes == 2 or (n_classes and self.recipe.ordinal_target)):
            scores = tuple(float(k + 1) for k in range(n_classes))
        return Influence(scores)

    def stop(self, place: Place) -> str | None:
        """Too light, pure, or too deep."""
        if place.tally.weight < self.recipe.min_samples_split:
            return "min_samples_split"
        if place.tally.is_pure:
            return "pure"
        return "max_depth" if self.recipe.max_depth is not None and place.depth >= self.recipe.max_depth else None

    # ------------------------------------------------------------------------------------------ the tests
    def candidates(self, place: Place) -> list[Candidate]:
        """Test every column; then look for a cut in the significant ones, best first."""
        tested = [self.with_p(place, self.tested(place, j)) for j in range(len(self.table.columns))]
        m = sum("log_p" in candidate.measures for candidate in tested) if self.recipe.adjusts else 1
        found = [self.adjusted(candidate, m) for candidate in tested]
        for i in self.ranked(place, found)[: self.recipe.split_tries]:
            if not self.is_significant(found[i]):
                break
            found[i] = self.with_cut(place, found[i])
            if found[i].split is not None:
                break
        return found

    def tested(self, place: Place, j: int) -> Candidate:
        """The statistic of a column on the rows where it is known."""
        table = place.values_of(j)
        if len(table.values) < 2 or table.known.is_pure:
            return Candidate(j, why="nothing to test")
        found = moments(self.transform(j, table), table.tallies, self.influence)
        statistic, degrees = found.statistic(self.recipe.statistic)
        return Candidate(j, measures={"statistic": statistic, "degrees": float(degrees)})

    def transform(self, j: int, table: ValueTable) -> Matrix:
        """g(x) of each value: an indicator for each level; a number, or the place of an ordinal level, itself."""
        if self.table.columns[j].kind == "nominal":
            return np.eye(len(table.values))
        return np.array(table.values, dtype=float).reshape(-1, 1)

    def with_p(self, place: Place, candidate: Candidate) -> Candidate:
        """The candidate with the chance of so large a statistic."""
        if not candidate.measures:
            return candidate
        statistic, degrees = candidate.measures["statistic"], candidate.measures["degrees"]
        if self.recipe.test.startswith("monte_carlo"):
            log_p = self.log_p_by_permutations(place, candidate.column, statistic)
        elif self.recipe.statistic == "quadratic":
            log_p = log_chi_square_tail(statistic, degrees)
        else:
            table = place.values_of(candidate.column)
            found = moments(self.transform(candidate.column, table), table.tallies, self.influence)
            log_p = chance_of_maximum(statistic, found.spread_g, found.spread_h, self.recipe.seed)
        return replace(candidate, measures={**candidate.measures, "log_p": min(log_p, 0.0)})

    def log_p_by_permutations(self, place: Place, j: int, observed: float) -> float:
        """(1 + how many permutations reach the statistic) / (1 + how many there were), as a logarithm.

        The rows are put in order of their value and, apart from that, in order of their target before anything is
        drawn, so that the answer does not depend on the order of the table. A row of weight 2 is two rows.
        """
        table, column, target = place.values_of(j), self.table.columns[j], self.table.target
        copies = [
            row for row in column.known([row for row, _ in place.cases]) for _ in range(int(self.table.weights[row]))
        ]
        n, kind, reached = len(copies), self.recipe.statistic, 1
        codes = np.array(sorted(table.values.index(column.values[row] or 0) for row in copies))
        y = np.array(sorted(target[row] for row in copies))
        h = self.influence.of_class(self.table.n_classes)[y] if self.table.n_classes else y.reshape(-1, 1).astype(float)
        g, weights = self.transform(j, table), np.bincount(codes).astype(float)
        mean_h, spread_h = self.influence.spread(table.known)
        for repeat in range(self.recipe.n_permutations):
            sums = np.zeros((len(table.values), h.shape[1]))
            np.add.at(sums, codes, h[permuted(n, self.recipe.seed, j, repeat)])
            statistic, _ = moments_of_sums(g, weights, sums, mean_h, spread_h).statistic(kind)
            reached += in_steps(statistic, n, kind) >= in_steps(observed, n, kind)
        return math.log(reached / (self.recipe.n_permutations + 1))

    def adjusted(self, candidate: Candidate, m: int) -> Candidate:
        """p becomes 1 - (1 - p)^m, with m the number of columns that could be tested."""
        if "log_p" not in candidate.measures:
            return candidate
        adjusted = log_sidak(candidate.measures["log_p"], m)
        return replace(candidate, measures={**candidate.measures, "log_p_adjusted": adjusted})

    def is_significant(self, candidate: Candidate) -> bool:
        """Whether the adjusted p is small enough."""
        return bool(candidate.measures["log_p_adjusted"] < math.log(self.recipe.alpha))

    def ranked(self, place: Place, candidates: Sequence[Candidate]) -> list[int]:
        """The candidates that could be tested, best first."""
        return ranked(candidates, place.tally.weight, self.recipe.statistic)

    # ------------------------------------------------------------------------------------------ the cut of the winner
    def least_side(self, place: Place) -> Number:
        """The weight that each side of a cut must have."""
        share = math.ceil(self.recipe.min_branch_share * place.tally.weight)
        return max(self.recipe.min_samples_leaf, share)

    def with_cut(self, place: Place, candidate: Candidate) -> Candidate:
        """The candidate with the admissible cut of the largest statistic, the first of equals."""
        table, least = place.values_of(candidate.column), self.least_side(place)
        kind = self.recipe.split_statistic or self.recipe.statistic
        cuts = [c for c in self.cuts(candidate.column, table) if min(b.weight for b in c.branches) >= least]
        scores = [moments(_IN_OR_OUT, cut.branches, self.influence).statistic(kind)[0] for cut in cuts]
        steps = [in_steps(score, table.known.weight, kind) for score in scores]
        if not cuts or max(steps) <= 0:
            return replace(candidate, why="no cut")
        best = steps.index(max(steps))
        tried = [(cut, {"statistic": score}) for cut, score in zip(cuts, scores, strict=True)]
        return replace(candidate, division=cuts[best], tried=tried, best=best)

    def cuts(self, j: int, table: ValueTable) -> Iterator[Division]:
        """Every cut in two. They lie on observed values, not between them; missing values go to the heavier side."""
        column = self.table.columns[j]
        is_nominal = column.kind == "nominal"
        found = level_cuts(j, table, self.table.n_classes, False) if is_nominal else ordered_cuts(column, j, table)
        for cut in found:
            left, right = cut.branches
            cuts = (cut.between[0],) if cut.between else ()
            yield replace(cut, split=replace(cut.split, cuts=cuts, missing=0 if left.weight > right.weight else 1))

    def choose(self, place: Place, candidates: Sequence[Candidate]) -> Choice:
        """Take the most significant column that has a cut."""
        order = self.ranked(place, candidates)
        if not order:
            return Choice(None, "no test")
        winner = next((i for i in order if candidates[i].split is not None), None)
        if winner is not None:
            return Choice(winner, "best")
        return Choice(None, "no cut" if self.is_significant(candidates[order[0]]) else "not significant")

    # ------------------------------------------------------------------------------------------ whole trees
    def answer(self, node: Node) -> Number:
        """The majority or the mean."""
        tally: Any = node.tally
        return node.majority() if self.table.n_classes else tally.mean

    def parts_of(self, node: Node) -> list[Cases]:
        """Rows without a value follow the first surrogate that has one, else the larger child."""
        assert node.split is not None
        if self.recipe.missing == "surrogates":
            node.surrogates = self.surrogates(node)
        parts: list[list[tuple[int, Number]]] = [[], []]
        for row, weight in node.place.cases:
            parts[self.side(row, [Surrogate(node.split, False), *node.surrogates])].append((row, weight))
        return list(parts)

    def side(self, row: int, ways: Sequence[Surrogate]) -> int:
        """The branch that the first test gives that has one for the row's value."""
        for way in ways:
            branch = replace(way.split, missing=None).way(self.table, row)
            if branch is not None:
                return int(branch != way.turned)
        return int(ways[0].split.missing or 0)

    def surrogates(self, node: Node) -> list[Surrogate]:
        """The surrogates of a node in the order in which they are asked, as partykit finds them.

        Which way the rows with a value in the node's own column go is a target of two classes. Every other column is
        tested against it, and the most significant ones are cut, whatever the size of the sides.
        """
        own = node.split
        assert own is not None
        cases = [case for case in node.place.cases if own.asks(self.table, case[0])]
        sides = tuple(own.way(self.table, row) or 0 for row in range(len(self.table.target)))
        asked = replace(self.table, target=sides, n_classes=2)
        plain = replace(self.recipe, ordinal_target=False, class_scores=(), test="univariate")
        search = Conditional(asked, replace(plain, min_samples_leaf=0, min_branch_share=0.0))
        place = Place(asked, cases)
        columns = [j for j in range(len(asked.columns)) if j != own.column]
        tests = [search.with_p(place, search.tested(place, j)) for j in columns]
        found = []
        for test in _most_significant([test for test in tests if test.measures])[: self.recipe.max_surrogates]:
            cut = search.with_cut(place, test).division
            if cut is not None:
                found.append(Surrogate(cut.split, _is_turned(cut)))
        return found


def _is_turned(cut: Division) -> bool:
    """Whether more of a surrogate's left rows go right. Which side of levels is left depends on their order, so both
    sides count; of a threshold partykit counts the left one only."""
    left, right = (branch.counts for branch in cut.branches)  # type: ignore[attr-defined]
    if cut.split.levels:
        return bool(left[0] + right[1] < left[1] + right[0])
    return bool(left[0] < left[1])


def _most_significant(tests: Sequence[Candidate]) -> list[Candidate]:
    """Smallest p first. Where p is zero to the last bit of 1 - p, partykit means to go by the statistic.

    It adds `order` of the statistics where their rank is meant. With two such columns that is the same; with three and
    more it need not be. We do as it does.
    """
    tests = [test for test in tests if _log_in_steps(test.measures["log_p"]) < 0]  # with p = 1 nothing is told
    if not tests:
        return []
    logs = [test.measures["log_p"] for test in tests]
    chances = [math.log1p(-math.exp(log_p)) for log_p in logs]
    steps = [_log_in_steps(log_p) for log_p in logs]
    best = min(range(len(tests)), key=lambda i: (steps[i], i))
    tied = [
        i for i in range(len(tests)) if abs(chances[i] - chances[best]) < np.finfo(float).eps or steps[i] == steps[best]
    ]
    statistics = [_log_in_steps(math.log(tests[i].measures["statistic"])) for i in tied]
    by_statistic = sorted(range(len(tied)), key=lambda i: statistics[i])  # stable
    bonus = {place: by_statistic[i] + 1 for i, place in enumerate(tied)} if len(tied) > 1 else {}
    return [tests[i] for i in sorted(range(len(tests)), key=lambda i: (-bonus.get(i, 0), steps[i], i))]


def _log_in_steps(logarithm: float) -> int:
    return math.floor(logarithm * _STEPS_OF_LOG + 0.5)


def grow(table: Table, recipe: Recipe) -> list[Node]:
    """Grow a tree by the definition; the nodes come in preorder.

    >>> from treewright.reference.table import Column
    >>> table = Table((Column("numeric", tuple(range(40))),), (0,) * 20 + (1,) * 20, (1,) * 40, n_classes=2)
    >>> [(node.path, len(node.rows), node.split and node.split.cuts) for node in grow(table, Recipe())]
    [((), 40, (19,)), ((0,), 20, None), ((1,), 20, None)]
    """
    return list(Conditional(table.as_floats(), recipe).grow().preorder())

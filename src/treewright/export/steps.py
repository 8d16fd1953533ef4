"""The rules of a tree as steps with three ways on: the rule holds, it fails, the row has no value."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from treewright.export.program import ABOVE, BELOW, KNOWN, MEMBER, SUM_ABOVE, SUM_BELOW, NodeTable, Program

GOES_ON = -1


@dataclass
class Steps:
    """Rules as steps, one after the other; a cut that stands there twice, at most and above, is one step.

    Behind the rules of a node stands its end, which a row does not leave; or, where other rows go on to a child, a mark
    of that child, to which no way leads.
    """

    column: list[int] = field(default_factory=list)
    number: list[float] = field(default_factory=list)
    codes: list[tuple[int, ...] | None] = field(default_factory=list)
    above: list[bool] = field(default_factory=list)
    yes: list[int] = field(default_factory=list)
    no: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # the node; GOES_ON; below that a mark

    def is_tree(self) -> bool:
        """Whether every step is entered by one way."""
        entered = Counter(
            target
            for at, ways in enumerate(zip(self.yes, self.no, self.missing, strict=True))
            if self.ends[at] == GOES_ON
            for target in set(ways)
        )
        return max(entered.values(), default=1) == 1


def steps_of(program: Program) -> list[Steps]:
    """Give the steps of every tree; weighted sums are the columns behind those of the table, tree after tree.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> steps = steps_of(program_of(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20])))[0]
    >>> steps.number[0], steps.yes[0], steps.no[0], steps.missing[0], steps.ends
    (1.5, 2, 3, 2, [-1, -3, 1, 2])
    """
    place = {column: at for at, column in enumerate(program.used)}
    n_columns, found = len(place), []
    for tree in program.trees:
        found.append(_tree_steps(tree, place, n_columns))
        n_columns += len(tree.sums)
    return found


def _tree_steps(tree: NodeTable, place: dict[int, int], first_sum: int) -> Steps:
    steps, starts = Steps(), [0] * tree.n_nodes
    children: list[tuple[int, int, int | None]] = []  # step, the child of its rule, and of the other side of its cut
    for node in range(tree.n_nodes):
        starts[node] = len(steps.ends)
        rules = _rules_that_matter(tree, node)
        while rules:
            rule = rules.pop(0)
            other = rules.pop(0) if rules and _is_other_side(tree, rule, rules[0]) else None
            at = _add_rule(steps, tree, rule, place, first_sum)
            children.append((at, tree.rule_child[rule], None if other is None else tree.rule_child[other]))
        fallback = tree.fallback[node]
        _add_step(steps, 0, math.inf, node if fallback < 0 else -2 - fallback)
    for at, child, other_child in children:
        steps.yes[at] = starts[child]
        steps.no[at] = steps.no[at] if other_child is None else starts[other_child]
    return _with_fallbacks(steps, starts)


def _rules_that_matter(tree: NodeTable, node: int) -> list[int]:
    """The rules of a node; sets of levels that lead where all other rows go need not be asked."""
    rules, fallback = list(tree.rules(node)), tree.fallback[node]
    one_column = len({tree.rule_column[rule] for rule in rules}) == 1
    if one_column and all(tree.rule_kind[rule] == MEMBER for rule in rules):
        return [rule for rule in rules if tree.rule_child[rule] != fallback]
    return rules


def _add_rule(steps: Steps, tree: NodeTable, rule: int, place: dict[int, int], first_sum: int) -> int:
    kind, number = tree.rule_kind[rule], tree.rule_number[rule]
    column, cut = place.get(tree.rule_column[rule], -1), number
    if kind in (SUM_BELOW, SUM_ABOVE):
        column, cut = first_sum + int(number), tree.sums[int(number)][1]
    at = _add_step(steps, column, math.inf if kind in (KNOWN, MEMBER) else cut)
    steps.codes[at] = tree.sets[int(number)] if kind == MEMBER else None
    steps.above[at] = kind in (ABOVE, SUM_ABOVE)
    return at


def _is_other_side(tree: NodeTable, rule: int, following: int) -> bool:
    sides = {(BELOW, ABOVE), (SUM_BELOW, SUM_ABOVE)}
    same = (tree.rule_column[rule], tree.rule_number[rule]) == (
        tree.rule_column[following],
        tree.rule_number[following],
    )
    return same and (tree.rule_kind[rule], tree.rule_kind[following]) in sides


def _add_step(steps: Steps, column: int, number: float, ends: int = GOES_ON) -> int:
    at = len(steps.ends)
    steps.column.append(max(column, 0))
    steps.number.append(number)
    steps.codes.append(None)
    steps.above.append(False)
    following = at if ends >= 0 else at + 1
    for targets in (steps.yes, steps.no, steps.missing):
        targets.append(following)
    steps.ends.append(ends)
    return at


def _with_fallbacks(steps: Steps, starts: list[int]) -> Steps:
    """Replace the marks by the steps that they stand for."""

    def lead(at: int) -> int:
        while steps.ends[at] <= -2:
            at = starts[-2 - steps.ends[at]]
        return at

    for targets in (steps.yes, steps.no, steps.missing):
        targets[:] = [lead(at) for at in targets]
    return steps


def longest_way(steps: Steps) -> int:
    """How many steps a row takes at most; a step leads to steps behind it or back to those of a child.

    >>> longest_way(Steps([0], [0.0], [None], [False], [0], [0], [0], [0]))
    0
    """
    longest = {at: 0 for at, ends in enumerate(steps.ends) if ends != GOES_ON}
    waiting = [0]
    while waiting:
        at = waiting[-1]
        below = {steps.yes[at], steps.no[at], steps.missing[at]} if steps.ends[at] == GOES_ON else set()
        unknown = [target for target in below if target not in longest]
        if at in longest or not unknown:
            longest.setdefault(at, 1 + max((longest[target] for target in below), default=-1))
            waiting.pop()
        else:
            waiting += unknown
    return longest[0]

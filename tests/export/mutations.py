"""Programs with one number, branch, level or answer changed, and whether any row can tell."""

from __future__ import annotations

import copy
import math
import random
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from export.exported import fitted_models
from export.told_apart import Held, as_it_is, row_that_tells
from treewright.errors import DataError
from treewright.export.expected import Answers, expected_answers
from treewright.export.model_program import program_of
from treewright.export.probes import probes
from treewright.export.program import ABOVE, BELOW, MEMBER, NodeTable, Program
from treewright.export.proof import first_difference, holds
from treewright.export.runtimes import Questions, Runtime

Step = Callable[[float, float], float]  # from a cut towards an infinity


def mutate(program: Program, rng: random.Random, step: Step = math.nextafter) -> tuple[Program, str] | None:
    """Give the program with one thing changed, and what; None where the draw has nothing to change.

    `step` moves a cut to the next number that the format can tell from it, upwards or downwards.
    """
    changed = replace(program, trees=list(program.trees))
    place = rng.randrange(len(program.trees))
    tree = changed.trees[place] = copy.deepcopy(program.trees[place])
    kind = rng.choice(["cut", "branch", "level", "answer", "missing", "coefficient"])
    done = _cut(tree, rng, step) if kind == "cut" else _CHANGES[kind](tree, rng)
    return (changed, kind) if done else None


def _cut(tree: NodeTable, rng: random.Random, step: Step) -> bool:
    rules = [rule for rule, kind in enumerate(tree.rule_kind) if kind in (BELOW, ABOVE)]
    if not rules:
        return False
    first = rng.choice(rules)
    node = bisect_right(tree.rule_start, first) - 1
    old, column = tree.rule_number[first], tree.rule_column[first]
    new = step(old, rng.choice([-math.inf, math.inf]))
    for rule in tree.rules(node):  # a cut stands there twice: at most, and above
        if tree.rule_kind[rule] in (BELOW, ABOVE) and (tree.rule_number[rule], tree.rule_column[rule]) == (old, column):
            tree.rule_number[rule] = new
    return True


def _branch(tree: NodeTable, rng: random.Random) -> bool:
    nodes = [node for node in range(tree.n_nodes) if len({tree.rule_child[rule] for rule in tree.rules(node)}) > 1]
    if not nodes:
        return False
    rules = tree.rules(rng.choice(nodes))
    first = rng.choice(rules)
    second = next(rule for rule in rules if tree.rule_child[rule] != tree.rule_child[first])
    tree.rule_child[first], tree.rule_child[second] = tree.rule_child[second], tree.rule_child[first]
    return True


def _level(tree: NodeTable, rng: random.Random) -> bool:
    rules = [rule for rule, kind in enumerate(tree.rule_kind) if kind == MEMBER]
    if not rules:
        return False
    at = int(tree.rule_number[rng.choice(rules)])
    codes = tree.sets[at]
    tree.sets[at] = codes[1:] if len(codes) > 1 else (2 if codes[0] == 1 else 1,)
    return True


def _answer(tree: NodeTable, rng: random.Random) -> bool:
    ends = [node for node in range(tree.n_nodes) if tree.fallback[node] == -1 and node not in tree.equations]
    if not ends:
        return False
    node, output = rng.choice(ends), rng.randrange(tree.answers.shape[1])
    tree.answers[node, output] += 0.001
    return True


def _missing(tree: NodeTable, rng: random.Random) -> bool:
    nodes = [node for node in range(tree.n_nodes) if tree.fallback[node] >= 0]
    if not nodes:
        return False
    node = rng.choice(nodes)
    others = [child for child in {tree.rule_child[rule] for rule in tree.rules(node)} if child != tree.fallback[node]]
    if not others:
        return False
    tree.fallback[node] = rng.choice(sorted(others))
    return True


def _coefficient(tree: NodeTable, rng: random.Random) -> bool:
    """A weight of an equation or of a weighted sum by its billionth part; the cut of a sum by one unit."""
    ends = [node for node in sorted(tree.equations) if tree.fallback[node] == -1]
    places = [("equation", node) for node in ends] + [("sum", at) for at in range(len(tree.sums))]
    if not places:
        return False
    kind, at = rng.choice(places)
    terms = tree.equations[at].terms if kind == "equation" else tree.sums[at][0]
    which, factor = rng.randrange(len(terms) + 1), 1 + rng.choice([-1e-9, 1e-9])
    if which < len(terms):
        changed = replace(terms[which], weight=terms[which].weight * factor)
        terms = (*terms[:which], changed, *terms[which + 1 :])
    is_constant = which == len(terms)
    if kind == "equation":
        intercept = tree.equations[at].intercept * (factor if is_constant else 1.0)
        tree.equations[at] = replace(tree.equations[at], terms=terms, intercept=intercept)
    else:
        cut = tree.sums[at][1]
        tree.sums[at] = (terms, _one_unit(cut, rng) if is_constant else cut)
    return True


def _one_unit(number: float, rng: random.Random) -> float:
    return math.nextafter(number, rng.choice([-math.inf, math.inf]))


_CHANGES = {
    "branch": _branch,
    "level": _level,
    "answer": _answer,
    "missing": _missing,
    "coefficient": _coefficient,
}


def tells(program: Program, mutant: Program, by_nodes: bool = True, held: Held = as_it_is) -> bool:
    """Say whether any row ends elsewhere or gets another answer; without `by_nodes` only answers count."""
    return any(
        row_that_tells(program, first, second, by_nodes, held) is not None
        for first, second in zip(program.trees, mutant.trees, strict=True)
        if first is not second
    )


# Mutants of a format, and how many of them its proof catches.


@dataclass(frozen=True)
class Known:
    """A model, its program, and what it answers to its probes."""

    model: Any
    program: Program
    asked: Questions
    expected: Answers

    def differs(self, found: Answers, runtime: type[Runtime]) -> bool:
        what = "numbers" if self.program.labels is None else "classes"
        exact = self.program.is_exact and what in runtime.keeps_bits
        return first_difference(self.asked, self.expected, found, 0 if exact else runtime.units) is not None


def known_model(model: Any, most: int, rows: Any = None) -> Known:
    program = program_of(model)
    rows = probes(program, most) if rows is None else rows(program)
    columns = [program.columns[at] for at in program.used]
    asked = Questions([{"name": c.name, "holds": holds(c)} for c in columns], rows, program.labels)
    return Known(model, program, asked, expected_answers(model, program, rows))


def models_for(refuse: Callable[[Program], None] = lambda _: None) -> list[Any]:
    """Give every kind of model that a format can say."""
    found = []
    for _, model in fitted_models():
        try:
            refuse(program_of(model))
        except DataError:
            continue
        found.append(model)
    return found


def mutants_of(
    of: Known, n: int, rng: random.Random, written: Callable[[Program], Any], step: Step = math.nextafter
) -> Iterator[tuple[Program, str, Any]]:
    """Give changed programs, what was changed, and the file; a change that is not written is none of the export.

    Formats say a test by levels once: those of one branch, and all others go to the other.
    """
    whole = written(of.program)
    while n:
        found = mutate(of.program, rng, step)
        file = None if found is None else written(found[0])
        if found is not None and file != whole:
            n -= 1
            yield *found, file


Tried = tuple[Known, Program, str, bool]  # what was changed, and whether the proof caught it


@dataclass(frozen=True)
class Outcome:
    """How many changes were tried, how many are shown to change nothing, and those that no probe caught."""

    tried: int
    none: int
    missed: list[tuple[str, str]]

    def __str__(self) -> str:
        caught = self.tried - self.none - len(self.missed)
        share = caught / max(1, caught + len(self.missed))
        told = f"{self.tried:,} tried, {caught:,} caught, {self.none:,} change nothing, {len(self.missed)} missed"
        return f"{told}: {share:.3%}"

    @property
    def nearly_all(self) -> bool:
        """Whether at least 99.9 % of what changes anything was caught."""
        return 1000 * len(self.missed) <= self.tried - self.none


def outcome_of(
    tried: list[Tried], by_nodes: Callable[[Program], bool] = lambda _: True, held: Held = as_it_is
) -> Outcome:
    """Look at what was not caught: a change that no row shows is none. `by_nodes`: whether a file tells nodes."""
    left = [(known, mutant, what) for known, mutant, what, caught in tried if not caught]
    missed = [
        (known.program.title, what)
        for known, mutant, what in left
        if tells(known.program, mutant, by_nodes(known.program), held)
    ]
    return Outcome(len(tried), len(left) - len(missed), missed)


def shares(total: int, n: int) -> list[int]:
    """So many mutations of each of n models."""
    return [total // n + (i < total % n) for i in range(n)]

"""The smallest change of a row that changes its answer: fewest columns first, then the smallest sum of changes."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from treewright.errors import DataError, nearest
from treewright.inspection.conditions import LevelSet, NumberRange, ValueSet, branch_values
from treewright.inspection.decision_path import answer, branch_by_test, number_of_node, take_step, weighted_sum
from treewright.table.schema import Column
from treewright.tree.format import name_text, number_text
from treewright.tree.node import Node
from treewright.tree.stored import SPREADS, STOPS
from treewright.tree.tree import Tree

# The answer that a change shall bring about: another class, a certain class, or a number below or above a bound.


@dataclass(frozen=True, slots=True)
class DesiredOutcome:
    """What the answer shall be. `kind` is "other" (than the value), "class", "below" or "above".

    Examples
    --------
    >>> DesiredOutcome("other", "apple").holds("lemon"), DesiredOutcome("below", 20.0).holds(23.4)
    (True, False)
    >>> DesiredOutcome("above", 30.0).words
    'above 30'
    """

    kind: str
    value: Any

    def holds(self, answer: Any) -> bool:
        """Whether an answer is what was wanted."""
        if self.kind == "below":
            return bool(answer < self.value)
        if self.kind == "above":
            return bool(answer > self.value)
        return bool((answer == self.value) == (self.kind == "class"))

    @property
    def words(self) -> str:
        """The wanted answer in words."""
        if self.kind == "other":
            return f"another answer than {name_text(self.value)}"
        return name_text(self.value) if self.kind == "class" else f"{self.kind} {number_text(self.value)}"


def read_wanted(
    classes: tuple[Any, ...] | None, answer: Any, not_class: Any, below: float | None, above: float | None
) -> DesiredOutcome | None:
    """Read what was asked for; without a question the answer of a classification shall be another one.

    Examples
    --------
    >>> read_wanted(("no", "yes"), "yes", None, None, None)
    DesiredOutcome(kind='other', value='yes')
    """
    asked = [
        name for name, value in (("not_class", not_class), ("below", below), ("above", above)) if value is not None
    ]
    if len(asked) > 1:
        raise DataError(f"'{asked[0]}' and '{asked[1]}' do not go together. Leave out one of them.")
    if classes is None:
        if not_class is not None:
            raise DataError("This model predicts numbers, so there is no 'not_class'. Use 'below' or 'above'.")
        return _bound(answer, below, above)
    if below is not None or above is not None:
        raise DataError(f"This model predicts classes, so there is no '{asked[0]}'. Use 'not_class'.")
    if not_class is None:
        return DesiredOutcome("other", answer)
    if not_class not in classes:
        near = nearest(str(not_class), map(str, classes))
        raise DataError(f"'not_class' is {not_class!r}, which is no class of the model. {near}")
    if not_class == answer:
        raise DataError(f"The answer is {name_text(answer)} already. Name another class.")
    return DesiredOutcome("class", not_class)


def _bound(answer: float, below: float | None, above: float | None) -> DesiredOutcome | None:
    if below is None and above is None:
        return None
    wanted = (
        DesiredOutcome("below", float(below)) if below is not None else DesiredOutcome("above", float(above or 0.0))
    )
    if wanted.holds(answer):
        raise DataError(f"The answer is {number_text(answer)}, which is {wanted.words} already. Name another bound.")
    return wanted


# The nearest value of a column that belongs to a set, and how far away it is.


_JUST = 0.01  # of the scale: how far beyond a border a short number may lie


def nearest_value(allowed: ValueSet, old: float, column: Column, scale: float) -> float | None:
    """Give the nearest known value that belongs to the set; None where there is none.

    Of a number that is whole the nearest whole one is taken, if there is one; else a short number just beyond the
    border. A level that the tests name is preferred to one that goes the way of missing values.

    Examples
    --------
    >>> age = Column("age", "numeric")
    >>> nearest_value(NumberRange(low=41.5), 38.0, age, 10.0), nearest_value(NumberRange(low=41.5), 38.2, age, 10.0)
    (42.0, 41.6)
    >>> nearest_value(NumberRange(low=1.25, high=1.75), 5.0, age, 10.0)
    1.7
    """
    if isinstance(allowed, LevelSet):
        codes = allowed.codes
        if column.kind == "ordinal" and old == old:
            return float(min(codes, key=lambda code: abs(code - old))) if codes else None
        return float(codes[0]) if codes else None
    if not allowed.known or (None not in (allowed.low, allowed.high) and allowed.low >= allowed.high):  # type: ignore[operator]
        return None
    if old in allowed and old == old:
        return old
    if column.value_type != "number":
        return _whole(allowed, old)
    if old != old or float(old).is_integer():
        found = _whole(allowed, old)
        if found is not None:
            return found
    return _just_inside(allowed, old, scale)


def _goes_up(allowed: NumberRange, old: float) -> bool:
    return allowed.low is not None and (old <= allowed.low or (old != old and allowed.high is None))


def _whole(allowed: NumberRange, old: float) -> float | None:
    border = allowed.low if _goes_up(allowed, old) else allowed.high
    if border is None:
        return 0.0
    if not math.isfinite(border):
        return None
    found = float(math.floor(border) + (1 if _goes_up(allowed, old) else 0))
    return found if found in allowed else None


def _just_inside(allowed: NumberRange, old: float, scale: float) -> float:
    room = _JUST * scale if math.isfinite(scale) else 1.0
    if _goes_up(allowed, old):
        assert allowed.low is not None
        low = allowed.low
        found = _short_number(low, low + room, above=True)
        return found if found in allowed and math.isfinite(found) else math.nextafter(low, math.inf)
    assert allowed.high is not None
    found = _short_number(allowed.high - room, allowed.high, above=False)
    return found if found in allowed and math.isfinite(found) else allowed.high


def _short_number(low: float, high: float, above: bool) -> float:
    """Give the number with fewest decimals above `low` and at most `high`, next to the border."""
    for decimals in range(16):
        unit = 10.0**decimals
        near = (low if above else high) * unit
        if not math.isfinite(near):
            break
        found = round((math.floor(near) + (1 if above else 0)) / unit, decimals)
        if low < found <= high:
            return found
    return math.nan


def distance(allowed: ValueSet, old: float, column: Column, scale: float) -> float:
    """Tell how large the change is: to the border in units of the scale; 1 for another level, and for a first value.

    Examples
    --------
    >>> distance(NumberRange(low=41.5), 38.0, Column("age", "numeric"), 10.0)
    0.35
    >>> distance(LevelSet.of([3], size := Column("size", "ordinal", "text", ("S", "M", "L"))), 1.0, size, 2.0)
    1.0
    """
    if old != old or column.kind == "nominal":
        return 1.0
    if isinstance(allowed, LevelSet):
        gap = min(abs(code - old) for code in allowed.codes)
    else:
        border = allowed.low if _goes_up(allowed, old) else allowed.high
        gap = 0.0 if border is None else abs(border - old)
    size = gap / scale if scale > 0 else math.inf
    return size if math.isfinite(size) else 1.0


# The smallest change of a row that changes its answer: fewest columns first, then the smallest sum of changes.


_CLOSE = 1e-9  # relative: how far beyond a hyperplane a number is put, so that rounding cannot bring it back


@dataclass(frozen=True)
class Counterfactual:
    """A changed row: the new value of each changed column, the set it had to come from, and the new answer."""

    changes: dict[int, float]
    sets: dict[int, ValueSet]
    cost: float
    node: int
    answer: Any


@dataclass(frozen=True)
class _State:
    node: int
    new: dict[int, float] = field(default_factory=dict)
    costs: dict[int, float] = field(default_factory=dict)
    sets: dict[int, ValueSet] = field(default_factory=dict)
    is_end: bool = False

    @property
    def price(self) -> tuple[int, float]:
        return len(self.new), math.fsum(self.costs.values())


class CounterfactualSearch:
    """Searches the nearest row with a wanted answer.

    Parameters
    ----------
    tree : Tree
    values : sequence of float
        The row, as the tree reads it.
    fixed : set of int
        Columns that may not change.
    scales : sequence of float
        What a change of 1 is in each column.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> search = CounterfactualSearch(example_tree(), [1.0, 70.0], set(), [1.0, 10.0])
    >>> search.find(DesiredOutcome("other", "yes"))
    Counterfactual(changes={1: 83.0}, sets={1: NumberRange(low=82.5, ...)}, cost=1.25, ...)
    """

    def __init__(self, tree: Tree, values: Sequence[float], fixed: set[int], scales: Sequence[float]) -> None:
        self.tree = tree
        self.values = list(values)
        self.fixed = fixed
        self.scales = scales
        self._waiting: list[tuple[tuple[int, float], int, int, _State]] = []
        self._pushed = 0
        self._spreads = bool((tree.arrays["missing_branch"] == SPREADS).any())

    def find(self, wanted: DesiredOutcome) -> Counterfactual | None:
        """Give the nearest row with a wanted answer; None where no allowed change leads to one."""
        self._waiting, self._pushed = [], 0
        self._push(_State(0))
        while self._waiting:
            state = heapq.heappop(self._waiting)[-1]
            if not state.is_end and self.tree.arrays["n_children"][state.node]:
                self._go_down(state)
                continue
            if self._may_answer(state.node, wanted):
                found = answer(self.tree, self._row(state))
                if wanted.holds(found):
                    sets = {column: state.sets[column] for column in state.new}
                    return Counterfactual(state.new, sets, state.price[1], state.node, found)
            if not state.is_end:
                self._along_the_equation(state, wanted)
        return None

    def _may_answer(self, node: int, wanted: DesiredOutcome) -> bool:
        """Whether a row that ends at a node may get a wanted answer; to answer every row anew would take long."""
        arrays = self.tree.arrays
        if "equation_start" in arrays or self._spreads:
            return True
        return wanted.holds(Node(self.tree, node).prediction)

    def _push(self, state: _State) -> None:
        self._pushed += 1
        heapq.heappush(self._waiting, (state.price, state.node, self._pushed, state))

    def _row(self, state: _State) -> list[float]:
        row = self.values.copy()
        for column, value in state.new.items():
            row[column] = value
        return row

    def _go_down(self, state: _State) -> None:
        row = self._row(state)
        step = take_step(self.tree.arrays, state.node, row)
        if step.branch == STOPS:
            self._push(_State(state.node, state.new, state.costs, state.sets, is_end=True))
        by_surrogates = step.by != "test" and "surrogate_start" in self.tree.arrays
        for branch, child in enumerate(self.tree.child_ids(state.node)):
            key, allowed = branch_values(self.tree, state.node, branch)
            goes_there = step.branch in (branch, SPREADS)
            if isinstance(key, int):
                if goes_there:
                    self._push(self._narrowed(state, child, key, allowed))
                if not goes_there or step.branch == SPREADS or by_surrogates:
                    self._push_changed(state, child, key, allowed)
            elif goes_there:
                self._push(_State(child, state.new, state.costs, state.sets))
            else:
                self._push_over_the_plane(state, child, branch, row)

    def _narrowed(self, state: _State, child: int, column: int, allowed: ValueSet) -> _State:
        """The same row, one branch further: a later change of the column must not leave this branch."""
        both = _meet(state.sets.get(column), allowed)
        costs = state.costs
        if column in state.new:  # the border may be further away now
            about = self.tree.schema.columns[column]
            costs = {**costs, column: distance(both, self.values[column], about, self.scales[column])}
        return _State(child, state.new, costs, {**state.sets, column: both})

    def _push_changed(self, state: _State, child: int, column: int, allowed: ValueSet, final: bool = False) -> None:
        """Go to a child by changing one column, if that is allowed and there is such a value."""
        if column in self.fixed:
            return
        both = _meet(state.sets.get(column), allowed)
        about, old, scale = self.tree.schema.columns[column], self.values[column], self.scales[column]
        value = nearest_value(both, old, about, scale)
        if value is None or value == old:
            return
        new, sets = {**state.new, column: value}, {**state.sets, column: both}
        costs = {**state.costs, column: distance(both, old, about, scale)}
        self._push(_State(child, new, costs, sets, is_end=final))

    def _push_over_the_plane(self, state: _State, child: int, branch: int, row: list[float]) -> None:
        arrays = self.tree.arrays
        total, _ = weighted_sum(arrays, state.node, row)
        threshold = float(arrays["threshold"][state.node])
        for column, level, weight, filler in _terms(self.tree, state.node, "term"):
            if level:
                self._push_other_levels(state, child, branch, column, row)
                continue
            rest = total - (filler if row[column] != row[column] else weight * row[column])
            allowed = _half_line((threshold - rest) / weight, below=(weight > 0) == (branch == 0)) if weight else None
            if allowed is not None:
                self._push_changed(state, child, column, allowed)

    def _push_other_levels(self, state: _State, child: int, branch: int, column: int, row: list[float]) -> None:
        about = self.tree.schema.columns[column]
        fitting = []
        for code in range(1, len(about.levels) + 1):
            row_then = [*row[:column], float(code), *row[column + 1 :]]
            if branch_by_test(self.tree.arrays, state.node, row_then) == branch:
                fitting.append(code)
        if fitting:
            self._push_changed(state, child, column, LevelSet.of(fitting, about))

    def _along_the_equation(self, state: _State, wanted: DesiredOutcome) -> None:
        """Inside a leaf with an equation, each of its numbers can bring the answer over the bound."""
        if wanted.kind not in ("below", "above") or "equation_start" not in self.tree.arrays:
            return
        row = self._row(state)
        now = number_of_node(self.tree, state.node, row)
        for column, level, weight, _ in _terms(self.tree, state.node, "equation"):
            if not level and weight and math.isfinite(row[column]):
                bound = row[column] + (wanted.value - now) / weight
                allowed = _half_line(bound, below=(weight > 0) == (wanted.kind == "below"))
                self._push_changed(state, state.node, column, allowed, final=True)


def _meet(known: ValueSet | None, allowed: ValueSet) -> ValueSet:
    return allowed if known is None else known.meet(allowed)  # type: ignore[arg-type]


def _half_line(bound: float, below: bool) -> NumberRange:
    beyond = _CLOSE * max(abs(bound), 1e-300)
    return NumberRange(high=bound - beyond) if below else NumberRange(low=bound + beyond)


def _terms(tree: Tree, node: int, name: str) -> list[tuple[int, int, float, float]]:
    arrays = tree.arrays
    part = slice(int(arrays[f"{name}_start"][node]), int(arrays[f"{name}_start"][node + 1]))
    fields = (arrays[f"{name}_{field}"][part].tolist() for field in ("column", "level", "weight", "filler"))
    return [(int(column), int(level), weight, filler) for column, level, weight, filler in zip(*fields, strict=True)]

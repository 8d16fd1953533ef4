"""The sums of naive Bayes asked of rows that come in batches: each is summed where it lies, then they are added."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from treewright.learners.base.sums_by_class import RowsByClass, Units
from treewright.learners.base.tallies import Tallies
from treewright.learners.base.whole_sums import Floats, Whole, weight_shift
from treewright.learners.naive_bayes.class_sums import FEW_VALUES, different_values
from treewright.sources.batches import EncodedRows, ask_encoded, counted_rows
from treewright.sources.questions import Plan
from treewright.sources.source import Source

Values = dict[int, Floats]  # of numeric columns by their place among these: different values


@dataclass(frozen=True)
class AskedRows:
    """A source that can be asked for its rows, or whose workers can."""

    source: Source
    plan: Plan

    def tallies(self) -> Tallies:
        """Weights, levels, ends."""
        found: Tallies = self._ask(_tallies, Tallies.together)
        return found

    def sums(self, units: Units) -> Whole:
        """Sums of numbers."""
        found: Whole = self._ask(partial(_sums, units=units), _added)
        return found

    def square_sums(self, units: Units, means: Floats) -> Whole:
        """Sums of squares around the means."""
        found: Whole = self._ask(partial(_squares, units=units, means=means), _added)
        return found

    def value_counts(self, most: Floats) -> Floats:
        """How many different values numeric columns have, of which no more than so many are counted."""
        asked = {place: min(float(own), FEW_VALUES) for place, own in enumerate(most)}
        found = self._values(asked)
        again = {place: own for place, own in enumerate(most) if own > FEW_VALUES <= len(found[place])}
        found |= self._values(again) if again else {}
        return np.array([float(len(found[place])) for place in range(len(most))])

    def _values(self, most: Mapping[int, float]) -> Values:
        found: Values = self._ask(partial(_values, most=most), partial(_all_values, most=most))
        return found

    def _ask(self, question: Callable[[EncodedRows, Plan], Any], together: Callable[[list[Any]], Any]) -> Any:
        return ask_encoded(self.source, self.plan, question, together)


# ---------------------------------------------------------------- what is asked of one batch


def _by_class(rows: EncodedRows, plan: Plan) -> RowsByClass:
    kinds = [column.kind for column in plan.schema.columns]
    numbers = [np.asarray(own, dtype=float) for own, kind in zip(rows.columns, kinds, strict=True) if kind == "numeric"]
    return RowsByClass.of(numbers, rows.truth, rows.weights, plan.n_classes)


def _tallies(given: EncodedRows, plan: Plan) -> Tallies:
    rows = counted_rows(given)
    levelled = [j for j, column in enumerate(plan.schema.columns) if column.kind != "numeric"]
    codes, sizes = [rows.columns[j] for j in levelled], [len(plan.schema.columns[j].levels) for j in levelled]
    shift = weight_shift(plan.heaviest)
    return Tallies.of(_by_class(rows, plan), codes, sizes, rows.truth, rows.weights, shift)


def _sums(given: EncodedRows, plan: Plan, units: Units) -> Whole:
    return units.sums(_by_class(counted_rows(given), plan))


def _squares(given: EncodedRows, plan: Plan, units: Units, means: Floats) -> Whole:
    return units.square_sums(_by_class(counted_rows(given), plan), means)


def _values(given: EncodedRows, plan: Plan, most: Mapping[int, float]) -> Values:
    numbers = _by_class(counted_rows(given), plan).numbers
    return {place: different_values(numbers[place], own) for place, own in most.items()}


# ---------------------------------------------------------------- answers together


def _added(parts: Sequence[Whole]) -> Whole:
    return sum(parts[1:], parts[0])


def _all_values(parts: Sequence[Values], most: Mapping[int, float]) -> Values:
    return {
        place: different_values(np.concatenate([part[place] for part in parts]), own) for place, own in most.items()
    }

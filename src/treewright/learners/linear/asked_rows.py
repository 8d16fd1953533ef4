"""The sums of a linear regression asked of rows in batches: each batch is summed where it lies, then they add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.design_matrix import Columns, Design, Floats
from treewright.learners.base.sums_by_class import RowsByClass, Units
from treewright.learners.base.tallies import Tallies
from treewright.learners.base.whole_sums import Whole, weight_shift
from treewright.learners.linear.sums_of_rows import Residuals, between_places, quarter_places
from treewright.learners.linear.whole_products import Frame, WholeProducts
from treewright.sources.batches import EncodedRows, ask_encoded, counted_rows
from treewright.sources.questions import Integers, Plan
from treewright.sources.source import Source

_KEY_BITS = 64
_ROUND_BITS = 16  # of the keys of residuals that one question looks at


@dataclass(frozen=True)
class AskedRows:
    """A source that can be asked for its rows, or whose workers can."""

    source: Source
    plan: Plan

    @property
    def heaviest(self) -> float:
        """The largest weight."""
        return self.plan.heaviest

    @property
    def n_rows(self) -> int:
        """How many rows have some weight."""
        return int(self.plan.facts["n_counted"])

    @property
    def target_ends(self) -> tuple[float, float]:
        """The smallest and the largest number of the target."""
        return float(self.plan.facts["low"]) + 0.0, float(self.plan.facts["high"]) + 0.0

    def tallies(self) -> Tallies:
        """Weights, levels, ends."""
        found: Tallies = self._ask(_tallies, Tallies.together)
        return found

    def sums(self, units: Units) -> Whole:
        """Sums of the columns of numbers."""
        found: Whole = self._ask(partial(_sums, units=units), _added)
        return found

    def products(self, design: Design, frame: Frame) -> WholeProducts:
        """Sums of products of the columns of the matrix."""
        found: WholeProducts = self._ask(partial(_products, design=design, frame=frame), WholeProducts.together)
        return found

    def residual_quarters(self, residuals: Residuals) -> Floats:
        """Residuals in their order are looked for a few bits at a time: how many have which bits is asked."""
        places = quarter_places(self.n_rows)
        keys = {place: 0 for place in places.ravel().tolist()}  # the bits that are known
        left = {place: place for place in keys}  # its place among those of the same bits
        for shift in range(_KEY_BITS - _ROUND_BITS, -1, -_ROUND_BITS):
            known = sorted(set(keys.values()))
            counts: Integers = self._ask(partial(_key_counts, residuals=residuals, known=known, shift=shift), _added)
            for place, key in keys.items():
                below = np.cumsum(counts[known.index(key)])
                bits = int(np.searchsorted(below, left[place], side="right"))
                left[place] -= int(below[bits - 1]) if bits else 0
                keys[place] = (key << _ROUND_BITS) | bits
        values = _number_of(np.array([[keys[place] for place in row] for row in places.tolist()], dtype=np.uint64))
        return between_places(values, self.n_rows)

    def _ask(self, question: Callable[[EncodedRows, Plan], Any], together: Callable[[list[Any]], Any]) -> Any:
        return ask_encoded(self.source, self.plan, question, together)


def _added(parts: Sequence[Any]) -> Any:
    return sum(parts[1:], parts[0])


# ---------------------------------------------------------------- what is asked of one batch


def _columns(rows: EncodedRows, plan: Plan) -> Columns:
    kinds = [column.kind for column in plan.schema.columns]
    numeric = tuple(j for j, kind in enumerate(kinds) if kind == "numeric")
    levelled = tuple(j for j, kind in enumerate(kinds) if kind != "numeric")
    numbers, codes = np.empty((len(rows.truth), len(numeric))), np.empty((len(rows.truth), len(levelled)), np.int32)
    for place, j in enumerate(numeric):
        numbers[:, place] = rows.columns[j]
    for place, j in enumerate(levelled):
        codes[:, place] = rows.columns[j]
    return Columns(plan.schema, numbers, codes, numeric, levelled)


def _roots(rows: EncodedRows) -> Floats | None:
    return None if rows.weights is None else np.sqrt(rows.weights)


def _by_class(rows: EncodedRows, columns: Columns) -> RowsByClass:
    return RowsByClass.of(columns.numbers, np.zeros(len(rows.truth), dtype=np.int64), rows.weights, 1)


def _tallies(given: EncodedRows, plan: Plan) -> Tallies:
    rows = counted_rows(given)
    columns = _columns(rows, plan)
    codes = [columns.codes[:, place] for place in range(len(columns.levelled))]
    sizes = [len(plan.schema.columns[j].levels) for j in columns.levelled]
    alike, shift = np.zeros(len(rows.truth), dtype=np.int64), weight_shift(plan.heaviest)
    return Tallies.of(_by_class(rows, columns), codes, sizes, alike, rows.weights, shift)


def _sums(given: EncodedRows, plan: Plan, units: Units) -> Whole:
    rows = counted_rows(given)
    return units.sums(_by_class(rows, _columns(rows, plan)))


def _products(given: EncodedRows, plan: Plan, design: Design, frame: Frame) -> WholeProducts:
    rows = counted_rows(given)
    return WholeProducts.of(design.matrix(_columns(rows, plan)), rows.truth, _roots(rows), frame)


def _key_counts(given: EncodedRows, plan: Plan, residuals: Residuals, known: Sequence[int], shift: int) -> Integers:
    """How many residuals have which bits next, of those that begin as is known: beginnings × bits."""
    rows = counted_rows(given)
    keys = _keys_of(residuals.of(residuals.design.matrix(_columns(rows, plan)), rows.truth, _roots(rows)))
    bits = ((keys >> np.uint64(shift)) & np.uint64(2**_ROUND_BITS - 1)).astype(np.int64)
    if shift == _KEY_BITS - _ROUND_BITS:  # nothing is known yet
        return np.bincount(bits, minlength=2**_ROUND_BITS)[None]
    begins = keys >> np.uint64(shift + _ROUND_BITS)
    counts = [np.bincount(bits[begins == np.uint64(own)], minlength=2**_ROUND_BITS) for own in known]
    return np.array(counts, dtype=np.int64)


_SIGN = np.uint64(2**63)


def _keys_of(numbers: Floats) -> NDArray[np.uint64]:
    """Whole numbers in the order of doubles."""
    words = (numbers + 0.0).view(np.uint64)
    return np.where(words & _SIGN, ~words, words | _SIGN)


def _number_of(keys: NDArray[np.uint64]) -> Floats:
    words = np.where(keys & _SIGN, keys ^ _SIGN, ~keys)
    return words.view(np.float64)

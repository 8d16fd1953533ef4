"""Rows in which the last bit of a number of a formula shows: found by changing the number and trying rows.

A unit in the last place of a weight is lost in most rows, since larger terms are added to it. It shows where large
terms nearly cancel: there a sum next to 0 holds the last bits of all of them. Such rows are made by halving the way
between two numbers of a column for which the sum has different signs. Weights behind units of tanh show in rows that
drive all of these to their ends, where every library has the same bits. What goes into a tanh is changed by its
billionth part: a unit in the last place is less than what two libraries differ by.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.export.arriving_rows import DATES, Cell
from treewright.export.formula import ALIKE, Formula, Unit
from treewright.export.formula_probes import input_value, input_values, score_slack, unit_sum, unit_values
from treewright.export.formula_spots import Spot, all_spots, moved
from treewright.export.probes import whole_dates

Floats = NDArray[np.float64]
_SIZES = (0.1, 1.0, 3.0, 30.0, 1e3)  # of drawn numbers, in spreads of their column
_FAR = (1e5, 1e7, 1e9)  # numbers that drive units to their ends
_WIDE = (10.0, 1e3, 1e6)  # how far apart, in spreads, the ends are between which a sum changes its sign
_HALVINGS = 80
_ALL = 10**9  # terms
_SOURCES = 12  # units before one, of which the sums are made 0 as well: exactly 0 is the same bits in every library
_ANYWHERE = -1  # in place of a unit: rows as they were drawn
_POOLS = 150  # of all numbers together
_MOST_SUMMED = 12_000_000  # rows × terms of all pools: each is added up for every halving
_MOST_WORK = 60_000  # numbers that are changed × terms
_EDGES = 3_000  # rows at the edge of the rounding of a score
_EDGE_POOLS = 40
_OF_A_LEVEL = 12_000  # drawn rows that have a level
_FAR_ROWS = 60_000  # of which most are left out
_MOST_VALUES = 6_000_000  # rows × inputs and units of one pool
_LOST = 1e-3  # a term that is smaller as a share of what it is added to shows at ties of the rounding alone


@dataclass(frozen=True)
class Pool:
    """Rows as codes, the value of every input and unit in them, their scores, and how far off these may be."""

    codes: Floats
    values: Floats
    scores: Floats
    limit: Floats


def telling_rows(formula: Formula, codes: Floats) -> list[list[Cell]]:
    """Give rows that tell a formula from those with one number moved by a unit, as far as the rows of `codes` do not.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_formula import formula_of
    >>> model = tw.LinearRegression().fit([[1, 5], [2, 3], [4, 4]], [10, 20, 35])
    >>> len(telling_rows(formula_of(model), np.array([[0.0, 0.0]]))) > 0
    True
    """
    search = _Search(formula)
    first = search.pool_of(codes)
    found: dict[bytes, Floats] = {}
    for spot, mutant in _mutants(formula):
        if search.telling(first, spot, mutant) is not None:
            continue
        for pool in search.pools(spot):
            row = search.telling(pool, spot, mutant)
            if row is not None:
                found.setdefault(row.tobytes(), row)
                break
    return [_cells(formula, row) for row in found.values()]


def _mutants(formula: Formula) -> Iterator[tuple[Spot, Formula]]:
    """Every number, moved down and up; evenly spread some of them where there are too many."""
    spots = all_spots(formula)
    most = max(50, _MOST_WORK // max(1, formula.n_terms))
    chosen = np.unique(np.linspace(0, len(spots) - 1, min(most, len(spots))).astype(int)).tolist() if spots else []
    for spot in (spots[at] for at in chosen):
        for towards in (-math.inf, math.inf):
            yield spot, moved(formula, spot, towards)
        if spot.name == "terms":  # where its last bit shows in no row, its sign may still
            weight = formula.units[spot.place].terms[spot.term][1]
            yield spot, moved(formula, spot, math.inf, -weight)


class _Search:
    """Pools of rows of a formula, made when they are asked for."""

    def __init__(self, formula: Formula, seed: int = 2) -> None:
        self.formula = formula
        self.first = len(formula.inputs)  # the number of the first unit
        self.rng = np.random.default_rng(seed)
        self.known: dict[tuple[int, int, int, int], Pool] = {}
        self.edges: dict[tuple[int, ...], Pool] = {}
        self.summed = 0  # rows × terms, about
        self.readers: list[list[int]] = [[] for _ in range(self.first + len(formula.units))]
        for place, unit in enumerate(formula.units):
            for source in unit.sources:
                self.readers[source].append(place)

    # ---------------------------------------------------------------- rows
    def pool_of(self, codes: Floats) -> Pool:
        """Evaluate rows."""
        formula = self.formula
        values = np.empty((len(codes), self.first + len(formula.units)), order="F")  # read by columns
        with np.errstate(all="ignore"):
            values[:, : self.first] = input_values(formula, codes)
            for place, unit in enumerate(formula.units):
                values[:, self.first + place] = unit_values(unit, values, codes)
            scores, slack = self._scores(values), score_slack(formula, codes)
            return Pool(codes, values, scores, np.zeros(scores.shape) if slack is None else slack)

    def pools(self, spot: Spot) -> Iterator[Pool]:
        """Rows in which a sum that the number goes into is next to 0: first the nearest sum, then the scores."""
        source = spot.place if spot.of == "input" else self.first + spot.place
        gone = self.formula.inputs[spot.place].column if spot.name == "fill" else -1
        nearest = [spot.place] if spot.of == "unit" else self.readers[source][:3]
        sums = [*((place, _ALL) for place in nearest), (_ANYWHERE, _ALL)]
        sums += [(output - self.first, _ALL) for output in self.formula.outputs]
        tries = [(600, *one) for one in sums] + [(6_000, *one) for one in sums]
        if spot.name == "terms":
            tries.append((6_000, spot.place, spot.term + 1))
            sources = [source - self.first for source, _ in self.formula.units[spot.place].terms]
            tries += [(6_000, source, _ALL) for source in sources if source >= 0][:_SOURCES]
        for key in dict.fromkeys((gone, *one) for one in tries):
            if key not in self.known and len(self.known) < _POOLS and self.summed < _MOST_SUMMED:
                self.known[key] = self.pool_of(self._rows(*key))
                self.summed += key[1] * self.formula.n_terms // len(self.formula.units)
            if key in self.known:
                yield self.known[key]
        if self.formula.has_exact_scores:
            yield from self._edge_pools(spot, gone)

    def _edge_pools(self, spot: Spot, gone: int) -> Iterator[Pool]:
        """Rows at which a score is about to become the next double: a sum that was moved by less does so elsewhere."""
        column, level = self._level_of(spot)
        for output in self.formula.outputs:
            yield from self._made_once(self._edge_rows, (gone, column, level, output))
        if column >= 0:
            yield from self._made_once(self._rows_of_a_level, (gone, column, level))
        if spot.of == "unit":
            for reader in self.readers[self.first + spot.place]:
                yield from self._made_once(self._tie_rows, (gone, column, level, spot.place, reader))

    def _made_once(self, rows: Callable[..., Floats], key: tuple[int, ...]) -> Iterator[Pool]:
        if key not in self.edges and len(self.edges) < _EDGE_POOLS and self.summed < 2 * _MOST_SUMMED:
            self.edges[key] = self.pool_of(rows(*key))
            self.summed += _EDGES * self.formula.n_terms // len(self.formula.units)
        if key in self.edges:
            yield self.edges[key]

    def _at_most(self, n: int) -> int:
        return min(n, _MOST_VALUES // (self.first + len(self.formula.units)))

    def _level_of(self, spot: Spot) -> tuple[int, int]:
        """The level that a weight is of, with its column; -1 and 0 where it is of none."""
        if spot.name == "terms":
            source = self.formula.units[spot.place].terms[spot.term][0]
            entry = self.formula.inputs[source] if 0 < source < self.first else None
            if entry is not None and entry.level > 0:
                return entry.column, entry.level
        return -1, 0

    def _rows_of_a_level(self, gone: int, column: int, level: int) -> Floats:
        codes = self._drawn(self._at_most(_OF_A_LEVEL), gone, _SIZES)
        codes[:, column] = level
        return codes

    def _tie_rows(self, gone: int, column: int, level: int, place: int, reader: int) -> Floats:
        """Rows in which a unit is lost beside other terms, and lies where their sum is rounded up or down.

        A unit may answer 0 unless numbers are far out, where others are so large that its last bits show there alone.
        """
        formula, terms = self.formula, self.formula.units[reader].terms
        numbers = [at for at in formula.used if _is_plain_number(formula, at) and at != gone]
        weight = next((weight for source, weight in terms if source == self.first + place), 0.0)
        codes = self._drawn(self._at_most(_FAR_ROWS) if numbers and weight else 0, gone, _FAR)
        if column >= 0:
            codes[:, column] = level
        moving = self.rng.choice(numbers or [0], len(codes))
        start = codes[np.arange(len(codes)), moving]
        values = self.pool_of(codes).values
        before = np.zeros(len(codes))
        for source, factor in terms[: [source for source, _ in terms].index(self.first + place)]:
            before += factor * values[:, source]
        here, step = weight * values[:, self.first + place], np.spacing(np.abs(before))
        lost = np.flatnonzero((here != 0) & (np.abs(here) < _LOST * np.abs(before)) & ~np.isnan(start))
        codes, moving, low = codes[lost], moving[lost], start[lost]
        tie = ((np.floor(here[lost] / step[lost]) + 0.5) * step[lost]) / weight
        sums = self._sums(formula.units[place], codes, moving)
        high = low * (1.0 + self.rng.choice([-1.0, 1.0], len(low)) * 10.0 ** self.rng.uniform(-12, 0, len(low)))
        side = sums(low) < tie
        crosses = np.flatnonzero(side != (sums(high) < tie))
        codes, moving, tie, side = codes[crosses], moving[crosses], tie[crosses], side[crosses]
        low, high = low[crosses], high[crosses]
        sums = self._sums(formula.units[place], codes, moving)
        for _ in range(_HALVINGS):
            half = low + (high - low) / 2
            same = (sums(half) < tie) == side
            low, high = np.where(same, half, low), np.where(same, high, half)
        codes[np.arange(len(codes)), moving] = np.where(self.rng.random(len(codes)) < 0.5, low, high)
        return codes

    def _edge_rows(self, gone: int, column: int, level: int, output: int) -> Floats:
        formula, rng = self.formula, self.rng
        codes = self._drawn(_EDGES, gone, _SIZES)
        numbers = [at for at in formula.used if _is_plain_number(formula, at) and at != gone]
        if not numbers:
            return codes
        if column >= 0:
            codes[:, column] = level
        small = rng.random(len(codes)) < 0.7  # next to 0 the last bits of a number are finer than those of a score
        for at in numbers:
            tiny = rng.choice([-1.0, 1.0], len(codes)) * 10.0 ** rng.uniform(-8, 1, len(codes)) * _spread(formula, at)
            codes[:, at] = np.where(small & ~np.isnan(codes[:, at]), tiny, codes[:, at])
        moving = rng.choice(numbers, len(codes))
        there = np.arange(len(codes))
        start = np.where(np.isnan(codes[there, moving]), 1.0, codes[there, moving])
        sums = self._sums(formula.units[output - self.first], codes, moving)
        before = sums(start)
        low, high = start, start + np.abs(start) * 10.0 ** rng.uniform(-12, 1, len(codes))
        for _ in range(_HALVINGS):
            half = low + (high - low) / 2
            same = sums(half) == before
            low, high = np.where(same, half, low), np.where(same, high, half)
        codes[there, moving] = np.where(rng.random(len(codes)) < 0.5, low, high)
        return codes

    def _rows(self, gone: int, n: int, place: int, n_terms: int) -> Floats:
        if place == _ANYWHERE:
            return self._drawn(n, gone, (*_SIZES, *_FAR))
        unit, drawn = self.formula.units[place], self._drawn(n, gone, _SIZES)
        if n_terms < _ALL:
            last = unit.terms[n_terms - 1][0]
            unit = replace(unit, terms=unit.terms[:n_terms])
            if last < self.first and self.formula.inputs[last].level > 0:
                drawn[:, self.formula.inputs[last].column] = self.formula.inputs[last].level
        return self._near_zero(unit, gone, drawn)

    def _near_zero(self, unit: Unit, gone: int, codes: Floats) -> Floats:
        """The rows of which one number is moved to where the sum of a unit changes its sign, if it does."""
        formula, rng = self.formula, self.rng
        numbers = [at for at in formula.used if _is_plain_number(formula, at) and at != gone]
        if not numbers:
            return codes
        column = rng.choice(numbers, len(codes))
        spread = np.array([_spread(formula, at) for at in range(len(formula.columns))])[column]
        middle = np.array([_middle(formula, at) for at in range(len(formula.columns))])[column]
        width = spread * rng.choice(_WIDE, len(codes))
        low, high = middle - width, middle + width
        sums = self._sums(unit, codes, column)
        at_low, at_high = sums(low), sums(high)
        crosses = np.flatnonzero(at_low * at_high < 0)
        codes, column, low, high, sign = codes[crosses], column[crosses], low[crosses], high[crosses], at_low[crosses]
        sums = self._sums(unit, codes, column)
        for _ in range(_HALVINGS):
            half = low + (high - low) / 2
            before = sums(half) * sign > 0
            low, high = np.where(before, half, low), np.where(before, high, half)
        away = spread[crosses] * 10.0 ** rng.uniform(-17, 0, len(codes))  # a small sum, if not the smallest
        codes[np.arange(len(codes)), column] = np.where(rng.random(len(codes)) < 0.5, low, high + away)
        return codes[(np.abs(codes) > 1e-100).all(axis=1, where=(codes != 0) & ~np.isnan(codes))]

    def _sums(self, unit: Unit, codes: Floats, column: NDArray[np.int64]) -> Callable[[Floats], Floats]:
        """What gives the sum of a unit where one number of each row is another: only its inputs are made anew."""
        formula, needed = self.formula, self._needed(unit)
        moved_codes = codes.copy()
        values = np.zeros((len(codes), self.first + len(formula.units)), order="F")
        with np.errstate(all="ignore"):
            values[:, : self.first] = input_values(formula, codes)
        rows_of = {at: np.flatnonzero(column == at) for at in np.unique(column).tolist()}
        moving = [(place, entry) for place, entry in enumerate(formula.inputs) if entry.column in rows_of]

        def sums(numbers: Floats) -> Floats:
            moved_codes[np.arange(len(codes)), column] = numbers
            with np.errstate(all="ignore"):
                for place, entry in moving:
                    rows = rows_of[entry.column]
                    values[rows, place] = input_value(entry, numbers[rows])
                for at in needed:
                    values[:, self.first + at] = unit_values(formula.units[at], values, moved_codes)
                return unit_sum(unit, values)

        return sums

    def _needed(self, unit: Unit) -> list[int]:
        found: set[int] = set()
        waiting = [unit]
        while waiting:
            sources = {source - self.first for source in waiting.pop().sources}
            new = {source for source in sources if source >= 0} - found
            found |= new
            waiting += [self.formula.units[place] for place in new]
        return sorted(found)

    def _drawn(self, n: int, gone: int, sizes: tuple[float, ...]) -> Floats:
        """Rows at random; all numbers of a row are of one size, or each of its own."""
        formula, rng = self.formula, self.rng
        codes = np.full((n, len(formula.columns)), np.nan)
        own, size = rng.random(n) < 0.5, rng.choice(sizes, n)
        for place in formula.used:
            column = formula.columns[place]
            if column.kind == "numeric":
                away = rng.normal(size=n) * np.where(own, rng.choice(sizes, n), size)
                drawn = _middle(formula, place) + away * _spread(formula, place)
                if column.value_type in DATES:
                    drawn = whole_dates(column.value_type, drawn)
            else:
                drawn = rng.integers(1, max(1, len(column.levels)) + 1, n).astype(np.float64)
            is_gone = (rng.random(n) < 0.1) & formula.takes_missing
            codes[:, place] = np.where(is_gone | (place == gone), np.nan, drawn)
        return codes

    # ---------------------------------------------------------------- a changed number
    def telling(self, pool: Pool, spot: Spot, mutant: Formula) -> Floats | None:
        """Give the row in which a changed number shows most; None where it shows in none."""
        if not len(pool.codes):
            return None
        with np.errstate(all="ignore"):
            off = np.abs(pool.scores - self._changed_scores(pool, spot, mutant))
            is_clear = off > pool.limit
            if not is_clear.any():
                return None
            clear = np.where(is_clear, off / (pool.limit + np.spacing(np.abs(pool.scores))), 0.0).max(axis=1)
        best = int(np.argmax(np.where(np.isfinite(clear), clear, 0.0)))
        return pool.codes[best] if clear[best] > 0 else None

    def _changed_scores(self, pool: Pool, spot: Spot, mutant: Formula) -> Floats:
        """The scores where one number of the formula is another: what depends on it is computed, and put back."""
        values, waiting, before = pool.values, set(), {}
        if spot.of == "input":
            entry = mutant.inputs[spot.place]
            before[spot.place] = values[:, spot.place].copy()
            values[:, spot.place] = input_value(entry, pool.codes[:, entry.column])
            waiting.update(self.readers[spot.place])
        else:
            waiting.add(spot.place)
        for place, unit in enumerate(mutant.units):
            if place in waiting:
                made, at = unit_values(unit, values, pool.codes), self.first + place
                if not np.array_equal(made, values[:, at], equal_nan=True):
                    before[at] = values[:, at].copy()
                    values[:, at] = made
                    waiting.update(self.readers[at])
        scores = self._scores(values)
        for at, column in before.items():
            values[:, at] = column
        return scores

    def _scores(self, values: Floats) -> Floats:
        scores = values[:, list(self.formula.outputs)]
        if self.formula.link != "bayes":
            return scores
        highest = scores.max(axis=1, keepdims=True)
        return np.where(scores >= highest - ALIKE * np.abs(highest), highest, scores)


def _is_plain_number(formula: Formula, place: int) -> bool:
    column = formula.columns[place]
    return column.kind == "numeric" and column.value_type not in DATES


def _middle(formula: Formula, place: int) -> float:
    return next((entry.fill for entry in formula.inputs if entry.column == place), 0.0)


def _spread(formula: Formula, place: int) -> float:
    entry = next((entry for entry in formula.inputs if entry.column == place), None)
    if entry is None:
        return 1.0
    return abs(entry.scale) if entry.scale != 1.0 else max(abs(entry.fill), 1.0)


def _cells(formula: Formula, row: Floats) -> list[Cell]:
    cells: list[Cell] = []
    for place in formula.used:
        column, code = formula.columns[place], float(row[place])
        cells.append(None if math.isnan(code) else code if column.kind == "numeric" else column.levels[int(code) - 1])
    return cells

"""C4.5 release 8 puts levels of a nominal column together (its option -s): a climb from one block a level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from treewright.reference.gain_ratio import EPSILON, ROUNDING, TINY, ratio_measures, spread
from treewright.reference.growing import Candidate
from treewright.reference.split import Division, Split
from treewright.reference.table import Column, ValueTable
from treewright.reference.tally import ClassTally, together

_HALF_A_CASE = 0.5  # levels with no more than this are in no block; they share a last branch
_PURE = 0.1

Levels = tuple[int, ...]


@dataclass(frozen=True)
class Blocks:
    """Levels in blocks, what each block holds, and how good the test would be."""

    levels: tuple[Levels, ...]
    tallies: tuple[ClassTally, ...]
    gain: float
    split_information: float

    @property
    def worth(self) -> float:
        """The gain ratio; below 0 where there is none."""
        usable = self.gain >= -ROUNDING and self.split_information > EPSILON
        return self.gain / self.split_information if usable else -EPSILON

    @property
    def weights(self) -> list[float]:
        """The weight of each block."""
        return [tally.weight for tally in self.tallies]


class Climb:
    """The search for one column at one node; `stages` holds every grouping on the way.

    >>> counts = [(4.0, 0.0), (0.0, 3.0), (3.0, 0.0), (1.0, 5.0)]
    >>> climb = Climb([ClassTally(4, pair) for pair in counts], total=16.0, least=2)
    >>> climb.run().levels
    ((1, 3), (2, 4))
    """

    def __init__(self, every: Sequence[ClassTally], total: float, least: float) -> None:
        self.every, self.total, self.least = list(every), total, least
        self.known = sum(tally.weight for tally in every)
        self.stages: list[Blocks] = []

    def run(self) -> Blocks:
        """Merge blocks while the ratio grows, or while there is no choice."""
        now = self.start()
        half = now.gain / 2
        self.stages.append(now)
        while len(now.levels) > 2:
            best, forced = self.best_merger(now, half)
            if best is None or (not forced and best.worth < now.worth + 1e-5):
                break
            now = best
            self.stages.append(now)
        return now

    def judged(self, levels: Sequence[Levels], tallies: Sequence[ClassTally]) -> Blocks:
        """Score a grouping. Levels in no block count as told apart; two blocks of one case each are enough."""
        gain = -EPSILON
        if sum(tally.weight > 1 - TINY for tally in tallies) >= 2:
            whole: Any = together(self.every)
            gain = (spread(whole.counts) - sum(spread(tally.counts) for tally in tallies)) / self.total
        outcomes = [self.total - self.known, *(tally.weight for tally in tallies)]
        return Blocks(tuple(levels), tuple(tallies), gain, spread(outcomes) / self.total)

    def start(self) -> Blocks:
        """One block a level; blocks that are pure in the same class are one."""
        levels: list[Levels] = []
        blocks: list[ClassTally] = []
        for code, tally in enumerate(self.every, start=1):
            if tally.weight > _HALF_A_CASE + TINY:
                levels.append((code,))
                blocks.append(tally)
        n_levels, first = len(levels), 0
        while first < len(blocks) - 1:
            label = next(k for k, weight in enumerate(blocks[first].counts) if weight > _PURE - TINY)
            other = first + 1 if _is_pure(blocks[first], label) else len(blocks)
            while other < len(blocks):
                if _is_pure(blocks[other], label):
                    _merge(levels, blocks, first, other)
                else:
                    other += 1
            first += 1
        begun = self.judged(levels, blocks)
        if len(blocks) < n_levels:
            return begun
        whole = self.judged((), self.every)  # without a merger the first score is that of all levels
        return Blocks(begun.levels, begun.tallies, whole.gain, whole.split_information)

    def best_merger(self, now: Blocks, half: float) -> tuple[Blocks | None, bool]:
        """The best pair to merge, and whether there is no choice: fewer than two blocks are large enough."""
        reasonable = sum(weight > self.least - TINY for weight in now.weights)
        barred = _heaviest(now.weights) if reasonable < 3 else None
        best: Blocks | None = None
        for a, b in combinations(range(len(now.levels)), 2):
            if barred in (a, b):
                continue
            levels, tallies = list(now.levels), list(now.tallies)
            _merge(levels, tallies, a, b)
            offer = self.judged(levels, tallies)
            reaches_half = offer.gain >= half - ROUNDING and (best.gain if best else -EPSILON) < half - ROUNDING
            forced = best is None and reasonable < 2
            if reaches_half or forced or offer.worth >= (best.worth if best else 0.0) - ROUNDING:
                best = offer
        return best, reasonable < 2


def _heaviest(weights: list[float]) -> int:
    return next(i for i, weight in enumerate(weights) if weight > max(weights) - TINY)


def _is_pure(block: ClassTally, label: int) -> bool:
    return bool(block.counts[label] > block.weight - _PURE - TINY)


def _merge(levels: list[Levels], tallies: list[ClassTally], a: int, b: int) -> None:
    """Put block b into block a; the last block moves to the place of b."""
    levels[a], tallies[a] = tuple(sorted(levels[a] + levels[b])), tallies[a] + tallies[b]
    levels[b], tallies[b] = levels[-1], tallies[-1]
    levels.pop()
    tallies.pop()


def grouped(j: int, column: Column, table: ValueTable, least: float) -> Candidate:
    """The groups that the climb ends at; levels with hardly a case here share a last branch.

    >>> from treewright.reference.table import Place, Table
    >>> column = Column("nominal", (1,) * 4 + (2,) * 3 + (3,) * 3 + (4,) * 5)
    >>> table = Table((column,), (0,) * 4 + (1,) * 3 + (0,) * 3 + (1,) * 5, (1.0,) * 15, n_classes=2)
    >>> grouped(0, column, Place(table, table.cases()).values_of(0), least=2).split.levels
    {1: 0, 3: 0, 2: 1, 4: 1}
    """
    every: list[Any] = [table.of_value(code) for code in column.codes]
    climb = Climb(every, table.known.weight + table.missing.weight, least)
    if climb.known < EPSILON:
        return Candidate(j, why="no value")
    end = climb.run()
    if end.worth <= ROUNDING or sum(weight > least - TINY for weight in end.weights) < 2:
        return Candidate(j, why="no gain")
    gain, info = climb.judged(end.levels, end.tallies).gain, end.split_information
    spare = tuple(code for code in column.codes if not any(code in block for block in end.levels))
    blocks = [*end.levels, spare] if spare else list(end.levels)
    branches = tuple(together([every[code - 1] for code in block]) for block in blocks)
    measures = ratio_measures(branches, table.missing.weight)
    measures |= {"gain": gain, "split_information": info, "gain_ratio": gain / info if info > 0 else 0.0}
    split = Split(j, levels={code: b for b, block in enumerate(blocks) for code in sorted(block)})
    return Candidate(j, Division(split, branches), measures, steps=climb.stages)

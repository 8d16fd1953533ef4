"""How C4.5 release 8 groups the levels of a column (`subsets=True`): a climb from one block a level (Quinlan 1993)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from treewright.lesson.arithmetic.impurity import entropy
from treewright.lesson.arithmetic.tally import ClassTally

_NEARLY = 1e-3
_HALF_A_ROW = 0.5  # levels with no more than this are in no block; they share a last branch
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
        usable = self.gain >= 0 and self.split_information > _NEARLY
        return self.gain / self.split_information if usable else -_NEARLY

    @property
    def weights(self) -> list[float]:
        """The weight of each block."""
        return [tally.weight for tally in self.tallies]


class Climb:
    """The search for one column at one node; `stages` holds every grouping on the way.

    Examples
    --------
    >>> counts = {1: (4.0, 0.0), 2: (0.0, 3.0), 3: (3.0, 0.0), 4: (1.0, 5.0)}
    >>> climb = Climb([ClassTally(4, pair) for pair in counts.values()], total=16.0, least=2)
    >>> climb.run().levels
    ((1, 3), (2, 4))
    """

    def __init__(self, every: Sequence[ClassTally], total: float, least: float) -> None:
        self.every, self.total, self.least = list(every), total, least
        self.known = math.fsum(tally.weight for tally in every)
        self.stages: list[Blocks] = []

    def run(self) -> Blocks:
        """Merge blocks while the ratio grows, or while there is no choice."""
        now = self._start()
        half = now.gain / 2
        self.stages.append(now)
        while len(now.levels) > 2:
            best, forced = self._best_merger(now, half)
            if best is None or (not forced and best.worth < now.worth + 1e-5):
                break
            now = best
            self.stages.append(now)
        return now

    def judged(self, levels: Sequence[Levels], tallies: Sequence[ClassTally]) -> Blocks:
        """Score a grouping. Levels in no block count as told apart."""
        gain = -_NEARLY
        if sum(tally.weight >= 1 for tally in tallies) >= 2:
            whole = [math.fsum(counts) for counts in zip(*(tally.counts for tally in self.every), strict=True)]
            gain = (_spread(whole) - math.fsum(_spread(tally.counts) for tally in tallies)) / self.total
        outcomes = [self.total - self.known, *(tally.weight for tally in tallies)]
        return Blocks(tuple(levels), tuple(tallies), gain, _spread(outcomes) / self.total)

    def _start(self) -> Blocks:
        """One block a level; blocks that are pure in the same class are one."""
        levels = [(code,) for code, tally in enumerate(self.every, start=1) if tally.weight > _HALF_A_ROW]
        blocks = [tally for tally in self.every if tally.weight > _HALF_A_ROW]
        merged_levels: list[Levels] = list(levels)
        first = 0
        while first < len(blocks) - 1:
            label = next(k for k, weight in enumerate(blocks[first].counts) if weight >= _PURE)
            other = first + 1 if _is_pure(blocks[first], label) else len(blocks)
            while other < len(blocks):
                if _is_pure(blocks[other], label):
                    _merge(merged_levels, blocks, first, other)
                else:
                    other += 1
            first += 1
        begun = self.judged(merged_levels, blocks)
        if len(blocks) < len(levels):
            return begun
        whole = self.judged((), self.every)  # without a merger the first score is that of all levels
        return Blocks(begun.levels, begun.tallies, whole.gain, whole.split_information)

    def _best_merger(self, now: Blocks, half: float) -> tuple[Blocks | None, bool]:
        """The best pair to merge, and whether there is no choice: fewer than two blocks are large enough."""
        reasonable = sum(weight >= self.least for weight in now.weights)
        barred = now.weights.index(max(now.weights)) if reasonable < 3 else None
        best: Blocks | None = None
        for a, b in combinations(range(len(now.levels)), 2):
            if barred in (a, b):
                continue
            levels, tallies = list(now.levels), list(now.tallies)
            _merge(levels, tallies, a, b)
            offer = self.judged(levels, tallies)
            reaches_half = offer.gain >= half and (best.gain if best else -_NEARLY) < half
            forced = best is None and reasonable < 2
            if reaches_half or forced or offer.worth >= (best.worth if best else 0.0):
                best = offer
        return best, reasonable < 2


def _spread(weights: Sequence[float]) -> float:
    return math.fsum(weights) * entropy(weights)


def _is_pure(block: ClassTally, label: int) -> bool:
    return block.counts[label] >= block.weight - _PURE


def _merge(levels: list[Levels], tallies: list[ClassTally], a: int, b: int) -> None:
    """Put block b into block a; the last block moves to the place of b."""
    levels[a], tallies[a] = tuple(sorted(levels[a] + levels[b])), tallies[a] + tallies[b]
    levels[b], tallies[b] = levels[-1], tallies[-1]
    levels.pop()
    tallies.pop()

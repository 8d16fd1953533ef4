"""C4.5 release 8 puts levels of a nominal column together (its option -s): a climb from one block per level."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from oracle.c45_splits import EPSILON, ROUNDING, TINY, Cases, Counts, NodeTest, Settings, level_counts, spread
from treewright.reference.table import Table

LEAST_IN_A_BLOCK = 1  # while blocks are merged, two blocks of one case each are enough for a gain


@dataclass(frozen=True)
class Partition:
    """Blocks of levels with the class weights of each, and how good the test would be."""

    levels: tuple[tuple[int, ...], ...]
    counts: tuple[Counts, ...]
    gain: float
    info: float

    @property
    def weights(self) -> list[float]:
        """The weight of each block."""
        return [sum(block) for block in self.counts]

    @property
    def worth(self) -> float:
        """The gain ratio, where the gain is not below zero and the outcomes are not all one."""
        return self.gain / self.info if self.gain >= -ROUNDING and self.info > EPSILON else -EPSILON


class Climb:
    """The search for one column at one node."""

    def __init__(self, table: Table, index: int, cases: Cases, settings: Settings) -> None:
        n_levels = len(table.columns[index].present(range(len(table.target))))
        self.index, self.least = index, settings.min_samples_leaf
        self.every = level_counts(table, index, cases, n_levels)
        self.total = sum(weight for _, weight in cases)
        self.known = sum(map(sum, self.every))

    def judged(self, levels: list[tuple[int, ...]], counts: list[Counts]) -> Partition:
        """Score a partition. Levels of half a case or less are in no block: their cases then count as told apart."""
        gain = -EPSILON
        if sum(sum(block) > LEAST_IN_A_BLOCK - TINY for block in counts) >= 2:
            before = spread([sum(parts) for parts in zip(*self.every, strict=True)])
            gain = self.known / self.total * (before - sum(map(spread, counts))) / self.known
        info = spread([self.total - self.known, *map(sum, counts)]) / self.total
        return Partition(tuple(levels), tuple(counts), gain, info)

    def start(self) -> Partition:
        """One block for each level of more than half a case; pure blocks of the same class are one."""
        levels = [(code,) for code, block in enumerate(self.every, start=1) if sum(block) > 0.5 + TINY]
        blocks = [block for block in self.every if sum(block) > 0.5 + TINY]
        n_levels, first = len(levels), 0
        while first < len(blocks) - 1:
            pure = next(k for k, weight in enumerate(blocks[first]) if weight > 0.1 - TINY)
            other = first + 1 if is_pure(blocks[first], pure) else len(blocks)
            while other < len(blocks):
                if is_pure(blocks[other], pure):
                    merge(levels, blocks, first, other)
                else:
                    other += 1
            first += 1
        begun = self.judged(levels, blocks)
        if len(blocks) < n_levels:
            return begun
        whole = self.judged([], self.every)  # without a merger the first score is that of all levels
        return Partition(begun.levels, begun.counts, whole.gain, whole.info)

    def best_merger(self, now: Partition, half: float) -> tuple[Partition | None, bool]:
        """The best pair to put together, and whether there is no choice (fewer than two blocks are large enough)."""
        reasonable = sum(weight > self.least - TINY for weight in now.weights)
        barred = heaviest_block(now.weights) if reasonable < 3 else None
        best: Partition | None = None
        for a, b in combinations(range(len(now.levels)), 2):
            if barred in (a, b):
                continue
            levels, counts = list(now.levels), [list(block) for block in now.counts]
            merge(levels, counts, a, b)
            offer = self.judged(levels, counts)
            reaches_half = offer.gain >= half - ROUNDING and (best.gain if best else -EPSILON) < half - ROUNDING
            forced = best is None and reasonable < 2
            if reaches_half or forced or offer.worth >= (best.worth if best else 0.0) - ROUNDING:
                best = offer
        return best, reasonable < 2

    def run(self) -> Partition:
        """Merge while it helps."""
        now = self.start()
        half = now.gain / 2
        while len(now.levels) > 2:
            best, forced = self.best_merger(now, half)
            if best is None or (not forced and best.worth < now.worth + 1e-5):
                break
            now = best
        return now

    def test(self) -> NodeTest | None:
        """The test that the climb ends at; levels with hardly any case here share a last branch."""
        if self.known < EPSILON:
            return None
        end = self.run()
        if end.worth <= ROUNDING or sum(weight > self.least - TINY for weight in end.weights) < 2:
            return None
        gain = self.judged(list(end.levels), list(end.counts)).gain
        spare = tuple(code for code, block in enumerate(self.every, start=1) if sum(block) <= 0.5 + TINY)
        branches = [*end.levels, spare] if spare else list(end.levels)
        to = tuple(sorted((code, branch) for branch, block in enumerate(branches) for code in block))
        ratio = gain / end.info if end.info > 0 else 0.0
        return NodeTest(self.index, len(branches), gain, ratio, end.info, branch_of=to)


def heaviest_block(weights: list[float]) -> int:
    """The place of the largest weight, the first of equals."""
    return next(i for i, weight in enumerate(weights) if weight > max(weights) - TINY)


def is_pure(block: Counts, label: int) -> bool:
    """Is nearly all of the block of one class?"""
    return block[label] > sum(block) - 0.1 - TINY


def merge(levels: list[tuple[int, ...]], counts: list[Counts], a: int, b: int) -> None:
    """Put block b into block a; the last block moves to the place of b.

    >>> levels, counts = [(1,), (2,), (3,)], [[1.0], [2.0], [4.0]]
    >>> merge(levels, counts, 0, 1)
    >>> levels, counts
    ([(1, 2), (3,)], [[3.0], [4.0]])
    """
    levels[a] = tuple(sorted(levels[a] + levels[b]))
    counts[a] = [x + y for x, y in zip(counts[a], counts[b], strict=True)]
    levels[b], counts[b] = levels[-1], counts[-1]
    levels.pop()
    counts.pop()


def grouped(table: Table, index: int, cases: Cases, settings: Settings) -> NodeTest | None:
    """The best grouping of one column's levels, or None."""
    return Climb(table, index, cases, settings).test()

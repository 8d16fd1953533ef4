"""What C4.5 makes of a column of levels: a branch a level, one level against the rest, or groups of levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from treewright.lesson.arithmetic.gain_ratio import RatioScore, ratio_score
from treewright.lesson.arithmetic.level_groups import Blocks, Climb
from treewright.lesson.arithmetic.split import Split, level_label
from treewright.lesson.arithmetic.tally import ClassTally, Tally
from treewright.lesson.arithmetic.unit import Unit
from treewright.lesson.arithmetic.value_table import ValueTable
from treewright.lesson.measures import fixed
from treewright.lesson.methods.candidate import Branch, Candidate
from treewright.lesson.methods.cut_table import cut_table
from treewright.pages.blocks import Table
from treewright.table.schema import Column
from treewright.tree.format import name_text

EQUAL = 1e-6  # weights, gains and ratios that differ by less are equal in J48


def ratio_measures(score: RatioScore) -> dict[str, float]:
    """Name the scores as the table of candidates shows them."""
    return {
        "remainder": score.remainder,
        "gain": score.gain,
        "split_information": score.split_information,
        "gain_ratio": score.ratio,
    }


def branch_a_level(j: int, column: Column, table: ValueTable, least: float) -> Candidate:
    """One branch for each level; at least two must have enough rows."""
    name = name_text(column.name)
    codes = range(1, len(column.levels) + 1)
    branches = tuple(Branch(level_label(column, [code]), table.of_value(code)) for code in codes)
    if not _enough([branch.tally for branch in branches], least):
        return Candidate(j, name, remark=f"under two branches of {least:g} rows")
    score = ratio_score([branch.tally for branch in branches], table.missing)
    split = Split(j, levels={code: code - 1 for code in codes})
    return Candidate(j, name, split, branches, ratio_measures(score))


def one_against_the_rest(j: int, column: Column, table: ValueTable, least: float, unit: Unit) -> Candidate:
    """The level that is told best from all others: the largest gain ratio, the first of equals."""
    name = name_text(column.name)
    offers: list[Candidate] = []
    for code in range(1, len(column.levels) + 1):
        inside = table.of_value(code)
        outside = table.sum_of([place for place, value in enumerate(table.values) if value != code])
        if _enough([inside, outside], least):
            levels = {level: int(level != code) for level in range(1, len(column.levels) + 1)}
            label = level_label(column, [code])
            branches = (Branch(label, inside), Branch("any other", outside))
            measures = ratio_measures(ratio_score([inside, outside], table.missing))
            offers.append(Candidate(j, f"{name} is {label}", Split(j, levels=levels), branches, measures))
    if not offers:
        return Candidate(j, name, remark=f"no level leaves {least:g} rows on both sides")
    best = 0
    for i, offer in enumerate(offers):
        if offer.measures["gain_ratio"] > offers[best].measures["gain_ratio"] + EQUAL:
            best = i
    chosen = offers[best]
    ratios = [{"gain_ratio": offer.measures["gain_ratio"]} for offer in offers]
    steps = (cut_table(name, [_OneLevel(offer) for offer in offers], ratios, best, unit),)
    return Candidate(j, chosen.test, chosen.split, chosen.branches, chosen.measures, steps=steps)


@dataclass(frozen=True)
class _OneLevel:
    """A candidate as a table of cuts reads it."""

    offer: Candidate

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(branch.label for branch in self.offer.branches)

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return tuple(branch.tally for branch in self.offer.branches)


def groups_of_levels(j: int, column: Column, table: ValueTable, least: float, unit: Unit) -> Candidate:
    """The groups that the climb of release 8 ends at; levels with hardly a row here share a last branch."""
    name = name_text(column.name)
    codes = range(1, len(column.levels) + 1)
    every = [cast(ClassTally, table.of_value(code)) for code in codes]
    climb = Climb(every, table.known.weight + table.missing.weight, least)
    if climb.known < 1e-3:
        return Candidate(j, name, remark="no row has a value")
    end = climb.run()
    if end.worth <= 0 or sum(weight >= least for weight in end.weights) < 2:
        return Candidate(j, name, remark=f"no grouping with two branches of {least:g} rows gains anything")
    gain = climb.judged(end.levels, end.tallies).gain
    spare = tuple(code for code in codes if not any(code in block for block in end.levels))
    blocks = [*end.levels, spare] if spare else list(end.levels)
    tallies: list[Tally] = [
        table.sum_of([table.values.index(c) for c in block if c in table.values]) for block in blocks
    ]
    branches = tuple(
        Branch(level_label(column, list(block)), tally) for block, tally in zip(blocks, tallies, strict=True)
    )
    measures = {
        "remainder": ratio_score(tallies, table.missing).remainder,
        "gain": gain,
        "split_information": end.split_information,
        "gain_ratio": gain / end.split_information if end.split_information > 0 else 0.0,
    }
    split = Split(j, levels={code: b for b, block in enumerate(blocks) for code in block})
    return Candidate(j, name, split, branches, measures, steps=(_climb_table(column, climb.stages, unit),))


def _climb_table(column: Column, stages: Sequence[Blocks], unit: Unit) -> Table:
    rows = tuple(
        (
            " | ".join(level_label(column, list(block)) for block in stage.levels),
            fixed(unit.show(stage.gain)),
            fixed(stage.worth),
        )
        for stage in stages
    )
    caption = f"Groups of {name_text(column.name)}, merged step by step"
    return Table(("groups", "gain", "gain ratio"), rows, frozenset({1, 2}), frozenset({len(rows) - 1}), caption)


def _enough(branches: Sequence[Tally], least: float) -> bool:
    return sum(branch.weight > least - EQUAL for branch in branches) >= 2

"""Small tables as a lesson sees them, without fitting anything."""

from __future__ import annotations

from typing import Any

import treewright as tw
from treewright.lesson.methods.candidate import Candidate
from treewright.lesson.methods.method import Method
from treewright.lesson.sample import Sample, read_sample
from treewright.lesson.unit import Unit
from treewright.reference.table import Place
from treewright.table.encode import encode_table
from treewright.table.frame import open_frame
from treewright.table.target import encode_classes, encode_numbers, target_column


def sample_of(X: Any, y: Any, kinds: dict[str, str] | None = None) -> Sample:
    """A table and its target, as a lesson holds them."""
    schema = encode_table(open_frame(X), kinds, "target").schema
    target = target_column(y, len(X), "test")
    if isinstance(next(iter(y)), float):
        return read_sample(X, schema, encode_numbers(target).tolist(), None)
    classes, codes = encode_classes(target)
    return read_sample(X, schema, codes.tolist(), tuple(classes.tolist()))


def load(name: str) -> Sample:
    """One of the lectures' tables."""
    return sample_of(*getattr(tw.datasets, f"load_{name}")(return_X_y=True))


def root(sample: Sample) -> Place:
    """The node with all rows."""
    return Place(sample.table, sample.table.cases())


def within(sample: Sample, **levels: str) -> Place:
    """The node below the root, where columns have the given levels."""
    cases, asked = sample.table.cases(), ()
    for name, level in levels.items():
        j = sample.schema.names.index(name)
        code = sample.column(j).levels.index(level) + 1
        cases = tuple((row, weight) for row, weight in cases if sample.table.columns[j].values[row] == code)
        asked = (*asked, j)
    return Place(sample.table, cases, len(levels), asked)


def by_column(method: Method, place: Place) -> dict[str, Candidate]:
    """What each column offers at a node, by the name of the column."""
    return {method.column_name(c.column): c for c in method.candidates(place)}


def measured(method: Method, place: Place, name: str) -> dict[str, float]:
    """One measure of every column that has it, rounded to four decimals as the lectures print them."""
    found = by_column(method, place)
    return {column: round(c.measures[name], 4) for column, c in found.items() if name in c.measures}


BITS, NATS = Unit.of(2), Unit.of("e")

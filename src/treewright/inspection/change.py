"""The smallest change of a row, to be told: what changes from what to what, and what 1 is in each column."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest
from treewright.inspection.conditions import LevelSet, NumberRange, ValueSet, condition_words
from treewright.inspection.counterfactual import Counterfactual, DesiredOutcome, distance, nearest_value
from treewright.inspection.decision_path import RowValues, pieces, value_text
from treewright.inspection.support import answer_text, support_text
from treewright.table.schema import Column
from treewright.tree.format import name_text
from treewright.tree.node import Node
from treewright.tree.stored import HYPERPLANE, THRESHOLD
from treewright.tree.tree import Tree

# What a change of 1 is in each column, so that changes of different columns can be compared.


SPAN_OF_CUTS = "shares of the span of the tree's cuts and the row's own value"
GIVEN = "the given scale"


def span_of_cuts(tree: Tree, values: Sequence[float]) -> list[float]:
    """Give, for each column, the span of its cuts in the tree together with the row's own value.

    A stored tree holds no rows. This is what it knows about how far apart values of a column are.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> span_of_cuts(example_tree(), [1.0, 70.0])
    [1.0, 12.5]
    """
    arrays, columns = tree.arrays, tree.schema.columns
    tests = (arrays["kind"] == THRESHOLD) & np.isfinite(arrays["threshold"])
    places, cuts = arrays["column"][tests], arrays["threshold"][tests]
    if "interval_start" in arrays:
        owner = np.repeat(arrays["column"], np.diff(arrays["interval_start"]))
        places, cuts = np.concatenate([places, owner]), np.concatenate([cuts, arrays["interval_upper"]])
    own = np.array(values, dtype=np.float64)
    known = np.flatnonzero(np.isfinite(own))
    low, high = np.full(len(columns), np.inf), np.full(len(columns), -np.inf)
    np.minimum.at(low, np.concatenate([places, known]), np.concatenate([cuts, own[known]]))
    np.maximum.at(high, np.concatenate([places, known]), np.concatenate([cuts, own[known]]))
    span = np.where(high > low, high - low, np.where(np.isfinite(own) & (own != 0), np.abs(own), 1.0))
    levels = np.array([len(column.levels) - 1.0 for column in columns])
    ordinal = np.array([column.kind == "ordinal" for column in columns])
    found: list[float] = np.where(ordinal, np.maximum(levels, 1.0), np.where(np.isnan(span), 1.0, span)).tolist()
    return found


def check_scale(tree: Tree, scale: Mapping[str, float] | None) -> dict[int, float]:
    """Give the scales that a user gave, by the places of the columns.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> check_scale(example_tree(), {"humidity": 5})
    {1: 5.0}
    """
    return {
        column_index(tree.schema.names, name, "scale"): _checked(name, size) for name, size in (scale or {}).items()
    }


def all_scales(tree: Tree, values: Sequence[float], given: Mapping[int, float]) -> list[float]:
    """Give the scale of each column: the given one, else the span of the tree's cuts.

    >>> from treewright.tree import example_tree
    >>> all_scales(example_tree(), [1.0, 70.0], {1: 5.0})
    [1.0, 5.0]
    """
    return [given.get(j, span) for j, span in enumerate(span_of_cuts(tree, values))]


def _checked(name: str, size: Any) -> float:
    try:
        number = float(size)
    except (TypeError, ValueError):
        number = np.nan
    if not (np.isfinite(number) and number > 0):
        raise DataError(f"The scale of column '{name}' must be a number above 0. Got {size!r} instead.")
    return number


def column_index(names: tuple[str, ...], name: Any, parameter: str) -> int:
    """Give the place of a column that a parameter names.

    >>> column_index(("outlook", "humidity"), "humidty", "fixed")
    Traceback (most recent call last):
    treewright.errors.DataError: 'fixed' names a column 'humidty' that the model does not have. Did you mean 'humidity'?
    """
    if name not in names:
        raise DataError(f"'{parameter}' names a column {name!r} that the model does not have. {nearest(name, names)}")
    return names.index(name)


# The smallest change of a row that gives another answer, to be told: what changes from what to what.


_EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True)
class Change:
    """A changed row and what it is answered with.

    Attributes
    ----------
    row : dict
        The whole row after the change, by column name.
    columns : dict
        What changed: column name → (old value, new value).
    answer : class or number
        The new answer.
    node : int
        The node where the changed row ends.
    size : float
        The sum of the changes in units of the scale.
    """

    tree: Tree
    before: RowValues
    counterfactual: Counterfactual
    scale_words: str

    @property
    def row(self) -> dict[str, Any]:
        """The whole row after the change, by column name."""
        names = self.before.schema.names
        changed = {
            names[c]: plain_value(self.before.schema.columns[c], x) for c, x in self.counterfactual.changes.items()
        }
        return {**dict(zip(names, self.before.given, strict=True)), **changed}

    @property
    def columns(self) -> dict[str, tuple[Any, Any]]:
        """What changed: column name → (old value, new value)."""
        names, row = self.before.schema.names, self.row
        return {names[c]: (self.before.given[c], row[names[c]]) for c in self.counterfactual.changes}

    @property
    def answer(self) -> Any:
        """What the changed row is answered with."""
        return self.counterfactual.answer

    @property
    def node(self) -> int:
        """The node where the changed row ends."""
        return self.counterfactual.node

    @property
    def size(self) -> float:
        """The sum of the changes in units of the scale."""
        return self.counterfactual.cost

    @property
    def words(self) -> str:
        """What has to change, as the end of a sentence."""
        return " and ".join(self._one(column, value) for column, value in self.counterfactual.changes.items())

    def _one(self, column: int, value: float) -> str:
        about = self.before.schema.columns[column]
        said = condition_words(self.counterfactual.sets[column], about.name, about)
        changed = f"{name_text(about.name)} goes from {self.before.shown(column)} to {value_text(about, value)}"
        plain = f"{name_text(about.name)} is {value_text(about, value)}"
        return changed if said == plain else f"{changed} ({said})"

    @property
    def text(self) -> str:
        """The sentence: the new answer, what has to change, and what the training rows there were."""
        said = f"It would be {answer_text(self.answer, self.tree.classes is not None)} if {self.words}"
        if len(pieces(self.tree, self._numbers)) > 1:  # no single node speaks for it
            return f"{said}."
        return f"{said}; {support_text(Node(self.tree, self.node), self.answer)}."

    @property
    def _numbers(self) -> list[float]:
        return [self.counterfactual.changes.get(column, old) for column, old in enumerate(self.before.numbers)]

    def to_dict(self) -> dict[str, Any]:
        """Give the change as plain values."""
        names = self.before.schema.names
        changes = [
            {
                "column": names[column],
                "from": self.before.shown(column),
                "to": value_text(self.before.schema.columns[column], value),
                "condition": condition_words(
                    self.counterfactual.sets[column], names[column], self.before.schema.columns[column]
                ),
            }
            for column, value in self.counterfactual.changes.items()
        ]
        return {
            "answer": self.answer,
            "node": self.node,
            "changes": changes,
            "size": self.size,
            "measured_in": self.scale_words,
            "text": self.text,
        }


def plain_value(column: Column, number: float) -> Any:
    """Give a value of a column as users write it: a level, a number, a date, a time.

    >>> plain_value(Column("job", "nominal", "text", ("cook", "smith")), 2.0)
    'smith'
    >>> plain_value(Column("born", "numeric", "date"), 19723.0)
    datetime.date(2024, 1, 1)
    """
    if column.kind != "numeric":
        return column.levels[int(number) - 1]
    if column.value_type == "number":
        return number
    length = dt.timedelta(days=number) if column.value_type == "date" else dt.timedelta(microseconds=number)
    if column.value_type == "duration":
        return length
    moment = _EPOCH + length
    return {"date": moment.date(), "time": moment.time()}.get(column.value_type, moment)


# The smallest change of one column that changes the answer of any model with trees.


_MOST_CUTS = 5000  # tried in one column, the nearest of them


@dataclass(frozen=True)
class SingleChange:
    """One column with another value, and the answer to the row then."""

    column: int
    value: float
    size: float
    answer: Any
    before: RowValues

    @property
    def words(self) -> str:
        """What has to change, as the end of a sentence."""
        about = self.before.schema.columns[self.column]
        return f"{name_text(about.name)} goes from {self.before.shown(self.column)} to {value_text(about, self.value)}"

    @property
    def row(self) -> dict[str, Any]:
        """The whole row after the change, by column name."""
        names, about = self.before.schema.names, self.before.schema.columns[self.column]
        return {
            **dict(zip(names, self.before.given, strict=True)),
            about.name: plain_value(about, self.value),
        }

    def to_dict(self) -> dict[str, Any]:
        """Give the change as plain values."""
        about = self.before.schema.columns[self.column]
        new = value_text(about, self.value)
        return {
            "column": about.name,
            "from": self.before.shown(self.column),
            "to": new,
            "answer": self.answer,
            "size": self.size,
        }


def cuts_by_column(trees: Iterable[Tree], n_columns: int) -> list[NDArray[np.float64]]:
    """Give the different cuts of each column in many trees, in order.

    >>> from treewright.tree import example_tree
    >>> [cuts.tolist() for cuts in cuts_by_column([example_tree()] * 2, 2)]
    [[], [82.5]]
    """
    places, cuts = [], []
    for tree in trees:
        arrays = tree.arrays
        asked = (arrays["kind"] == THRESHOLD) & np.isfinite(arrays["threshold"])
        places.append(arrays["column"][asked])
        cuts.append(arrays["threshold"][asked])
        if "interval_start" in arrays:
            places.append(np.repeat(arrays["column"], np.diff(arrays["interval_start"])))
            cuts.append(arrays["interval_upper"])
    place, cut = np.concatenate(places), np.concatenate(cuts)
    return [np.unique(cut[place == j]) for j in range(n_columns)]


def has_sums(trees: Iterable[Tree]) -> bool:
    """Whether one of the trees asks for weighted sums, whose cuts are no cuts of a column."""
    return any(bool((tree.arrays["kind"] == HYPERPLANE).any()) for tree in trees)


def single_change(
    row: RowValues,
    cuts: Sequence[NDArray[np.float64]],
    wanted: DesiredOutcome,
    fixed: Collection[int],
    answers: Callable[[list[list[Any]]], Sequence[Any]],
) -> SingleChange | None:
    """Try every cell between two cuts of each column, and every level; give the nearest with a wanted answer.

    Parameters
    ----------
    row : RowValues
    cuts : arrays
        The cuts of each column, in order.
    wanted : DesiredOutcome
    fixed : columns that may not change
    answers : function
        Answers a list of rows.
    """
    best: SingleChange | None = None
    for j, column in enumerate(row.schema.columns):
        if j in fixed:
            continue
        scale = _scale(cuts[j], row.numbers[j]) if column.kind == "numeric" else max(len(column.levels) - 1.0, 1.0)
        options = _options(row, j, cuts[j], scale)
        if best is not None:
            options = [option for option in options if option[0] < best.size]
        if not options:
            continue
        given = list(row.given)
        tried = [[*given[:j], plain_value(column, value), *given[j + 1 :]] for _, value in options]
        for (size, value), answer in zip(options, answers(tried), strict=True):
            if wanted.holds(answer):
                best = SingleChange(j, value, size, answer, row)
                break
    return best


def _options(row: RowValues, j: int, cuts: NDArray[np.float64], scale: float) -> list[tuple[float, float]]:
    """Give (size, new value) of all changes of a column, the smallest first."""
    column, old = row.schema.columns[j], row.numbers[j]
    sets: list[ValueSet] = []
    if column.kind == "numeric":
        nearest = cuts[np.argsort(np.abs(cuts - (old if old == old else 0.0)), kind="stable")[:_MOST_CUTS]]
        bounds = [None, *np.sort(nearest).tolist(), None]
        sets = [NumberRange(low, high) for low, high in pairwise(bounds) if len(cuts)]
    else:
        sets = [LevelSet.of([code], column) for code in range(1, len(column.levels) + 1)]
    options = []
    for allowed in sets:
        value = None if old in allowed else nearest_value(allowed, old, column, scale)
        if value is not None:
            options.append((distance(allowed, old, column, scale), value))
    return sorted(options)


def _scale(cuts: NDArray[np.float64], own: float) -> float:
    known = np.append(cuts, own) if np.isfinite(own) else cuts
    span = float(known.max() - known.min()) if len(known) else 0.0
    return span if span > 0 else 1.0

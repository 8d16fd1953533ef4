"""Neighbours in words: the model, the table of near rows, and why a row gets its answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.neighbors.votes import Neighbours
from treewright.pages.blocks import Block, Paragraph, Table
from treewright.pages.page import Page
from treewright.table.schema import Column, level_text
from treewright.tree.format import estimate_text

if TYPE_CHECKING:
    import pandas as pd


# The neighbours of one row as a data frame.


def neighbour_table(model: Any, near: Neighbours) -> Any:
    """The rows that answer, nearest first: number, distance, share of the vote, target and columns."""
    import pandas as pd

    taken = near.taken[0] > 0
    rows = near.rows[0][taken]
    votes = near.vote_weights(model.weights)[0][taken]
    target = model.fit_target_[rows]
    numbers = getattr(model, "fit_rows_", np.arange(model.n_samples_fit_))[rows]
    schema = model.schema_
    data: dict[str, Any] = {"row": numbers, "distance": near.distances[0][taken], "vote": votes / votes.sum()}
    data[schema.target or "target"] = model.classes_[target] if hasattr(model, "classes_") else target
    n_numeric = n_levelled = 0
    for column in schema.columns:
        if column.kind == "numeric":
            values = _numbers(column, model.fit_numbers_[rows, n_numeric])
            n_numeric += 1
        else:
            values = _levels(column, model.fit_codes_[rows, n_levelled])
            n_levelled += 1
        data[_free_name(column.name, data)] = values
    return pd.DataFrame(data)


def _numbers(column: Column, values: NDArray[np.float64]) -> Any:
    if column.value_type != "number":
        return [column.show(value) for value in values]
    whole = np.isfinite(values).all() and (values == np.round(values)).all() and (np.abs(values) < 2**53).all()
    return values.astype(np.int64) if whole else values


def _levels(column: Column, codes: NDArray[np.int32]) -> list[Any]:
    return [column.levels[code - 1] if code else None for code in codes]


def _free_name(name: str, taken: dict[str, Any]) -> str:
    while name in taken:
        name += "_"
    return name


# A model of neighbours in a few lines.


def _votes(weights: Any) -> str:
    if callable(weights):
        return f"{getattr(weights, '__name__', 'a function')} of the distance"
    return "1/distance" if weights == "distance" else "all the same"


def neighbours_text(model: Any) -> str:
    """Write a fitted model for people."""
    schema, metric = model.schema_, model._search.metric
    target = f" for '{schema.target}'" if schema.target else ""
    lines = [f"{type(model).__name__} of {_count(model.n_neighbors_, 'neighbour')}{target}"]
    lines.append(f"  rows       {model.n_samples_fit_:,}")
    lines.append(f"  columns    {_kinds(schema)}")
    lines.append(f"  metric     {metric.name}{_ignored(schema, metric)}")
    lines.append(f"  votes      {_votes(model.weights)}")
    if hasattr(model, "classes_"):
        lines.append(f"  classes    {_classes(model.classes_.tolist())}")
    if hasattr(model, "cv_curve_"):
        name = "wrong" if hasattr(model, "classes_") else "mean squared error"
        best = f"{name} {estimate_text(model.cv_curve_.min())}"
        lines.append(f"  chosen     {model.n_neighbors_} of 1 to {len(model.cv_curve_)}: {best} on rows left out")
    return "\n".join(lines)


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _kinds(schema: Any) -> str:
    kinds = [column.kind for column in schema.columns]
    found = [f"{kinds.count(kind):,} {kind}" for kind in ("numeric", "ordinal", "nominal") if kind in kinds]
    return ", ".join(found)


def _ignored(schema: Any, metric: Any) -> str:
    used = len(metric.scale) + len(metric.apart)
    n_out = len(schema.columns) - used
    return f" ({_count(n_out, 'column')} left out: all values the same, or factor 0)" if n_out else ""


def _classes(classes: list[Any]) -> str:
    shown = ", ".join(level_text(label) for label in classes[:6])
    return shown + (f" and {len(classes) - 6:,} more" if len(classes) > 6 else "")


# Why a row gets its answer from its neighbours: who they are, how far, and what each says.


_SHOWN = 20  # neighbours
_COLUMNS_BEFORE_VALUES = 4  # row, distance, vote, target


@dataclass(frozen=True)
class WhyNeighbours(Page):
    """The answer to one row, and the rows that gave it. Print it, or take `neighbours`, a data frame."""

    answer: Any
    target: str
    neighbours: pd.DataFrame
    has_classes: bool

    @property
    def title(self) -> str:
        """The heading of the page."""
        return f"Why {self._shown(self.answer)}?"

    @property
    def sentence(self) -> str:
        """The reason in a sentence."""
        n = len(self.neighbours)
        said = self.neighbours.iloc[:, _COLUMNS_BEFORE_VALUES - 1]
        if not self.has_classes:
            low, high = self._shown(said.min()), self._shown(said.max())
            return f"{self._shown(self.answer)}, the mean of its {n} nearest rows, which have {low} to {high}."
        agree = said == self.answer
        votes = float(self.neighbours.loc[agree, "vote"].sum())
        weighing = "" if abs(votes - agree.sum() / n) < 1e-9 else f", with {100 * votes:.0f} % of the votes"
        return f"{self.answer}, because {agree.sum()} of its {n} nearest rows are {self.answer}{weighing}."

    def blocks(self) -> Iterator[Block]:
        """The sentence, then the rows, the nearest first."""
        yield Paragraph(self.sentence)
        shown = self.neighbours.head(_SHOWN)
        cells = (tuple(self._shown(value) for value in row) for row in shown.itertuples(index=False))
        yield Table(tuple(map(str, shown.columns)), tuple(cells), numbers=frozenset({0, 1, 2}))
        if len(self.neighbours) > _SHOWN:
            yield Paragraph(f"{len(self.neighbours) - _SHOWN:,} more rows are as near as the last one.")

    def to_dict(self) -> Any:
        """Give answer, sentence and neighbours as plain values."""
        rows = self.neighbours.astype(object).where(self.neighbours.notna(), None).to_dict("records")
        return {"answer": self.answer, "sentence": self.sentence, "neighbours": rows}

    @staticmethod
    def _shown(value: Any) -> str:
        if value is None or value != value:
            return "missing"
        return estimate_text(value) if isinstance(value, float) else str(value)

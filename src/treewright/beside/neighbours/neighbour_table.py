"""The neighbours of one row as a data frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.beside.neighbours.votes import Neighbours
from treewright.encode.schema import Column


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
    if column.face != "number":
        return [column.show(value) for value in values]
    whole = np.isfinite(values).all() and (values == np.round(values)).all() and (np.abs(values) < 2**53).all()
    return values.astype(np.int64) if whole else values


def _levels(column: Column, codes: NDArray[np.int32]) -> list[Any]:
    return [column.levels[code - 1] if code else None for code in codes]


def _free_name(name: str, taken: dict[str, Any]) -> str:
    while name in taken:
        name += "_"
    return name

"""From a name to a distance: ranges, spreads and shares of classes of the rows that were learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from treewright.beside.columns import Columns, Floats
from treewright.beside.learner_model import Truth
from treewright.beside.neighbours.metric import Metric, refuse_holes
from treewright.beside.neighbours.points import Layout, layout_of
from treewright.errors import DataError, nearest

METRICS = (
    "heom",
    "gower",
    "hvdm",
    "euclidean",
    "manhattan",
    "standardised",
    "weighted",
    "mahalanobis",
    "hamming",
)
METRICS_WITH_HOLES = ("heom", "gower", "hvdm")  # take missing numbers
_BY_ONE = ("gower", "manhattan", "hamming")  # add differences, the others their squares
_RIDGE = 1e-8  # on the diagonal of the correlations, so that columns that say the same do no harm

Factors = Mapping[Any, float] | Any | None


def learn_metric(name: str, factors: Factors, columns: Columns, truth: Truth) -> Metric:
    """Learn the metric of this name from the rows of a table.

    Examples
    --------
    >>> from treewright.encode.schema import Column, Schema
    >>> schema = Schema((Column("age", "numeric"),))
    >>> columns = Columns(schema, np.array([[20.0], [30.0]]), np.empty((2, 0), dtype=np.int32), (0,), ())
    >>> learn_metric("heom", None, columns, Truth(np.zeros(2), None)).scale
    array([0.1])
    """
    _check_use(name, factors, columns, truth)
    layout = layout_of(columns, every_level=name == "hamming")
    factor = _factors_by_place(factors, columns, layout)
    points = layout.points(columns)
    n_ordered = points.numbers.shape[1]
    if name not in METRICS_WITH_HOLES:
        refuse_holes(points.numbers, layout.names(columns), name)
    scale = _unit_scale(name, points.numbers, truth.row_weights, layout.names(columns)) * factor[:n_ordered]
    kept = np.flatnonzero(scale)
    power = 1 if name in _BY_ONE else 2
    levelled = factor[n_ordered:] > 0
    ignored = np.concatenate([scale == 0, ~levelled])
    apart = factor[n_ordered:][levelled] ** power
    hole = factor[:n_ordered][kept] ** power if name in METRICS_WITH_HOLES else None
    mixing = _whitening(points.numbers[:, kept] * scale[kept], truth.row_weights) if name == "mahalanobis" else None
    rates = None
    if name == "hvdm":
        used = [k for k, kept_level in zip(layout.nominal, levelled, strict=True) if kept_level]
        sizes = [len(columns.schema.columns[columns.levelled[k]].levels) for k in used]
        rates = tuple(_class_shares(columns.codes[:, k], n, truth) for k, n in zip(used, sizes, strict=True))
    return Metric(name, layout.without(ignored), power, scale[kept], hole, apart, name == "gower", mixing, rates)


def _check_use(name: str, factors: Factors, columns: Columns, truth: Truth) -> None:
    kinds = {column.kind: column.name for column in reversed(columns.schema.columns)}
    if name == "hamming" and "numeric" in kinds:
        raise DataError(
            f"metric='hamming' counts the columns that differ, but column '{kinds['numeric']}' holds numbers. "
            "Choose metric='heom', or call its values levels: column_kinds="
            f"{{'{kinds['numeric']}': 'nominal'}}."
        )
    if name == "mahalanobis" and "nominal" in kinds:
        raise DataError(
            f"metric='mahalanobis' takes numbers, but column '{kinds['nominal']}' is nominal. Choose metric='heom', "
            "or leave the column out."
        )
    if name == "mahalanobis" and factors is not None:
        raise DataError("metric='mahalanobis' finds its own factors. Leave factors out, or choose metric='weighted'.")
    if name == "hvdm" and truth.classes is None:
        raise DataError("metric='hvdm' compares levels by their classes, and the target is a number. Choose 'heom'.")
    if name == "weighted" and factors is None:
        raise DataError("metric='weighted' needs a factor for each column. Pass factors={'column': 2.0}.")


def _factors_by_place(factors: Factors, columns: Columns, layout: Layout) -> Floats:
    """The factor of each coordinate of the layout; 1 where none is given."""
    names = columns.schema.names
    if factors is None:
        by_column = np.ones(len(names))
    elif isinstance(factors, Mapping):
        unknown = [str(name) for name in factors if str(name) not in names]
        if unknown:
            raise DataError(
                f"factors names the column '{unknown[0]}', which is not there. {nearest(unknown[0], names)}"
            )
        given = {str(name): value for name, value in factors.items()}
        by_column = _as_numbers([given.get(name, 1.0) for name in names])
    else:
        by_column = _as_numbers(list(factors))
        if len(by_column) != len(names):
            raise DataError(
                f"factors has {len(by_column)} numbers, but the table has {len(names)} columns. Give one for each."
            )
    if not np.isfinite(by_column).all() or (by_column < 0).any():
        wrong = int(np.argmax(~np.isfinite(by_column) | (by_column < 0)))
        raise DataError(
            f"The factor of column '{names[wrong]}' is {by_column[wrong]:g}. Factors are 0 (the column is left out) "
            "or above."
        )
    return np.asarray(by_column[list(layout.sources(columns))], dtype=np.float64)


def _as_numbers(values: list[Any]) -> Floats:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"factors must be numbers, one a column. Got {values!r}.") from None


def _unit_scale(name: str, numbers: Floats, weights: Floats, names: tuple[str, ...]) -> Floats:
    """What a difference is multiplied by; 0 where all values are the same, so that the column is ignored."""
    if name in ("euclidean", "manhattan", "weighted") or not numbers.size:
        return np.ones(numbers.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        spread = _range(numbers) if name in ("heom", "gower") else _deviation(name, numbers, weights)
        spread = 4 * spread if name == "hvdm" else spread
    if not np.isfinite(spread).all():
        wrong = names[int(np.argmax(~np.isfinite(spread)))]
        raise DataError(f"The numbers of column '{wrong}' are too far apart to measure. Divide them by a power of 10.")
    return np.asarray(np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > np.finfo(np.float64).tiny))


def _range(numbers: Floats) -> Floats:
    known = ~np.isnan(numbers)
    highest = np.where(known, numbers, -np.inf).max(axis=0)
    lowest = np.where(known, numbers, np.inf).min(axis=0)
    return np.asarray(np.where(known.any(axis=0), highest - lowest, 0.0))


def _deviation(name: str, numbers: Floats, weights: Floats) -> Floats:
    """The standard deviation; weights count rows. Heterogeneous distances divide by n, the others by n − 1."""
    known = ~np.isnan(numbers)
    weight = np.where(known, weights[:, None], 0.0)
    total = weight.sum(axis=0)
    some = np.where(total > 0, total, 1.0)
    centre = np.where(known, numbers, 0.0)
    mean = (weight * centre).sum(axis=0) / some
    squares = (weight * np.where(known, numbers - mean, 0.0) ** 2).sum(axis=0)
    freedom = some if name == "hvdm" else np.maximum(total - 1, 0.0)
    spread = np.sqrt(np.divide(squares, freedom, out=np.zeros_like(squares), where=freedom > 0))
    constant = _range(numbers) == 0  # rounding of the mean must not make a spread of nothing
    return np.asarray(np.where(constant, 0.0, spread))


def _whitening(standardised: Floats, weights: Floats) -> Floats:
    """The triangle that turns standardised differences into uncorrelated ones."""
    n_columns = standardised.shape[1]
    if not n_columns:
        return np.empty((0, 0))
    centred = standardised - np.average(standardised, axis=0, weights=weights)
    correlations = (centred * weights[:, None]).T @ centred / (weights.sum() - 1)
    factor = cholesky(correlations + _RIDGE * np.eye(n_columns), lower=True)
    return np.asarray(solve_triangular(factor, np.eye(n_columns), lower=True).T)


def _class_shares(codes: Any, n_levels: int, truth: Truth) -> Floats:
    """The share of each class among the rows of each level; NaN for a level without rows, and for code 0."""
    n_classes = len(truth.classes if truth.classes is not None else ())
    cells = codes.astype(np.int64) * n_classes + truth.values
    counts = np.bincount(cells, truth.row_weights, minlength=(n_levels + 1) * n_classes)
    counts = counts.reshape(n_levels + 1, n_classes)
    counts[0] = 0
    with np.errstate(invalid="ignore"):
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

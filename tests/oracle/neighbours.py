"""Nearest neighbours by the definitions, one pair of rows and one column at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from treewright.reference.table import Column, Table, Value

Row = Sequence[Value]


@dataclass(frozen=True)
class TrainedUnits:
    """What a distance takes from the training rows: the spread of each ordered column, shares of classes by level."""

    spread: list[float]
    shares: list[dict[int, list[float]]]


def ordered(column: Column, metric: str) -> bool:
    """Whether differences of the column are taken, rather than whether its values differ."""
    return column.kind == "numeric" or (column.kind == "ordinal" and metric != "hamming")


def learn(table: Table, metric: str) -> TrainedUnits:
    """The spread of each column in the training rows, and the shares of the classes at each level."""
    rows = table.rows()
    spreads, shares = [], []
    for column in table.columns:
        known = column.known(rows)
        values = [float(column.values[row] or 0) for row in known]
        weights = [table.weights[row] for row in known]
        spreads.append(spread(values, weights, metric) if ordered(column, metric) else 1.0)
        shares.append(level_shares(table, column, rows) if metric == "hvdm" else {})
    return TrainedUnits(spreads, shares)


def spread(values: list[float], weights: list[int], metric: str) -> float:
    """What a difference is divided by; 0: the column is ignored."""
    if metric in ("euclidean", "manhattan", "chebyshev"):
        return 1.0
    if not values or min(values) == max(values):
        return 0.0
    if metric in ("heom", "gower"):
        return max(values) - min(values)
    total = sum(weights)
    mean = sum(w * v for v, w in zip(values, weights, strict=True)) / total
    squares = sum(w * (v - mean) ** 2 for v, w in zip(values, weights, strict=True))
    return 4 * math.sqrt(squares / total) if metric == "hvdm" else math.sqrt(squares / (total - 1))


def level_shares(table: Table, column: Column, rows: list[int]) -> dict[int, list[float]]:
    """The share of each class among the rows of a level."""
    shares = {}
    for level in column.present(rows):
        counts = [0.0] * table.n_classes
        for row in rows:
            if column.values[row] == level:
                counts[table.target[row]] += table.weights[row]
        shares[int(level)] = [count / sum(counts) for count in counts]
    return shares


def distance(table: Table, learnt: TrainedUnits, metric: str, a: Row, b: Row) -> float:
    """How far two rows are apart."""
    if metric == "chebyshev":  # of known values
        parts = enumerate(zip(table.columns, a, b, strict=True))
        return max(column_distance(column, learnt, j, metric, x or 0, y or 0) for j, (column, x, y) in parts)
    total, known = 0.0, 0.0
    by_one = metric in ("manhattan", "gower", "hamming")
    for j, column in enumerate(table.columns):
        if learnt.spread[j] == 0:
            continue
        if a[j] is None or b[j] is None:
            total += 0.0 if metric == "gower" else 1.0
            continue
        part = column_distance(column, learnt, j, metric, a[j] or 0, b[j] or 0)
        total += part if by_one else part**2
        known += 1
    if metric == "gower":
        return total / known if known else 1.0
    return total if by_one else math.sqrt(total)


def column_distance(column: Column, learnt: TrainedUnits, j: int, metric: str, a: float, b: float) -> float:
    """What two known values of a column are apart."""
    if ordered(column, metric):
        return abs(a - b) / learnt.spread[j]
    if metric != "hvdm":
        return float(a != b)
    if int(a) not in learnt.shares[j] or int(b) not in learnt.shares[j]:
        return 1.0
    both = zip(learnt.shares[j][int(a)], learnt.shares[j][int(b)], strict=True)
    return math.sqrt(sum((p - q) ** 2 for p, q in both))


def neighbours(
    distances: Sequence[tuple[float, int]], weights: Sequence[float], k: int, ties: str
) -> list[tuple[int, float, float]]:
    """The nearest rows (number, distance, how much of it counts) that together count as k rows.

    With `ties` "all" every row that is as far as the last one counts in full.
    """
    found, left = [], float(k)
    for far, row in sorted(distances):
        counts = min(left, weights[row])
        if counts <= 0:
            break
        found.append((row, far, counts))
        left -= counts
    if ties == "all":
        return [(row, far, weights[row]) for far, row in sorted(distances) if far <= found[-1][1]]
    return found


def votes(near: list[tuple[int, float, float]], by_distance: bool) -> list[float]:
    """What each neighbour's vote weighs."""
    if not by_distance:
        return [counts for _, _, counts in near]
    if any(far == 0 for _, far, _ in near):
        return [counts if far == 0 else 0.0 for _, far, counts in near]
    return [counts / far for _, far, counts in near]


def elected(near: list[tuple[int, float, float]], by_distance: bool, target: Sequence[int], n_classes: int) -> int:
    """The class with most votes; then the smaller total distance, then the first."""
    weight, far = [0.0] * n_classes, [0.0] * n_classes
    for (row, distance_to, counts), vote in zip(near, votes(near, by_distance), strict=True):
        weight[target[row]] += vote
        far[target[row]] += counts * distance_to
    return min(range(n_classes), key=lambda c: (-weight[c], far[c], c))

"""Naive Bayes by its definition: one row, one class and one column at a time, in plain probabilities' logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence

from treewright.reference.table import Column, Table, Value


def log_joint(table: Table, row: Sequence[Value], k: int, numeric: str, alpha: float) -> float:
    """The logarithm of the probability of class k and of the known values of the row together."""
    rows = table.rows()
    of_class = [r for r in rows if table.target[r] == k]
    found = math.log(table.weight(of_class) / table.weight(rows))
    for column, value in zip(table.columns, row, strict=True):
        if value is None or not (column.kind != "numeric" or column.known(rows)):
            continue
        if column.kind != "numeric":
            found += level_share(table, column, int(value), of_class, alpha)
        elif numeric == "gaussian":
            found += log_normal(float(value), *mean_and_deviation(table, column, k))
        else:
            found += log_kernel(table, column, float(value), of_class or rows)
    return found


def level_share(table: Table, column: Column, level: int, of_class: list[int], alpha: float) -> float:
    """The log share of a level in the class, with alpha rows more of each level."""
    n_levels = len({v for v in column.values if v is not None})
    known = column.known(of_class)
    count = sum(table.weights[r] for r in known if column.values[r] == level)
    return math.log((count + alpha) / (sum(table.weights[r] for r in known) + alpha * n_levels))


def log_normal(x: float, mean: float, deviation: float) -> float:
    """The log density of the normal curve."""
    return -(((x - mean) / deviation) ** 2) / 2 - math.log(deviation * math.sqrt(2 * math.pi))


def precision(table: Table, column: Column) -> float:
    """The mean gap between different values."""
    values = column.present(table.rows())
    return (values[-1] - values[0]) / (len(values) - 1) if len(values) > 1 else 0.01


def moments(table: Table, column: Column, rows: list[int]) -> tuple[float, float, float]:
    """Known weight, mean, and weighted squares around it."""
    known = column.known(rows)
    total = float(sum(table.weights[r] for r in known))
    if not total:
        return 0.0, 0.0, 0.0
    mean = sum(table.weights[r] * float(column.values[r] or 0) for r in known) / total
    return total, mean, sum(table.weights[r] * (float(column.values[r] or 0) - mean) ** 2 for r in known)


def mean_and_deviation(table: Table, column: Column, k: int) -> tuple[float, float]:
    """Of the class; of all classes together where it has too few values."""
    classes = [[r for r in table.rows() if table.target[r] == c] for c in range(table.n_classes)]
    total, mean, squares = moments(table, column, classes[k])
    if total >= 2:
        variance = squares / (total - 1)
    elif total > 0:
        parts = [moments(table, column, rows) for rows in classes]
        freedom = sum(max(weight - 1, 0.0) for weight, _, _ in parts)
        divisor = freedom if freedom > 0 else sum(weight for weight, _, _ in parts)
        variance = sum(part for _, _, part in parts) / divisor
    else:
        whole, mean, squares = moments(table, column, table.rows())
        variance = squares / max(whole - 1, 1.0)
    values = column.present(table.rows())
    floor = max(1e-9 * (values[-1] - values[0]), 1e-12, precision(table, column) / 6)
    return mean, max(math.sqrt(variance), floor)


def log_kernel(table: Table, column: Column, x: float, rows: list[int]) -> float:
    """The log density of a bell over every value; its width is the range over the root of the weight."""
    known = column.known(rows) or column.known(table.rows())
    values = [float(column.values[r] or 0) for r in known]
    total = sum(table.weights[r] for r in known)
    width = max((max(values) - min(values)) / math.sqrt(total), precision(table, column) / 6)
    parts = [math.log(table.weights[r] / total) + log_normal(x, v, width) for r, v in zip(known, values, strict=True)]
    highest = max(parts)
    return highest + math.log(sum(math.exp(part - highest) for part in parts))

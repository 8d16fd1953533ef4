"""Random tables with ties, holes, levels, dates and weights, and random settings of trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import treewright as tw

TASKS = ("two", "many", "int", "number", "count")


@dataclass(frozen=True)
class Case:
    """A table with its target `y` and perhaps its weights `w`, and a tree to fit to it."""

    frame: pd.DataFrame
    model: Any
    weight: str | None
    fetch_rows: int
    parts: list[np.ndarray]  # the rows of each file

    @property
    def columns(self) -> pd.DataFrame:
        return self.frame.drop(columns=["y", *([self.weight] if self.weight else [])])

    def in_memory(self) -> Any:
        weights = None if self.weight is None else self.frame[self.weight]
        return self.model().fit(self.columns, self.frame["y"], weights)

    def arrow(self) -> pa.Table:
        return pa.Table.from_pandas(self.frame, preserve_index=False).replace_schema_metadata(None)


def random_case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    task = str(rng.choice(TASKS))
    n = int(rng.integers(5, 120))
    frame = pd.DataFrame({f"c{j}": _column(rng, n) for j in range(rng.integers(1, 5))})
    frame["y"] = _target(rng, n, task)
    weights = [None, rng.integers(0, 4, n).astype(float), rng.integers(0, 5, n) / 4, rng.random(n)][rng.integers(4)]
    if weights is not None:
        weights[0] = 1
        frame["w"] = weights
    settings = _settings(rng, task, exact=weights is None or bool((weights * 4 == np.floor(weights * 4)).all()))
    kind = tw.DecisionTreeClassifier if task in ("two", "many", "int") else tw.DecisionTreeRegressor
    order = np.arange(n) if rng.random() < 0.5 else rng.permutation(n)
    parts = np.split(order, np.sort(rng.integers(0, n + 1, rng.integers(0, 4))))
    fetch_rows = int(rng.integers(1, 40))
    return Case(frame, lambda: kind(**settings), None if weights is None else "w", fetch_rows, parts)


def _column(rng: np.random.Generator, n: int) -> pd.Series:
    kind = rng.integers(6)
    if kind == 0:
        values: Any = rng.integers(0, rng.integers(2, 9), n).astype(float)
    elif kind == 1:
        values = np.round(rng.normal(size=n), rng.integers(0, 4))
    elif kind == 2:
        values = rng.choice(list("abcdefghijklmn")[: rng.integers(2, 14)], n).astype(object)
    elif kind == 3:
        values = rng.normal(size=n)
    elif kind == 4:
        return pd.Series(rng.integers(0, 2, n).astype(bool))
    else:
        unit = "D" if rng.random() < 0.5 else "h"
        values = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit=unit)
    column = pd.Series(values)
    return column.mask(rng.random(n) < 0.2) if rng.random() < 0.5 else column


def _target(rng: np.random.Generator, n: int, task: str) -> Any:
    if task == "two":
        return rng.choice(["no", "yes"], n).astype(object)
    if task == "many":
        return rng.choice(list("pqrst")[: rng.integers(3, 6)], n).astype(object)
    if task == "int":
        return rng.integers(0, 3, n)
    if task == "count":
        return rng.poisson(2, n) + (np.arange(n) == 0)
    return np.round(rng.normal(size=n) * 10, rng.integers(0, 5))


def _settings(rng: np.random.Generator, task: str, exact: bool) -> dict[str, Any]:
    settings: dict[str, Any] = {"missing": str(rng.choice(["learn", "larger", "branch"]))}
    if task in ("two", "many", "int"):
        settings["criterion"] = str(rng.choice(["gini", "entropy", "error", "twoing", "hellinger"]))
        if rng.random() < 0.3:
            settings["class_weight"] = "balanced"
            exact = False
    elif task == "count":
        settings["criterion"] = "poisson"
    elif rng.random() < 0.2:
        settings["min_variance_share"] = 0.2
    for name, value in {
        "max_depth": int(rng.integers(1, 5)),
        "min_samples_leaf": int(rng.integers(1, 6)),
        "min_impurity_decrease": float(rng.random() * 0.05),
        "max_leaf_nodes": int(rng.integers(2, 8)),
        "ccp_alpha": float(rng.random() * 0.05),
        "min_weight_fraction_leaf": 0.1,
    }.items():
        if rng.random() < 0.25 and (exact or name != "min_weight_fraction_leaf"):
            settings[name] = value
    return settings

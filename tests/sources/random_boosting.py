"""Random tables of every type that a file may hold, and random boosters: losses, options, parts of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import treewright as tw

LOSSES = ("squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma")
TASKS = ("two", "many", *LOSSES, "own")


@dataclass(frozen=True)
class BoostingCase:
    """A table with its target `y` and perhaps its weights `w`, and a booster to fit to it."""

    frame: pd.DataFrame
    model: Any
    weight: str | None
    parts: list[np.ndarray]  # the rows of each file

    def in_memory(self) -> Any:
        weights = None if self.weight is None else self.frame[self.weight]
        columns = self.frame.drop(columns=["y", *([self.weight] if self.weight else [])])
        return self.model().fit(columns, self.frame["y"], weights)

    def arrow(self) -> pa.Table:
        return pa.Table.from_pandas(self.frame, preserve_index=False).replace_schema_metadata(None)


def boosting_case(seed: int, n: int = 0) -> BoostingCase:
    """The case of a seed; `n` rows, or some number of them."""
    rng = np.random.default_rng([77, seed])
    task = TASKS[seed % len(TASKS)]
    n = n or int(rng.choice([6, 45, 300, 800]))
    frame = pd.DataFrame({f"c{j}": column(rng, n) for j in range(rng.integers(1, 6))})
    frame["y"] = _target(rng, n, task)
    weights = [None, rng.integers(0, 4, n), rng.integers(0, 5, n) / 4, rng.random(n)][rng.integers(4)]
    if weights is not None:
        weights[:2] = 1
        frame["w"] = weights
    kind = tw.GradientBoostingClassifier if task in ("two", "many") else tw.GradientBoostingRegressor
    settings = _settings(rng, task, n)
    order = np.arange(n) if rng.random() < 0.3 else rng.permutation(n)
    parts = np.array_split(order, int(rng.choice([1, 3, 17])))
    return BoostingCase(frame, lambda: kind(**settings), None if weights is None else "w", parts)


def column(rng: np.random.Generator, n: int) -> pd.Series:
    """A column of a random type."""
    long, short = rng.normal(size=n), rng.integers(-100, 100, n)
    values: Any = [
        lambda: long,
        lambda: np.round(long, 1),
        lambda: long.astype(np.float32),
        lambda: short.astype(str(rng.choice(["int8", "int16", "int32", "int64", "float64"]))),
        lambda: rng.integers(2**53 - 300, 2**53 + 300, n),  # some are rounded to the nearest double
        lambda: np.where(rng.random(n) < 0.1, rng.choice([np.inf, -np.inf, -0.0, 0.0], n), long),
        lambda: rng.choice(list("abcdefghijklmn"), n).astype(object),
        lambda: np.array([f"level {i}" for i in rng.integers(0, 700, n)], dtype=object),
        lambda: rng.random(n) < 0.4,
        lambda: pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit=str(rng.choice(["D", "h"]))),
    ][rng.integers(10)]()
    found = pd.Series(values)
    if rng.random() < 0.6 or found.dtype == bool:
        return found
    if found.dtype.kind == "i":  # whole numbers with holes stay whole
        found = found.astype(found.dtype.name.capitalize())
    return found.mask(rng.random(n) < 0.2)


def _target(rng: np.random.Generator, n: int, task: str) -> Any:
    if task == "two":
        return np.array(["no", "yes"], dtype=object)[np.arange(n) % 2 ^ (rng.random(n) < 0.3)]
    if task == "many":
        return np.array(list("pqrs"), dtype=object)[(np.arange(n) + (rng.random(n) < 0.3)) % 4]
    if task == "poisson":
        return rng.poisson(2, n) + (np.arange(n) < 2)
    if task == "gamma":
        return np.round(rng.gamma(2, 3, n), 2) + 0.01
    return np.round(rng.normal(size=n) * 10, rng.integers(0, 5))


def _squares(y: Any, score: Any) -> tuple[Any, Any]:
    return score - y, np.ones_like(y)


def _settings(rng: np.random.Generator, task: str, n: int) -> dict[str, Any]:
    settings: dict[str, Any] = {"n_estimators": int(rng.integers(1, 6)), "min_samples_leaf": int(rng.integers(1, 8))}
    if task in LOSSES:
        settings["loss"] = task
    if task == "own":
        settings["loss"] = _squares
    options: dict[str, Any] = {
        "subsample": 0.6,
        "max_features": 0.5,
        "max_features_per_tree": 0.7,
        "max_bins": [None, 2, 16][rng.integers(3)],
        "max_leaf_nodes": int(rng.integers(2, 9)),
        "max_depth": int(rng.integers(1, 5)),
        "growth": "level",
        "l2_regularization": 0.5,
        "random_state": int(rng.integers(100)),
        "interaction_cst": "no_interactions",
    }
    if task != "own":
        options |= {"early_stopping": n > 40, "n_models": 3 if n > 40 else 1, "n_iter_no_change": 2 if n > 40 else None}
    if task in ("two", "many"):
        options |= {"class_weight": "balanced"}
    if task in ("two", "many", "squared_error"):
        options |= {"init": "zero"}
    settings |= {name: value for name, value in options.items() if rng.random() < 0.3}
    if settings.get("init") == "zero" or settings.get("early_stopping"):
        settings.pop("n_models", None)
    if settings.get("init") == "zero":
        settings = {
            name: value for name, value in settings.items() if name not in ("early_stopping", "n_iter_no_change")
        }
    return settings

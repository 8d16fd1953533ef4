"""Random tables with naive Bayes models whose sums are added up where the rows are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import treewright as tw
from sources.random_trees import random_table


def with_odd_numbers(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Huge and small numbers, some far from 0, some near each other in one class, heavy tails, holes, one value."""
    frame = pd.concat([frame] * int(rng.integers(1, 4)), ignore_index=True)
    n = len(frame)
    frame["scaled"] = rng.normal(size=n) * 10.0 ** rng.integers(-290, 140)
    frame["far"] = 1e9 + rng.normal(size=n) * 10.0 ** rng.integers(-7, 3)
    frame["tail"] = np.exp(rng.normal(size=n) * rng.integers(1, 20)) * rng.choice([-1.0, 1.0], n)
    frame["narrow"] = np.where(frame["y"] == frame["y"].iloc[0], 5.0 + 1e-9 * rng.random(n), 100 * rng.random(n))
    frame["zeros"] = rng.choice([0.0, -0.0, 0.1, 2.0], n)
    frame["one"] = 0.1
    frame["none"] = np.nan
    for name in ("scaled", "tail", "narrow", "zeros"):
        frame[name] = frame[name].mask(rng.random(n) < 0.1)
    return frame


def assert_same_bayes(seed: int, open_source: Callable[[pa.Table, list[np.ndarray]], Any]) -> None:
    """A random model of a table in 1, 3 or 17 parts, some of them shuffled, has the bytes of the rows in memory."""
    rng = np.random.default_rng(seed)
    numbers = bool(rng.random() < 0.7)
    frame = random_table(rng, numbers)
    if numbers:
        frame = with_odd_numbers(frame, rng)
    n = len(frame)
    settings: dict[str, Any] = {
        "alpha": float(rng.choice([0.0, 0.5, 1.0])),
        "numeric": "gaussian" if numbers else str(rng.choice(["gaussian", "kernel"])),
        "variance": str(rng.choice(["unbiased", "population"])),
    }
    if rng.random() < 0.5:
        settings["column_kinds"] = {"s1": ["w", "u", "v"]}
    if rng.random() < 0.3:
        settings["priors"] = dict.fromkeys(frame["y"].unique(), 1 / frame["y"].nunique())
    weights = [None, rng.integers(0, 4, n).astype(float), rng.integers(0, 9, n) / 8][rng.integers(3)]
    given = frame if weights is None else frame.assign(w=weights)
    table = pa.Table.from_pandas(given, preserve_index=False).replace_schema_metadata(None)
    order = rng.permutation(n) if seed % 2 else np.arange(n)
    source = open_source(table, np.array_split(order, (1, 3, 17)[seed % 3]))
    found = tw.NaiveBayesClassifier(**settings).fit(source, "y", None if weights is None else "w")
    expected = tw.NaiveBayesClassifier(**settings).fit(frame.drop(columns="y"), frame["y"], weights)
    assert found._tw_bytes() == expected._tw_bytes(), (seed, settings)

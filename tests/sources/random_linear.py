"""Random tables with linear regressions that are made of sums where the rows are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import treewright as tw


def random_settings(rng: np.random.Generator) -> dict[str, Any]:
    """With holes filled or flagged, with a constant or without."""
    settings: dict[str, Any] = {"missing": str(rng.choice(["mean", "flag"])), "fit_intercept": bool(rng.random() < 0.8)}
    if rng.random() < 0.3:
        settings["column_kinds"] = {"s1": ["w", "u", "v"]}
    return settings


def random_table(rng: np.random.Generator) -> pd.DataFrame:
    """Numbers of many sizes, some far from 0, some with heavy tails; levels, truth values, holes."""
    n = int(rng.integers(120, 300))
    frame = pd.DataFrame({"s0": rng.choice(list("abcde"), n), "s1": rng.choice(list("uvw"), n)})
    frame["b"] = rng.random(n) < 0.5
    frame["scaled"] = rng.normal(size=n) * 10.0 ** rng.integers(-90, 90)
    frame["far"] = 1e6 + rng.normal(size=n)
    frame["tail"] = np.exp(rng.normal(size=n) * rng.integers(1, 6)) * rng.choice([-1.0, 1.0], n)
    frame["i"] = rng.integers(0, 6, n)
    frame["zeros"] = rng.choice([0.0, -0.0, 0.1, 2.0], n)
    if rng.random() < 0.3:
        frame["one"] = 0.1
    if rng.random() < 0.3:
        frame["near"] = frame["scaled"] * 3 + frame["i"] * frame["scaled"].abs().max() * 1e-9
    if rng.random() < 0.5:
        frame["s0"] = frame["s0"].mask(rng.random(n) < 0.1)
        frame["tail"] = frame["tail"].mask(rng.random(n) < 0.1)
    told = frame["i"] + frame["far"] + frame["s1"].map({"u": 0.0, "v": 1.0, "w": 5.0}) + rng.normal(size=n)
    frame["y"] = told * 10.0 ** rng.integers(-30, 30)
    return frame


def assert_same_linear(seed: int, open_source: Callable[[pa.Table, list[np.ndarray]], Any]) -> None:
    """A random model of a table in 1, 3 or 17 parts, some of them shuffled, has the bytes of the rows in memory."""
    rng = np.random.default_rng(seed)
    settings = random_settings(rng)
    frame = random_table(rng)
    n = len(frame)
    weights = [None, rng.integers(0, 4, n).astype(float), rng.random(n) * 10.0 ** rng.integers(-20, 20)]
    chosen = weights[rng.integers(3)]
    given = frame if chosen is None else frame.assign(w=chosen)
    table = pa.Table.from_pandas(given, preserve_index=False).replace_schema_metadata(None)
    order = rng.permutation(n) if seed % 2 else np.arange(n)
    source = open_source(table, np.array_split(order, (1, 3, 17)[seed % 3]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = tw.LinearRegression(**settings).fit(frame.drop(columns="y"), frame["y"], chosen)
        found = tw.LinearRegression(**settings).fit(source, "y", None if chosen is None else "w")
    assert found._tw_bytes() == expected._tw_bytes(), (seed, settings)

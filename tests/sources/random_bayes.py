"""Random tables of levels with naive Bayes models that are counted where the rows are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

import treewright as tw
from sources.random_trees import random_table


def assert_same_bayes(seed: int, open_source: Callable[[pa.Table, list[np.ndarray]], Any]) -> None:
    """A random model of a table in 1, 3 or 17 parts, some of them shuffled, has the bytes of the rows in memory."""
    rng = np.random.default_rng(seed)
    frame = random_table(rng, numbers=False)
    n = len(frame)
    settings: dict[str, Any] = {
        "alpha": float(rng.choice([0.0, 0.5, 1.0])),
        "numeric": str(rng.choice(["gaussian", "kernel"])),
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

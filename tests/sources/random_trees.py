"""Random tables of classes with trees of ID3, CHAID and conditional tests that are counted where the rows are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import treewright as tw

ONE_OF_EACH = (0, 1, 34)  # seeds of a conditional tree, CHAID and ID3, for engines that take long to ask
Open = Callable[[pa.Table, list[np.ndarray]], Any]


def random_tree(rng: np.random.Generator) -> tuple[type[Any], dict[str, Any]]:
    """One of the learners and its settings."""
    kind = rng.integers(3)
    if kind == 0:
        return tw.ID3Classifier, {"missing": "branch", "min_gain": float(rng.choice([0.0, 0.1]))}
    if kind == 1:
        settings: dict[str, Any] = {"min_samples_split": int(rng.integers(4, 20)), "alpha_split": 0.7}
        settings |= {"min_samples_leaf": int(rng.integers(1, 6)), "bins": int(rng.integers(2, 12)), "max_depth": 4}
        settings |= {"missing": str(rng.choice(["branch", "larger", "stop"])), "alpha_merge": 0.3}
        settings |= {"exhaustive": bool(rng.random() < 0.3), "statistic": str(rng.choice(["pearson", "likelihood"]))}
        if rng.random() < 0.3:
            settings["column_kinds"] = {"s1": ["w", "u", "v"]}
        return tw.CHAIDClassifier, settings
    settings = {"alpha": 0.8, "min_samples_split": 5, "min_samples_leaf": int(rng.integers(1, 6))}
    settings |= {"missing": str(rng.choice(["larger", "learn", "branch", "stop"]))}
    settings |= {"statistic": str(rng.choice(["quadratic", "maximum"]))}
    return tw.ConditionalTreeClassifier, settings


def random_table(rng: np.random.Generator, numbers: bool) -> pd.DataFrame:
    """Levels with holes, and numbers, dates and truth values where they are wanted."""
    n, n_classes = int(rng.integers(20, 150)), int(rng.integers(2, 5))
    frame = pd.DataFrame({"s0": rng.choice(list("abcde"), n), "s1": rng.choice(list("uvw"), n)})
    frame["b"] = rng.random(n) < 0.5
    if rng.random() < 0.7:
        frame["s0"] = frame["s0"].mask(rng.random(n) < 0.2)
    if numbers:
        frame["x"] = np.round(rng.normal(size=n), int(rng.integers(0, 3)))
        frame["i"] = rng.integers(0, 6, n)
        frame["d"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 40, n), unit="D")
        if rng.random() < 0.5:
            frame["x"] = frame["x"].mask(rng.random(n) < 0.2)
    told = frame["s1"].map({"u": 0, "v": 1, "w": 2}) + frame["b"] + rng.integers(0, n_classes, n)
    frame["y"] = np.array(list("pqrst"), dtype=object)[told.to_numpy() % n_classes]
    return frame


def assert_same_tree(seed: int, open_source: Open) -> bool:
    """A random tree of a table in 1, 3 or 17 parts, some of them shuffled; gives whether the tree has a split."""
    rng = np.random.default_rng(seed)
    learner, settings = random_tree(rng)
    frame = random_table(rng, numbers=learner is not tw.ID3Classifier)
    n = len(frame)
    weights = [None, rng.integers(0, 4, n).astype(float), rng.integers(0, 5, n) / 4, rng.random(n)][rng.integers(4)]
    order = rng.permutation(n) if seed % 2 else np.arange(n)
    given = frame if weights is None else frame.assign(w=weights)
    table = pa.Table.from_pandas(given, preserve_index=False).replace_schema_metadata(None)
    source = open_source(table, np.array_split(order, (1, 3, 17)[seed % 3]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = learner(**settings).fit(frame.drop(columns="y"), frame["y"], weights)
    found = learner(**settings).fit(source, "y", None if weights is None else "w")
    assert found._tw_bytes() == expected._tw_bytes(), (seed, learner, settings)
    return bool(found.get_n_leaves() > 1)

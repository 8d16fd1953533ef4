"""Random tables without holes and random settings of C4.5 that is counted where the rows are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from treewright.learners.trees import fit_c45
from treewright.sources import profile, sql_profile
from treewright.sources.prune_from_counts import ErrorPruning

Open = Callable[[pa.Table, list[np.ndarray], int], Any]


def random_settings(rng: np.random.Generator) -> dict[str, Any]:
    """Of C4.5."""
    settings: dict[str, Any] = {
        name: bool(rng.random() < often)
        for name, often in {
            "raise_subtrees": 0.9,
            "prune": 0.95,
            "collapse": 0.5,
            "binary": 0.3,
            "subsets": 0.3,
        }.items()
    }
    settings |= {"mdl_correction": bool(rng.random() < 0.5), "confidence": float(rng.choice([0.1, 0.25, 0.5]))}
    settings |= {"min_samples_leaf": float(rng.choice([1, 2, 3.5])), "variant": str(rng.choice(["j48", "c45"]))}
    settings |= {"threshold": str(rng.choice(["observed", "midpoint"])), "laplace": bool(rng.integers(2))}
    return settings | ({"class_weight": "balanced"} if rng.random() < 0.2 else {})


def random_table(rng: np.random.Generator) -> pd.DataFrame:
    """Levels, numbers, dates; a target that they tell in part, so that trees are deep and are pruned."""
    n, n_classes = int(rng.integers(40, 250)), int(rng.choice([1, 2, 2, 2, 3, 3, 4, 5]))
    frame = pd.DataFrame({"s0": rng.choice(list("abcde"), n), "b": rng.random(n) < 0.5})
    frame["x"] = np.round(rng.normal(size=n), int(rng.integers(0, 4)))
    for j in range(rng.integers(4)):  # of which nothing follows
        frame[f"noise{j}"] = rng.integers(0, 4, n)
    if rng.random() < 0.5:
        frame["s1"] = rng.choice([f"level {i}" for i in range(rng.integers(2, 60))], n)
    if rng.random() < 0.7:
        frame["i"] = rng.integers(0, rng.integers(2, 40), n)
    if rng.random() < 0.3:
        frame["d"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, n), unit="D")
    told = (frame["x"] > 0.2).astype(int) + (frame["s0"] < "c") + (frame["b"] & (frame["x"] < 1))
    noise = np.where(rng.random(n) < 0.3, rng.integers(0, 9, n), 0)
    frame["y"] = np.array(list("pqrst"), dtype=object)[(told.to_numpy() + noise) % n_classes]
    return frame


def assert_same_c45(seed: int, open_source: Open, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Compare a random tree with that of the rows in memory; gives its leaves and how often a branch was raised."""
    rng = np.random.default_rng(seed)
    settings, frame = random_settings(rng), random_table(rng)
    n, raised = len(frame), []
    weights = [None, rng.integers(0, 4, n).astype(float), rng.integers(1, 5, n) / 4, rng.random(n)][rng.integers(4)]
    order = rng.permutation(n) if seed % 2 else np.arange(n)
    given = frame if weights is None else frame.assign(w=weights)
    table = pa.Table.from_pandas(given, preserve_index=False).replace_schema_metadata(None)
    few = (3, 8, 255)[seed % 3]  # different numbers in a column that is counted number by number
    with monkeypatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(profile, "FEW_VALUES", few)
        patch.setattr(sql_profile, "CELLS", few)
        patch.setattr(fit_c45, "MOST_NUMBERS", few)
        patch.setattr(
            ErrorPruning, "_raise", lambda *own, original=ErrorPruning._raise: (raised.append(1), original(*own))[1]
        )
        source = open_source(table, np.array_split(order, (1, 3, 17)[seed % 3]), int(rng.choice([1, 10, 25])))
        expected = tw.C45Classifier(**settings).fit(frame.drop(columns="y"), frame["y"], weights)
        found = tw.C45Classifier(**settings).fit(source, "y", None if weights is None else "w")
    assert found._tw_bytes() == expected._tw_bytes(), (seed, settings)
    return found.get_n_leaves(), len(raised)

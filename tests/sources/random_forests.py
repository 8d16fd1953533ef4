"""Random settings of forests and extra trees whose trees are grown by workers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import treewright as tw
from sources.random_tables import Case, random_case
from treewright.errors import DataError


def _either(rng: np.random.Generator, *values: Any) -> Any:
    return values[rng.integers(len(values))]


def random_forest(rng: np.random.Generator, classes: bool) -> Callable[[], Any]:
    """A forest with some of its settings drawn."""
    own = "Classifier" if classes else "Regressor"
    kind = getattr(tw, _either(rng, "RandomForest", "ExtraTrees") + own)
    settings: dict[str, Any] = {
        "n_estimators": "auto" if rng.random() < 0.1 else int(rng.integers(1, 14)),
        "random_state": int(rng.integers(100)),
        "max_depth": _either(rng, None, 2, 5),
        "max_features": _either(rng, "auto", "sqrt", 1, None),
        "bootstrap": bool(rng.integers(2)),
        "max_samples": _either(rng, None, None, 0.6),
        "max_leaf_nodes": _either(rng, None, None, 6),
    }
    settings["oob_score"] = bool(rng.integers(2)) and (settings["bootstrap"] or settings["max_samples"] is not None)
    if classes:
        settings |= {
            "class_weight": _either(rng, None, "balanced", "balanced_subsample"),
            "voting": _either(rng, "mean", "mean", "vote"),
            "shrinkage": _either(rng, "auto", 0.0, 3.0),
            "balanced_sampling": bool(settings["bootstrap"] and settings["max_samples"] is None and rng.random() < 0.3),
        }
    else:
        settings |= {"quantiles": bool(rng.integers(2)), "criterion": _either(rng, "squared_error", "friedman_mse")}
    return lambda: kind(**settings)


def forest_case(seed: int) -> tuple[Case, Callable[[], Any]]:
    """A table in parts, and a forest for it."""
    case = random_case(seed)
    return case, random_forest(np.random.default_rng([seed, 1]), classes=case.model()._predicts_classes)


def _outcome(fit: Callable[[], Any]) -> bytes | str:
    """The bytes of a model, or that it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bytes(fit()._tw_bytes())
        except DataError as error:
            return f"refused: {error}"


def assert_same_forest(seed: int, open_source: Callable[[Case], Any], keeps_order: bool = True) -> bool:
    """A forest of a source is that of its rows in memory, in the order of the parts; gives whether one was grown.

    Where an engine has no order, forests that keep something of each row are left out.
    """
    case, make = forest_case(seed)
    if not keeps_order and (make().oob_score or getattr(make(), "quantiles", False)):
        return False
    frame = case.frame.iloc[np.concatenate(case.parts)]
    weights = None if case.weight is None else frame[case.weight]
    expected = _outcome(lambda: make().fit(frame[case.columns.columns], frame["y"], weights))
    assert _outcome(lambda: make().fit(open_source(case), "y", case.weight)) == expected, (seed, make())
    return not isinstance(expected, str)

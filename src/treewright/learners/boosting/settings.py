"""What "auto" stands for in boosting: settings that follow from the size of the table and what is predicted.

Chosen on one list of real tables and checked on another; docs/defaults.md has both, and what each setting is worth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any

PATIENCE = 10  # rounds without improvement that end a model with given settings
_MOST_ROUNDS = 2000
_AUTO_ROWS = 10_000  # more rows than these stop early with early_stopping="auto"
_LEAST_ROWS = 40  # below it a fold has too few rows to judge by
_ROWS_FOR_MODELS = ((3_000, 8), (15_000, 6), (60_000, 3))  # up to so many rows, so many models; one beyond


_SHOWN = ("learning_rate", "max_leaf_nodes", "min_samples_leaf", "l2_regularization", "subsample", "level_charge",
          "n_models")  # fmt: skip


@dataclass(frozen=True)
class BoostingSettings:
    """The settings of one fit, all of them numbers (None: no limit, or all columns).

    `n_models` above 1 means that so many models are averaged, each stopped by the rows that it did not learn from.
    """

    learning_rate: float
    n_estimators: int
    max_leaf_nodes: int | None
    min_samples_leaf: float
    l2_regularization: float
    subsample: float
    max_features: float | str | None
    level_charge: float
    early_stopping: bool
    n_iter_no_change: int
    n_models: int

    def fitted(self, n_columns: int) -> dict[str, float]:
        """Give what is shown of them after `fit`, by the names of the attributes; what is unlimited is left out."""
        numbers = {f"{name}_": value for name in _SHOWN if (value := getattr(self, name)) is not None}
        return {**numbers, "max_features_": column_count(self.max_features, n_columns) or n_columns}


def resolve_settings(model: Any, n_rows: int, n_classes: int, has_judges: bool = False) -> BoostingSettings:
    """Fill in what the parameters of a model leave open for a table of so many rows; n_classes is 0 for numbers.

    `has_judges` says that the user has given the rows that judge.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.GradientBoostingClassifier(learning_rate=0.3)
    >>> found = resolve_settings(model, n_rows=1000, n_classes=2)
    >>> found.learning_rate, found.n_models, found.early_stopping
    (0.3, 8, True)
    >>> resolve_settings(model.set_params(n_estimators=50), n_rows=1000, n_classes=2).n_models
    1
    """
    stops = _stops(model, n_rows, has_judges)
    searches = _searches_rounds(model, n_rows, stops)
    left_open = {
        **(_chosen(n_classes) if searches else _GIVEN_ROUNDS),
        "n_models": _n_models(n_rows) if searches and stops is None else 1,
    }
    given = {name: getattr(model, name) for name in left_open if not _is_auto(getattr(model, name))}
    if model.n_iter_no_change is None:
        del given["n_iter_no_change"]
    settings = {**left_open, **given}
    judged = searches or settings["n_models"] > 1
    return BoostingSettings(**settings, early_stopping=judged if stops is None else bool(stops))


def _stops(model: Any, n_rows: int, has_judges: bool) -> bool | None:
    """Whether one model stops early; None where nothing is said of it."""
    if model.early_stopping == "auto":
        return has_judges or n_rows > _AUTO_ROWS
    if model.early_stopping is None and model.init is not None and _is_auto(model.n_estimators):
        return n_rows >= _LEAST_ROWS  # one model: what folds would judge by, the first model has learnt from
    if model.early_stopping is None and not _is_auto(model.n_estimators) and model.n_models in ("auto", 1):
        return True if isinstance(model.n_iter_no_change, Integral) else None
    stops: bool | None = model.early_stopping
    return stops


# With a given number of rounds, or where nobody judges, what LightGBM takes.
_GIVEN_ROUNDS: dict[str, Any] = {
    "learning_rate": 0.1,
    "n_estimators": 100,
    "max_leaf_nodes": 31,
    "min_samples_leaf": 20,
    "l2_regularization": 0.0,
    "subsample": 1.0,
    "max_features": None,
    "level_charge": 1.0,
    "n_iter_no_change": PATIENCE,
}


def _chosen(n_classes: int) -> dict[str, Any]:
    """The settings that go with a search for the number of rounds."""
    chosen: dict[str, Any] = {"n_estimators": _MOST_ROUNDS, "learning_rate": 0.05, "level_charge": 0.3}
    if n_classes:
        return chosen | {
            "max_leaf_nodes": 12,
            "min_samples_leaf": 5,
            "l2_regularization": 0.2,
            "subsample": 0.7,
            "max_features": 0.5,
            "n_iter_no_change": 30,
        }
    return chosen | {
        "max_leaf_nodes": 16,
        "min_samples_leaf": 2,
        "l2_regularization": 0.5,
        "subsample": 0.8,
        "max_features": 0.8,
        "n_iter_no_change": 35,
    }


def _searches_rounds(model: Any, n_rows: int, stops: bool | None) -> bool:
    """Whether the number of rounds is left to the rows that judge."""
    if model.preset == "lightgbm" or not _is_auto(model.n_estimators) or callable(model.loss):
        return False
    return n_rows >= _LEAST_ROWS if stops is None else bool(stops)


def _is_auto(given: Any) -> bool:
    return isinstance(given, str) and given == "auto"


def _n_models(n_rows: int) -> int:
    return next((models for most, models in _ROWS_FOR_MODELS if n_rows <= most), 1)


def column_count(given: Any, n_columns: int) -> int:
    """How many columns are drawn; 0 for all.

    Examples
    --------
    >>> column_count(None, 9), column_count("sqrt", 9), column_count(0.5, 9), column_count(2, 9)
    (0, 3, 4, 2)
    """
    if given is None:
        return 0
    if given in ("sqrt", "log2"):
        return max(1, int(math.sqrt(n_columns) if given == "sqrt" else math.log2(n_columns)))
    return int(given) if isinstance(given, Integral) else max(1, round(given * n_columns))

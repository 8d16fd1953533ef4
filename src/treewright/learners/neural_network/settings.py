"""What "auto" stands for in networks: settings that follow from the size of the table.

Chosen on one list of real tables and checked on another; docs/defaults.md has both, and what each setting is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_LEAST_ROWS = 40  # below it a tenth of the rows is too few to judge by
_ROWS_FOR_MODELS = ((15_000, 4), (60_000, 2))  # up to so many rows, so many networks; one beyond


@dataclass(frozen=True)
class NetworkSettings:
    """The settings of one fit, none of them "auto"."""

    learning_rate: str
    learning_rate_init: float
    max_iter: int
    n_iter_no_change: int
    early_stopping: bool
    n_models: int


def resolve_settings(model: Any, n_rows: int, goes_on: bool = False) -> NetworkSettings:
    """Fill in what the parameters of a network leave open for a table of so many rows.

    `goes_on` says that training begins, or goes on, with weights that later rows will change: one network then.

    Examples
    --------
    >>> import treewright as tw
    >>> found = resolve_settings(tw.MLPClassifier(), n_rows=1000)
    >>> found.learning_rate, found.learning_rate_init, found.max_iter, found.early_stopping, found.n_models
    ('cosine', 0.01, 120, True, 4)
    >>> found = resolve_settings(tw.MLPClassifier(max_iter=50), n_rows=1000)
    >>> found.learning_rate, found.learning_rate_init, found.max_iter, found.early_stopping, found.n_models
    ('constant', 0.001, 50, False, 1)
    """
    is_chosen = _is_chosen(model, n_rows, goes_on)
    left_open = _chosen(model, n_rows) if is_chosen else _SCIKIT_LEARN
    settings = {name: other if _is_auto(given := getattr(model, name)) else given for name, other in left_open.items()}
    if _is_auto(model.n_iter_no_change) and settings["learning_rate"] == "cosine":
        settings["n_iter_no_change"] = settings["max_iter"]
    if goes_on:
        settings["n_models"] = 1
    return NetworkSettings(**settings)


# One network at a constant rate until its loss stops falling: what scikit-learn takes.
_SCIKIT_LEARN: dict[str, Any] = {
    "learning_rate": "constant",
    "learning_rate_init": 0.001,
    "max_iter": 200,
    "n_iter_no_change": 10,
    "early_stopping": False,
    "n_models": 1,
}


def _chosen(model: Any, n_rows: int) -> dict[str, Any]:
    has_own_rows = not _is_auto(model.early_stopping) or isinstance(model.initial_weights, list | tuple | np.ndarray)
    return _SCIKIT_LEARN | {
        "learning_rate": "cosine",
        "learning_rate_init": 0.01,
        "max_iter": 120,
        "early_stopping": True,
        "n_models": 1 if has_own_rows else _n_models(n_rows),
    }


def _is_chosen(model: Any, n_rows: int, goes_on: bool) -> bool:
    """Whether settings that are left open are the chosen ones rather than scikit-learn's."""
    if model.preset != "auto" or not _is_auto(model.max_iter) or model.solver != "adam":
        return False
    return bool(model.shuffle) and not goes_on and n_rows >= _LEAST_ROWS


def _is_auto(given: Any) -> bool:
    return isinstance(given, str) and given == "auto"


def _n_models(n_rows: int) -> int:
    return next((models for most, models in _ROWS_FOR_MODELS if n_rows <= most), 1)

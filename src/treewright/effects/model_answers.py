"""What a model of any library answers, as numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from treewright.errors import DataError

Floats = NDArray[np.float64]

RESPONSES = ("predict_proba", "decision_function", "predict")


def answers_of(model: Any, response: str) -> Callable[[Any], Floats]:
    """Give the function that answers tables: rows × numbers (one for each class, or one).

    "auto" is `predict_proba` of a classifier that has it, else `decision_function`; of any other model `predict`.
    """
    if response == "auto":
        response = next((name for name in RESPONSES[:2] if is_classifier(model) and hasattr(model, name)), "predict")
    if response not in RESPONSES:
        raise DataError(f"response has to be 'auto' or one of {', '.join(RESPONSES)}. Got {response!r} instead.")
    if not hasattr(model, response):
        raise DataError(f"{type(model).__name__} has no {response}. Choose another response.")
    if response == "predict" and is_classifier(model):
        raise DataError("The answers of `predict` are classes, which have no mean. Choose response='predict_proba'.")

    def answers(table: Any) -> Floats:
        found = np.asarray(getattr(model, response)(table), dtype=np.float64)
        return found if found.ndim == 2 else found[:, None]

    return answers


def names_of_answers(model: Any, n_numbers: int) -> tuple[Any, ...]:
    """The classes, where there is a number for each of them; else nothing."""
    classes = getattr(model, "classes_", None)
    if classes is None or len(classes) != n_numbers:
        return ()
    return tuple(np.asarray(classes).tolist())

"""Gradients of the losses that the core has, as functions: for sums that start at given scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

Floats = NDArray[np.float64]
Objective = Callable[[Any, Any], tuple[Any, Any]]
RANK_LOSSES = ("absolute_error", "quantile", "huber")


def objective_from(loss: str | Objective, scores: Floats, n_classes: int) -> Objective:
    """The loss as a function of what is added to the scores (rows × outputs): gradients and hessians.

    Examples
    --------
    >>> gradient, hessian = objective_from("squared_error", np.array([[3.0]]), 0)(np.array([5.0]), np.array([1.0]))
    >>> gradient.tolist(), hessian.tolist()
    ([-1.0], [1.0])
    """
    gradients = loss if callable(loss) else _SMOOTH[loss if n_classes in (0, 2) else "softmax"]

    def at_sums(y: Floats, added: Floats) -> tuple[Any, Any]:
        return gradients(y, scores.reshape(added.shape) + added)

    return at_sums


def _squared(y: Floats, score: Floats) -> tuple[Floats, Floats]:
    return score - y, np.ones_like(y)


def _log_loss(y: Floats, score: Floats) -> tuple[Floats, Floats]:
    p = expit(score)
    return p - y, p * (1 - p)


def _softmax(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """K Newton steps go too far together, by K / (K − 1) (Friedman 2001, equation 32), as in the core."""
    n_classes = 1 if scores.ndim == 1 else scores.shape[1]
    p = softmax(scores.reshape(len(y), n_classes), axis=1)
    own = y[:, None] == np.arange(n_classes)
    bend = n_classes / (n_classes - 1) if n_classes > 1 else 1.0
    return (p - own).reshape(scores.shape), (bend * p * (1 - p)).reshape(scores.shape)


_SMOOTH: dict[str, Objective] = {"squared_error": _squared, "log_loss": _log_loss, "softmax": _softmax}

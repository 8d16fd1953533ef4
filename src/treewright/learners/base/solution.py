"""What a solver gives back, and a sentence where gradient descent goes uphill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Floats

# What a solver gives back, and how it tells how far it is.


Watch = Callable[[int, float], None]  # called after each step with its number and the mean loss


@dataclass(frozen=True)
class Solution:
    """Where a solver ended.

    Parameters
    ----------
    coefficients : array of shape (units, width)
    value : float
        The loss without penalty, summed over the rows.
    n_iter : int
        Steps that were made.
    converged : bool
        Whether the solver reached its tolerance.
    runs_away : bool
        Whether the loss still fell while the coefficients grew, as they do where the classes are separable.
    losses : list of float
        The mean loss with penalty after each step, where the solver keeps it.
    hessian : array or None
        The second derivatives that the last step was made with, where there are any.

    Examples
    --------
    >>> import numpy as np
    >>> Solution(np.zeros((1, 2)), 1.5, 3, True).converged
    True
    """

    coefficients: Floats
    value: float
    n_iter: int
    converged: bool
    runs_away: bool = False
    losses: list[float] = field(default_factory=list)
    hessian: Floats | None = None


# Gradient descent that goes uphill is answered with a sentence, never with numbers that are none.


_AWAY = 1e3  # times the first loss: that is no way down any more


def refuse_divergence(
    losses: list[float], step: int, unit: str, safe_rate: Callable[[], float], name: str = "learning_rate"
) -> None:
    """Stop with a sentence as soon as the loss has left all bounds; `name` is the parameter that is to blame.

    Examples
    --------
    >>> refuse_divergence([0.69, 1e9], 1, "step", lambda: 0.25)
    Traceback (most recent call last):
    treewright.errors.DataError: Gradient descent diverged: ... Choose learning_rate=0.25 or less, ...
    """
    if not np.isfinite(losses[-1]) or losses[-1] > _AWAY * max(losses[0], 1e-12):
        raise DataError(diverged(losses, step, unit, safe_rate(), name))


def diverged(losses: list[float], step: int, unit: str, safe: float, name: str = "learning_rate") -> str:
    """Say that the loss grew, from where to where, and what to do.

    Examples
    --------
    >>> diverged([0.69, 900.0], 1, "step", 0.25)[:71]
    'Gradient descent diverged: the mean loss was 0.69 at the start and is 9'
    """
    now = f"is {losses[-1]:.4g}" if np.isfinite(losses[-1]) else "is no number any more"
    return (
        f"Gradient descent diverged: the mean loss was {losses[0]:.4g} at the start and {now} after {unit} {step}. "
        f"Choose {name}={safe:.3g} or less, leave it out, or say standardize=True."
    )

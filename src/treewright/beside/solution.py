"""What a solver gives back, and how it tells how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from treewright.beside.columns import Floats

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

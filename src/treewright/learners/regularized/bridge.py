"""Penalties |w|^q other than the lasso and ridge: coordinate descent with exact steps, hastened by Newton's.

q > 1: the objective is convex, and the answer is its minimum. 0 < q < 1: it is not; the answer is a point at which no
change of a single coefficient lowers the objective. (Frank and Friedman 1993 call these bridge regressions.)
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from treewright.learners.base.design_matrix import Floats
from treewright.learners.regularized.lasso import lasso
from treewright.learners.regularized.quadratic import Quadratic

_ROUNDS = 8  # of weighted lassos
_ROUGH = 1e-6  # how exact they are: exact steps follow
_HALVINGS = 20


def shrink(value: float, size: float, price: float, q: float) -> float:
    """Give the w that minimises ½ size·w² − value·w + price·|w|^q, exactly.

    For q > 2 the condition is solved for w, for 1 < q < 2 for w^(q−1): both are convex and rising, so that Newton's
    steps come from above and never miss. For q < 1 the minimum is 0 up to a threshold and beyond it the larger
    of two roots.

    Examples
    --------
    >>> round(shrink(3.0, 1.0, 0.5, 1.5), 6), round(shrink(-3.0, 1.0, 0.5, 3.0), 6), shrink(0.5, 1.0, 0.5, 0.5)
    (1.952114, -1.119633, 0.0)
    """
    z = abs(value)
    if z == 0 or size <= 0:
        return 0.0
    if q < 1:
        found = _beyond_threshold(z, size, price, q)
    elif q < 2:
        power = 1 / (q - 1)
        u = _from_above(min((z / size) ** (q - 1), z / (price * q)), size, power, price * q, z)
        found = u**power
    else:
        start = min(z / size, (z / (price * q)) ** (1 / (q - 1)))
        found = _from_above(start, price * q, q - 1, size, z)
    return found if value > 0 else -found


def _from_above(x: float, a: float, power: float, b: float, z: float) -> float:
    """Solve a·x^power + b·x = z, power ≥ 1, from a point at or above the answer."""
    for _ in range(200):
        raised = a * x ** (power - 1) if x > 0 else 0.0
        step = (raised * x + b * x - z) / (power * raised + b)
        if not step > 1e-16 * x:
            break
        x = max(x - step, 0.0)
    return x


def threshold(size: float, price: float, q: float) -> float:
    """The value up to which the best w is 0, for q < 1.

    Examples
    --------
    >>> round(threshold(1.0, 0.5, 0.5), 6)
    0.944941
    """
    w = (2 * price * (1 - q) / size) ** (1 / (2 - q))
    return float(size * w + price * q * w ** (q - 1)) if w > 0 else 0.0


def _beyond_threshold(z: float, size: float, price: float, q: float) -> float:
    if z <= threshold(size, price, q):
        return 0.0
    w = z / size
    for _ in range(200):
        slope = price * q * w ** (q - 1)
        step = (size * w + slope - z) / (size - slope * (1 - q) / w)
        if not step > 1e-16 * w:
            break
        w -= step
    return w


def bridge(
    quadratic: Quadratic, price: float, q: float, start: Floats, tol: float, max_iter: int
) -> tuple[Floats, float, int]:
    """Minimise ½ bᵀGb − cᵀb + price Σ|b|^q from a start; give b, how far its conditions are from holding, the rounds.

    Examples
    --------
    >>> from treewright.learners.regularized.quadratic import ProductQuadratic
    >>> quadratic = ProductQuadratic(np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([2.0, 0.5]), 5.0)
    >>> b, off, _ = bridge(quadratic, 0.3, 1.5, np.zeros(2), 1e-10, 100)
    >>> b.round(6), off < 1e-10
    (array([ 1.501085, -0.104838]), True)
    """
    block = quadratic.block(np.arange(len(start)))
    b = start.copy()
    unit = float(np.max(np.abs(quadratic.linear), initial=0.0)) or 1.0
    off = np.inf
    rounds = 0
    while rounds < max_iter:
        rounds += 1
        before = b
        b = _newton(block, quadratic.linear, price, q, _sweep(block, quadratic.linear, price, q, b))
        off = _off(block, quadratic.linear, price, q, b) / unit
        if off <= tol or np.array_equal(before, b):
            break
    return b, float(off), rounds


def bridge_below_one(
    quadratic: Quadratic, price: float, q: float, near: Floats, tol: float, max_iter: int
) -> tuple[Floats, float, int]:
    """For 0 < q < 1: weighted lassos from a start (local linear approximation, Zou and Li 2008), then exact steps."""
    b = near.copy()
    blur = 1e-2 * float(np.max(np.abs(b), initial=0.0))
    for _ in range(_ROUNDS):
        if not b.any():
            break
        weights, before = price * q * (np.abs(b) + blur) ** (q - 1), b
        b, _, _ = lasso(quadratic, weights, 0.0, b, _ROUGH, max_iter)
        blur /= 10
        if (np.sign(b) == np.sign(before)).all():
            break
    return bridge(quadratic, price, q, b, tol, max_iter)


def objective(quadratic: Quadratic, b: Floats, price: float, q: float) -> float:
    """½ bᵀGb − cᵀb + price Σ|b|^q.

    Examples
    --------
    >>> from treewright.learners.regularized.quadratic import ProductQuadratic
    >>> objective(ProductQuadratic(np.eye(1), np.array([2.0]), 5.0), np.ones(1), 0.25, 3.0)
    -1.25
    """
    return float(0.5 * b @ quadratic.times(b) - quadratic.linear @ b + price * np.sum(np.abs(b) ** q))


def _sweep(block: Floats, linear: Floats, price: float, q: float, b: Floats) -> Floats:
    b = b.copy()
    left = linear - block @ b
    sizes: list[float] = block.diagonal().tolist()
    for j, size in enumerate(sizes):
        now = float(b[j])
        best = shrink(float(left[j]) + size * now, size, price, q)
        if best != now:
            left -= (best - now) * block[j]
            b[j] = best
    return b


def _newton(block: Floats, linear: Floats, price: float, q: float, b: Floats) -> Floats:
    """One step of Newton's for all coefficients that are not 0, halved until the objective falls; else none."""
    kept = np.flatnonzero(b)
    if not len(kept):
        return b
    part, own = block[kept[:, None], kept], b[kept]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        bend = price * q * (q - 1) * np.abs(own) ** (q - 2)
        slope = linear[kept] - part @ own - price * q * np.sign(own) * np.abs(own) ** (q - 1)
    if not np.isfinite(bend).all():
        return b  # some coefficient is next to 0: exact steps alone
    _, step, failed = lapack.dposv(part + np.diag(bend), slope)
    if failed or not np.isfinite(step).all():
        return b

    def height(at: Floats) -> float:
        return float(0.5 * at @ part @ at - linear[kept] @ at + price * np.sum(np.abs(at) ** q))

    before = height(own)
    for _ in range(_HALVINGS):
        if height(own + step) < before:
            made = b.copy()
            made[kept] = own + step
            return made
        step = step / 2
    return b


def _off(block: Floats, linear: Floats, price: float, q: float, b: Floats) -> float:
    """How far the worst coefficient is from its condition; for q < 1 a 0 that no exact step moves meets it."""
    left = linear - block @ b
    used = b != 0
    slopes = np.abs(left[used] - price * q * np.sign(b[used]) * np.abs(b[used]) ** (q - 1))
    at_zero = np.abs(left[~used]) if q > 1 else np.zeros(0)
    at_zero = np.where(at_zero < _least_slope(price, q), 0.0, at_zero) if q > 1 else at_zero
    return float(max(np.max(slopes, initial=0.0), np.max(at_zero, initial=0.0)))


def _least_slope(price: float, q: float) -> float:
    """The slope of the penalty at the least number above 0: a coefficient asked for less than that is 0 as a double."""
    return float(price * q * np.finfo(np.float64).tiny ** (q - 1))

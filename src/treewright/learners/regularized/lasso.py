"""The lasso and the elastic net: coordinate descent on an active set, with its equations solved where signs hold.

Coordinate descent alone always arrives, but slowly where columns are correlated. Once it is known which coefficients
are not 0, and their signs, the answer solves a linear system: that is tried first, and its answer is taken as far
as the signs hold. Where it tells nothing, coordinates are gone around. The objective never rises. A duality gap says
when to stop.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from treewright.learners.base.design_matrix import Floats
from treewright.learners.base.interruptible_algebra import cholesky
from treewright.learners.regularized.quadratic import Quadratic

_FEW = 4
_SWEEPS = 8
_DEPENDENT = 1e-12  # what is left of a column's square, beside the whole


def lasso(
    quadratic: Quadratic, l1: Floats, l2: float, start: Floats, tol: float, max_iter: int
) -> tuple[Floats, float, int]:
    """Minimise ½ bᵀGb − cᵀb + Σ l1·|b| + ½ l2 Σ b²; give b, the duality gap and the rounds that were needed.

    The gap is in units of the target's mean square.

    Parameters
    ----------
    quadratic : Quadratic
        The loss.
    l1 : array
        The price of each coefficient; infinity keeps it at 0.
    l2 : float
        The price of squares.
    start : array
        Where to start.
    tol : float
        The gap at which to stop.
    max_iter : int
        So many rounds at most.

    Examples
    --------
    >>> from treewright.learners.regularized.quadratic import ProductQuadratic
    >>> quadratic = ProductQuadratic(np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([2.0, 0.5]), 5.0)
    >>> lasso(quadratic, np.full(2, 0.3), 0.0, np.zeros(2), 1e-10, 100)[0]
    array([ 1.73333333, -0.06666667])
    """
    b = start.copy()
    linear = quadratic.linear
    gap = np.inf
    rounds = 0
    while rounds < max_iter:
        rounds += 1
        used = np.flatnonzero(b)
        left = linear - quadratic.times(b) if len(used) else linear
        gap = duality_gap(quadratic, b, left, l1, l2)
        if gap <= tol:
            break
        active = _active(used, np.abs(left) - l1)
        block = quadratic.block(active)
        signs = np.sign(np.where(b[active] != 0, b[active], left[active]))
        found = _solve_signs(block, linear[active], l1[active], l2, b[active], signs)
        if found is None:
            found = _sweeps(block, linear[active], l1[active], l2, b[active])
        b[active] = found
    return b, float(gap), rounds


def _active(used: NDArray[np.intp], asked: Floats) -> NDArray[np.intp]:
    """The coefficients that are not 0, and those that ask most to leave it: not too many at once, or most turn back."""
    asked[used] = 0.0
    entering = np.flatnonzero(asked > 0)
    most = _FEW
    if len(entering) > most:
        entering = entering[np.argpartition(-asked[entering], most)[:most]]
    return np.sort(np.concatenate([used, entering]))


def duality_gap(quadratic: Quadratic, b: Floats, left: Floats, l1: Floats, l2: float) -> float:
    """How far the objective can be above the least at most, in units of the target's mean square.

    The residuals, made smaller until no column asks for more than its price, are a point of the dual problem (Kim, Koh,
    Lustig, Boyd and Gorinevsky 2007); squares are priced as rows of their own.

    Examples
    --------
    >>> from treewright.learners.regularized.quadratic import ProductQuadratic
    >>> quadratic = ProductQuadratic(np.eye(1), np.array([2.0]), 5.0)
    >>> duality_gap(quadratic, np.zeros(1), np.array([2.0]), np.array([2.0]), 0.0)
    0.0
    >>> duality_gap(quadratic, np.zeros(1), np.array([2.0]), np.array([1.0]), 0.0)
    0.125
    """
    square = quadratic.square
    if square == 0:
        return 0.0
    asked = np.abs(left - l2 * b)
    with np.errstate(divide="ignore", invalid="ignore"):
        shrink = min(float(np.min(np.where(asked > 0, l1 / asked, np.inf), initial=np.inf)), 1.0)
    fitted = float(quadratic.linear @ b)
    residual = max(square - fitted - float(left @ b), 0.0) + l2 * float(b @ b)
    used = b != 0
    primal = 0.5 * residual + float(l1[used] @ np.abs(b[used]))
    dual = shrink * (square - fitted) - 0.5 * shrink**2 * residual
    return max(primal - dual, 0.0) / square


def _solve_signs(block: Floats, linear: Floats, l1: Floats, l2: float, b: Floats, signs: Floats) -> Floats | None:
    """Go to the answer for these signs, setting to 0 what changes its sign on the way; None where nothing moves.

    A coefficient that is 0 and would leave it on the wrong side stays 0 for now.
    """
    b, before = b.copy(), b
    kept = np.argsort(b == 0, kind="stable")  # those that are not 0 come first
    while len(kept):
        part = block[kept[:, None], kept]
        if l2:
            part = part + l2 * np.eye(len(kept))
        root, dependent = _root(part)
        if dependent is not None:
            kept = _trade(root, part, dependent, kept, l1, b, signs)
            continue
        wanted = lapack.dpotrs(root, linear[kept] - l1[kept] * signs[kept])[0]
        now = b[kept]
        turned = wanted * signs[kept] <= 0
        if not turned.any():
            b[kept] = wanted
            break
        stays = turned & (now == 0)
        kept = kept[~stays] if stays.any() else _move(b, kept, wanted - now, np.flatnonzero(turned))
    return None if _same(before, b) else b


def _root(part: Floats) -> tuple[Floats, int | None]:
    """Cholesky's triangle, and the first column that depends on those before it, if there is one."""
    root, failed = cholesky(part)
    if failed:
        return root, failed - 1
    small = root.diagonal() ** 2 <= _DEPENDENT * part.diagonal()
    return root, int(np.argmax(small)) if small.any() else None


def _trade(
    root: Floats, part: Floats, place: int, kept: NDArray[np.intp], l1: Floats, b: Floats, signs: Floats
) -> NDArray[np.intp]:
    """Move along a direction that changes no prediction, the way the price falls, until a coefficient is 0.

    The direction adds one column and takes off the combination of the others that equals it. Gives what is kept then.
    """
    leading = kept[: place + 1]
    direction = np.ones(place + 1)
    direction[:place] = -lapack.dpotrs(root[:place, :place], part[:place, place])[0] if place else 0.0
    direction *= signs[kept[place]]
    price = float((l1[leading] * signs[leading]) @ direction)
    if b[kept[place]] == 0 and not price < 0:
        return np.delete(kept, place)  # it would cost more: it stays 0
    direction = -direction if price > 0 else direction
    stays = (b[leading] == 0) & (direction * signs[leading] < 0)
    if stays.any():
        return np.delete(kept, np.flatnonzero(stays))
    shrinking = np.flatnonzero(direction * b[leading] < 0)
    if not len(shrinking):
        return np.delete(kept, place)
    rest = _move(b, leading, direction, shrinking)
    return np.concatenate([rest, kept[place + 1 :]])


def _move(b: Floats, kept: NDArray[np.intp], way: Floats, shrinking: NDArray[np.intp]) -> NDArray[np.intp]:
    """Go along a way until the first of the shrinking coefficients is 0; give those that are not."""
    now = b[kept]
    share = -now[shrinking] / way[shrinking]
    step = float(share.min())
    now += step * way
    now[shrinking[share <= step]] = 0.0
    b[kept] = now
    left: NDArray[np.intp] = kept[now != 0]
    return left


def _same(before: Floats, after: Floats) -> bool:
    return bool(np.max(np.abs(after - before), initial=0.0) <= 1e-14 * np.max(np.abs(after), initial=0.0))


def _sweeps(block: Floats, linear: Floats, l1: Floats, l2: float, b: Floats) -> Floats:
    """Coordinate descent, a few times around: each coefficient to where it is best while the others stay."""
    b = b.copy()
    left = linear - block @ b
    diagonal = block.diagonal()
    sizes, prices = (diagonal + l2).tolist(), l1.tolist()
    own: list[float] = diagonal.tolist()
    for _ in range(_SWEEPS):
        before = b.copy()
        for j, (size, price) in enumerate(zip(sizes, prices, strict=True)):
            now = b[j]
            best = _soft(left[j] + own[j] * now, price) / size if size > 0 else 0.0
            if best != now:
                left -= (best - now) * block[j]
                b[j] = best
        if _settled(before, b):
            break
    return b


def _settled(before: Floats, after: Floats) -> bool:
    """The same coefficients are 0, and the others have the same signs: a linear system will find them faster."""
    return bool((np.sign(before) == np.sign(after)).all())


def _soft(value: float, price: float) -> float:
    return value - price if value > price else value + price if value < -price else 0.0

"""How much a row counts by its distance: 1 at the place itself, less and less farther off."""

from __future__ import annotations

import numpy as np

from treewright.beside.columns import Floats

KERNELS = ("gaussian", "tricube", "epanechnikov")
COMPACT = ("tricube", "epanechnikov")  # nothing counts beyond the bandwidth
GAUSSIAN_REACH = 8.5  # bandwidths; beyond them a row counts less than the rounding of one that is here


def kernel_weights(kernel: str, distances: Floats, bandwidth: Floats) -> Floats:
    """The weight of each distance (queries × rows); bandwidths are a column, one a query.

    Examples
    --------
    >>> kernel_weights("epanechnikov", np.array([[0.0, 1.0, 3.0]]), np.array([[2.0]]))
    array([[1.  , 0.75, 0.  ]])
    """
    with np.errstate(over="ignore"):
        u = np.divide(distances, bandwidth, out=np.where(distances > 0, np.inf, 0.0), where=bandwidth > 0)
        if kernel == "gaussian":
            return np.asarray(np.exp(-0.5 * u**2))
        u = np.minimum(u, 1.0)
        return np.asarray((1 - u**3) ** 3 if kernel == "tricube" else 1 - u**2)


def relative_weights(kernel: str, distances: Floats, bandwidth: Floats) -> Floats:
    """The same, but never all 0 with a gaussian kernel: far from all rows only the ratios of weights count.

    Examples
    --------
    >>> relative_weights("gaussian", np.array([[100.0, 101.0]]), np.array([[1.0]])).round(3)
    array([[1., 0.]])
    """
    if kernel != "gaussian":
        return kernel_weights(kernel, distances, bandwidth)
    nearest = distances.min(axis=1, keepdims=True)
    if not (bandwidth > 0).all():
        return kernel_weights(kernel, np.sqrt((distances - nearest) * (distances + nearest)), bandwidth)
    with np.errstate(over="ignore"):
        weights = distances + nearest
        weights *= distances - nearest
        weights *= -0.5 / bandwidth**2
        return np.asarray(np.exp(weights, out=weights))

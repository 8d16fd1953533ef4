"""The metric that a user asks for: its name, and what it is to know that is not learnt from the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Floats

Factors = Mapping[Any, float] | Any | None


@dataclass(frozen=True)
class MetricChoice:
    """The metric that was asked for: its name, a factor for each column, the power of "minkowski", and more by name.

    Examples
    --------
    >>> MetricChoice("minkowski", params={"p": 3}).checked().p
    3.0
    """

    name: str
    factors: Factors = None
    p: float = 2
    params: Mapping[str, Any] | None = None

    def checked(self) -> MetricChoice:
        """The same with what `params` says in its place; names that the metric does not know are refused."""
        given = dict(self.params or {})
        known = _PARAMS.get(self.name, ())
        for name in given:
            if name not in known:
                takes = f"takes {' and '.join(map(repr, known))}" if known else "takes none"
                raise DataError(f"metric_params has {name!r}, but metric='{self.name}' {takes}. Leave it out.")
        p = float(given.pop("p", self.p))
        if not 1 <= p < np.inf:
            raise DataError(
                f"p={p:g}, but the power of metric='minkowski' is a finite number of 1 or more. The limit of large "
                "powers is metric='chebyshev'."
            )
        weights = given.pop("w", None)
        if weights is not None and self.factors is not None:
            raise DataError("Both factors and metric_params={'w': …} weigh the columns. Give one of them.")
        factors = self.factors if weights is None else np.asarray(weights, dtype=np.float64) ** (1 / p)
        return MetricChoice(self.name, factors, p, given)


OTHER_NAMES = {  # as scikit-learn and scipy have them
    "l1": "manhattan",
    "cityblock": "manhattan",
    "l2": "euclidean",
    "infinity": "chebyshev",
    "seuclidean": "standardised",
}
_PARAMS = {"minkowski": ("p", "w"), "euclidean": ("w",), "standardised": ("V",), "mahalanobis": ("V", "VI")}


def given_scale(variances: Any, n_columns: int) -> Floats:
    """What differences are multiplied by where the user has the variances.

    Examples
    --------
    >>> given_scale([4.0, 1.0], 2)
    array([0.5, 1. ])
    """
    given = np.asarray(variances, dtype=np.float64)
    if given.shape != (n_columns,) or not ((given > 0) & np.isfinite(given)).all():
        raise DataError(
            f"metric_params={{'V': …}} is one variance above 0 for each of the {n_columns} ordered columns."
        )
    return np.asarray(1 / np.sqrt(given))


def given_whitening(params: Mapping[str, Any], n_columns: int) -> Floats:
    """The triangle that uncorrelates differences, from a covariance (V) that the user has, or its inverse (VI).

    Examples
    --------
    >>> given_whitening({"V": [[4.0, 0.0], [0.0, 1.0]]}, 2)
    array([[0.5, 0. ],
           [0. , 1. ]])
    """
    if len(params) != 1:
        raise DataError("metric_params has both 'V' and 'VI', which say the same. Give one of them.")
    [(name, given)] = params.items()
    matrix = np.asarray(given, dtype=np.float64)
    if matrix.shape != (n_columns, n_columns):
        raise DataError(
            f"metric_params={{'{name}': …}} has the shape {matrix.shape}, but there are {n_columns} columns of numbers."
        )
    try:
        factor = cholesky(matrix if name == "V" else np.linalg.inv(matrix), lower=True)
    except (np.linalg.LinAlgError, ValueError):
        raise DataError(
            f"metric_params={{'{name}': …}} is no covariance: it must be symmetric, with positive variance in every "
            "direction."
        ) from None
    return np.asarray(solve_triangular(factor, np.eye(n_columns), lower=True).T)

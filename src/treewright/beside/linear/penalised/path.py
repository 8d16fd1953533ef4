"""The path of a penalised regression: the coefficients of every λ, to be looked at and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.beside.columns import Floats
from treewright.largest_first import largest_first

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class RegularizationPath:
    """What each λ gives, from large to small.

    Parameters
    ----------
    names : tuple of str
        What the coefficients belong to.
    lambdas : array
        The λ.
    coefficients : array of shape (n_lambdas, n_coefficients)
        In the units of the table.
    intercepts : array
        The constants.
    errors, standard_errors : arrays or None
        The mean squared error on held-out rows, and its standard error from fold to fold.
    chosen : float
        The λ of the model.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> path = tw.RegularizedRegression(lambda_="cv", lambdas=4).fit(X[["Wind", "Temp"]], y).path_
    >>> path.to_frame().round(3)
       lambda  nonzero     error  standard_error  (intercept)   Wind   Temp
    0  22.938        0  1090.089         115.945       42.129  0.000  0.000
    1   2.294        2   491.217         107.854      -62.723 -2.629  1.679
    2   0.229        2   484.752         109.451      -70.202 -3.013  1.824
    3   0.023        2   484.740         109.665      -70.950 -3.051  1.839
    """

    names: tuple[str, ...]
    lambdas: Floats
    coefficients: Floats
    intercepts: Floats
    chosen: float
    errors: Floats | None = None
    standard_errors: Floats | None = None

    @property
    def nonzero(self) -> Any:
        """How many coefficients are not 0 at each λ."""
        return np.count_nonzero(self.coefficients, axis=1)

    def to_frame(self) -> pd.DataFrame:
        """One row a λ: how many coefficients are not 0, the error on held-out rows, and the coefficients."""
        import pandas as pd

        columns: dict[str, Any] = {"lambda": self.lambdas, "nonzero": self.nonzero}
        if self.errors is not None:
            columns |= {"error": self.errors, "standard_error": self.standard_errors}
        named = pd.DataFrame(self.coefficients, columns=list(self.names))
        return pd.concat([pd.DataFrame({**columns, "(intercept)": self.intercepts}), named], axis=1)

    def plot(self, ax: Any = None, most_names: int = 10) -> Any:
        """Draw the coefficients, in the units of the table, against λ; give the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw.
        most_names : int, default 10
            So many of the largest coefficients are named.

        Examples
        --------
        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> import treewright as tw
        >>> model = tw.RegularizedRegression(lambda_="cv").fit([[1, 0], [2, 1], [3, 0], [4, 1]], [1.0, 3.0, 2.0, 5.0])
        >>> model.path_.plot().get_xlabel()
        'lambda'
        """
        from matplotlib.figure import Figure

        ax = Figure(layout="constrained").add_subplot() if ax is None else ax
        ends = np.abs(self.coefficients).max(axis=0)
        named = set(largest_first(ends)[:most_names])
        for j, name in enumerate(self.names):
            label = name if j in named and ends[j] > 0 else None
            ax.plot(self.lambdas, self.coefficients[:, j], label=label, linewidth=1.2 if label else 0.6)
        if (self.lambdas > 0).all():
            ax.set_xscale("log")
        ax.invert_xaxis()
        ax.axvline(self.chosen, color="black", linewidth=0.8, linestyle="--")
        ax.set_xlabel("lambda")
        ax.set_ylabel("coefficient")
        if named and ends.any():
            ax.legend(fontsize="small")
        return ax

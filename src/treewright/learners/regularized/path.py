"""The path of a penalised regression: the coefficients of every penalty, to be drawn; the model in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.learners.base.design_matrix import Floats
from treewright.tree.format import estimate_text, largest_first
from treewright.wording import most_lines, rest_of_model_words

if TYPE_CHECKING:
    import pandas as pd


# The path of a penalised regression: the coefficients of every λ, to be looked at and drawn.


@dataclass(frozen=True)
class RegularizationPath:
    """What each λ gives, from large to small.

    Parameters
    ----------
    names : tuple of str
        What the coefficients belong to.
    alphas : array
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
    >>> path = tw.RegularizedRegression(alpha="cv", alphas=4).fit(X[["Wind", "Temp"]], y).path_
    >>> path.to_frame().round(3)
       lambda  nonzero     error  standard_error  (intercept)   Wind   Temp
    0  22.938        0  1096.757         149.032       42.129  0.000  0.000
    1   2.294        2   502.807          99.271      -62.723 -2.629  1.679
    2   0.229        2   497.665          91.597      -70.202 -3.013  1.824
    3   0.023        2   497.802          90.871      -70.950 -3.051  1.839
    """

    names: tuple[str, ...]
    alphas: Floats
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

        columns: dict[str, Any] = {"lambda": self.alphas, "nonzero": self.nonzero}
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
        >>> model = tw.RegularizedRegression(alpha="cv").fit([[1, 0], [2, 1], [3, 0], [4, 1]], [1.0, 3.0, 2.0, 5.0])
        >>> model.path_.plot().get_xlabel()
        'lambda'
        """
        from matplotlib.figure import Figure

        ax = Figure(layout="constrained").add_subplot() if ax is None else ax
        ends = np.abs(self.coefficients).max(axis=0)
        named = set(largest_first(ends)[:most_names])
        for j, name in enumerate(self.names):
            label = name if j in named and ends[j] > 0 else None
            ax.plot(self.alphas, self.coefficients[:, j], label=label, linewidth=1.2 if label else 0.6)
        if (self.alphas > 0).all():
            ax.set_xscale("log")
        ax.invert_xaxis()
        ax.axvline(self.chosen, color="black", linewidth=0.8, linestyle="--")
        ax.set_xlabel("lambda")
        ax.set_ylabel("coefficient")
        if named and ends.any():
            ax.legend(fontsize="small")
        return ax


# A penalised regression in a few lines: its price, what it explains, and its largest coefficients.


_MOST = 20
_PRINTED_DIGITS = 4


def penalised_text(model: Any) -> str:
    """Write a fitted model for people; the last column is the coefficient of a column divided by its spread.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> print(tw.RegularizedRegression(alpha=5.0).fit(X[["Wind", "Temp", "Day"]], y))
    RegularizedRegression of 'Ozone', q = 1, lambda 5
      explains  R² 0.5380 in training
      uses      2 of 3 coefficients
    <BLANKLINE>
                 coefficient  for a spread of 1
    (intercept)       -52.92
    Temp                1.49              14.07
    Wind              -2.126             -7.567
    """
    target = f" of '{model.schema_.target}'" if model.schema_.target else ""
    used = np.flatnonzero(model.coef_)
    sizes = np.abs(model.coef_ * model.scales_)
    order = used[largest_first(sizes[used], _PRINTED_DIGITS)]
    count = len(model.coef_)
    lines = [
        f"{type(model).__name__}{target}, {_price(model)}",
        f"  explains  R² {model.r_squared_:.4f} in training",
        f"  uses      {len(used):,} of {count:,} {'coefficient' if count == 1 else 'coefficients'}",
        "",
    ]
    return "\n".join([*lines, *_table(model, order)])


def _price(model: Any) -> str:
    kind = "elastic net" if model.q == 1 and model.l1_ratio < 1 else f"q = {model.q:g}"
    how = ""
    if hasattr(model, "n_folds_"):
        how = f" ({model.n_folds_}-fold cross-validation, {model.rule})"
    return f"{kind}, lambda {estimate_text(model.alpha_)}{how}"


def _table(model: Any, order: Any) -> list[str]:
    rows = [("", "coefficient", "for a spread of 1")]
    if model.fit_intercept:
        rows.append(("(intercept)", _shown(model.intercept_), ""))
    shown = order[: most_lines(_MOST)]
    for j in shown:
        own = model.coef_[j]
        rows.append((model.coefficient_names_[j], _shown(own), _shown(own * model.scales_[j])))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"{name:<{widths[0]}}  {own:>{widths[1]}}  {unit:>{widths[2]}}".rstrip() for name, own, unit in rows]
    more = len(order) - len(shown)
    return [*lines, f"… and {more:,} more{rest_of_model_words()}"] if more > 0 else lines


def _shown(number: float) -> str:
    return f"{number:.{_PRINTED_DIGITS}g}"

"""Standard errors, t, p and intervals of the coefficients, and the page that shows them, after R's summary.lm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import fdtrc, stdtr, stdtrit

from treewright.learners.base.design_matrix import Floats
from treewright.tree.format import estimate_text

if TYPE_CHECKING:
    import pandas as pd


# The summary of a regression as a page.


def summary_text(summary: RegressionSummary) -> str:
    """Write the page: residuals, coefficients, how much is explained.

    Examples
    --------
    >>> import treewright as tw
    >>> print(tw.LinearRegression().fit([[1], [2], [3], [4]], [1.0, 3.0, 2.0, 5.0]).summary())
    LinearRegression
    Residuals: least -1.3, quarter -0.4, median 0.25, three quarters 0.65, greatest 0.8
    <BLANKLINE>
                 estimate  std. error     t      p  95 % interval
    (intercept)         0        1.42     0      1  -6.12 to 6.12
    x0                1.1        0.52  2.12  0.168  -1.14 to 3.34
    <BLANKLINE>
    Residual error 1.162 on 2 degrees of freedom
    R² 0.6914, adjusted 0.5371
    F 4.481 on 1 and 2 degrees of freedom, p 0.168
    """
    low, _, _, _, high = summary.quantiles
    words = ("least", "quarter", "median", "three quarters", "greatest")
    residuals = ", ".join(
        f"{word} {estimate_text(number)}" for word, number in zip(words, summary.quantiles, strict=True)
    )
    lines = [summary.title, f"Residuals: {residuals}" if high > low else "Every residual is 0.", ""]
    return "\n".join([*lines, *_table(summary), "", *_fit_lines(summary)])


def _table(summary: RegressionSummary) -> list[str]:
    head = ("", "estimate", "std. error", "t", "p", f"{100 * summary.level:g} % interval")
    rows = [head, *(_row(summary, place, name) for place, name in enumerate(summary.names))]
    first, *widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([name.ljust(first), *(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))]).rstrip()
        for name, *cells in rows
    ]


def _row(summary: RegressionSummary, place: int, name: str) -> tuple[str, ...]:
    estimate, error = summary.estimates[place], summary.errors[place]
    if np.isnan(estimate):
        return (name, "not estimated", "", "", "", "")
    if not np.isfinite(error):
        return (name, estimate_text(estimate), "", "", "", "")
    low, high = summary.intervals[place]
    t, p = summary.t[place], summary.p[place]
    told = ("", "") if np.isnan(t) else (estimate_text(t, 3), p_text(p))
    return (
        name,
        estimate_text(estimate),
        estimate_text(error, 3),
        *told,
        f"{estimate_text(low, 3)} to {estimate_text(high, 3)}",
    )


def p_text(p: float) -> str:
    """A chance as it is printed.

    Examples
    --------
    >>> p_text(0.0421), p_text(1e-30)
    ('0.0421', '<2e-16')
    """
    return "<2e-16" if p < 2e-16 else f"{p:.3g}"


def _fit_lines(summary: RegressionSummary) -> list[str]:
    lines = []
    if summary.df_residual > 0:
        lines.append(
            f"Residual error {estimate_text(summary.residual_error)} on {summary.df_residual:,} degrees of freedom"
        )
        lines.append(f"R² {summary.r_squared:.4f}, adjusted {summary.adjusted_r_squared:.4f}")
    else:
        lines.append("There are as many coefficients as rows: no row is left to tell how far they can be trusted.")
    if np.isfinite(summary.f_statistic):
        of = f"{summary.rank:,} and {summary.df_residual:,} degrees of freedom"
        lines.append(f"F {estimate_text(summary.f_statistic)} on {of}, p {p_text(summary.f_p)}")
    dropped = int(np.isnan(summary.estimates).sum())
    if dropped:
        what = "column is" if dropped == 1 else "columns are"
        lines.append(f"{dropped} {what} constant or a combination of columns before, and not estimated.")
    return lines


@dataclass(frozen=True)
class RegressionSummary:
    """What is known of a fitted regression. `print` shows the page, `to_frame` gives the table.

    Parameters
    ----------
    title : str
        What was fitted.
    names : tuple of str
        The coefficients, the intercept first where there is one.
    estimates, errors : arrays
        The coefficients and their standard errors; NaN for those that were not estimated.
    df_residual : int
        Rows less coefficients.
    residual_error : float
        The root of the mean squared residual per degree of freedom; NaN where none is left.
    quantiles : array of 5 numbers
        Least, quarter, median, three quarters and greatest residual.
    r_squared, adjusted_r_squared, f_statistic : float
        The share of the variance that is explained, the same per degree of freedom, and the F of all columns together.
    rank : int
        Coefficients that were estimated, the intercept left out.
    level : float
        Of the intervals.

    Examples
    --------
    >>> import treewright as tw
    >>> tw.LinearRegression().fit([[1], [2], [3], [4]], [1.0, 3.0, 2.0, 6.0]).summary().to_frame().round(3)
       coefficient  estimate  std_error      t      p    low   high
    0  (intercept)      -0.5      1.775 -0.282  0.805 -8.136  7.136
    1           x0       1.4      0.648  2.160  0.163 -1.388  4.188
    """

    title: str
    names: tuple[str, ...]
    estimates: Floats
    errors: Floats
    df_residual: int
    residual_error: float
    quantiles: Floats
    r_squared: float
    adjusted_r_squared: float
    f_statistic: float
    rank: int
    level: float = 0.95

    @property
    def t(self) -> Floats:
        """Each coefficient in standard errors."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.estimates / self.errors)

    @property
    def p(self) -> Floats:
        """The chance of a coefficient that far from 0 where the true one is 0."""
        return np.asarray(2 * stdtr(self.df_residual, -np.abs(self.t)))

    @property
    def intervals(self) -> Floats:
        """The interval of each coefficient: low, high."""
        reach = t_quantile(self.df_residual, self.level) * self.errors
        return np.column_stack([self.estimates - reach, self.estimates + reach])

    @property
    def f_p(self) -> float:
        """The chance of an F that large where no column tells anything."""
        return float(fdtrc(self.rank, self.df_residual, self.f_statistic))

    def to_frame(self) -> pd.DataFrame:
        """The table of coefficients: estimate, std_error, t, p, low, high."""
        import pandas as pd

        low, high = self.intervals.T
        columns = {"estimate": self.estimates, "std_error": self.errors, "t": self.t, "p": self.p}
        return pd.DataFrame({"coefficient": list(self.names), **columns, "low": low, "high": high})

    def __str__(self) -> str:

        return summary_text(self)

    __repr__ = __str__


def t_quantile(df: int, level: float) -> float:
    """How many standard errors an interval of this level reaches to each side.

    Examples
    --------
    >>> round(t_quantile(10, 0.95), 4)
    2.2281
    """
    return float(stdtrit(df, 0.5 + level / 2)) if df > 0 else float("nan")


@dataclass(frozen=True)
class Spread:
    """How uncertain the coefficients are: everything that standard errors and intervals are made from.

    Parameters
    ----------
    means : array
        The mean of each column of the matrix.
    scales : array
        What each column was divided by.
    kept : array of truth values
        The columns that have a coefficient.
    root : array
        The upper triangle R of the kept columns, centred and scaled.
    weight : float
        The weight of all rows; 0 without an intercept.

    Examples
    --------
    >>> spread = Spread(np.array([2.0]), np.array([1.0]), np.array([True]), np.array([[2.0]]), 4.0)
    >>> spread.lengths(np.array([[2.0], [6.0]]))
    array([0.25, 4.25])
    >>> spread.unit_errors()
    (1.118033988749895, array([0.5]))
    """

    means: Floats
    scales: Floats
    kept: NDArray[np.bool_]
    root: Floats
    weight: float

    def lengths(self, matrix: Floats) -> Floats:
        """The variance of the answer to each row, in units of the residual variance."""
        centred = ((matrix - self.means) / self.scales)[:, self.kept]
        solved = solve_triangular(self.root, centred.T, trans=1, check_finite=False) if self.kept.any() else centred.T
        return np.asarray(np.einsum("ij,ij->j", solved, solved) + self._of_mean)

    @property
    def _of_mean(self) -> float:
        return 1 / self.weight if self.weight else 0.0

    def unit_errors(self) -> tuple[float, Floats]:
        """The standard errors of the intercept and of the coefficients, in units of the residual error."""
        errors = np.full(len(self.kept), np.nan)
        if self.kept.any():
            inverse = solve_triangular(self.root, np.eye(len(self.root)), check_finite=False)
            errors[self.kept] = np.sqrt(np.einsum("ij,ij->i", inverse, inverse)) / self.scales[self.kept]
        at_zero = self.lengths(np.zeros((1, len(self.kept))))[0]
        return float(np.sqrt(at_zero)), errors

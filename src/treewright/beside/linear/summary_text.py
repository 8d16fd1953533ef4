"""The summary of a regression as a page."""

from __future__ import annotations

import numpy as np

from treewright.beside.linear.coefficient_table import RegressionSummary


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
    residuals = ", ".join(f"{word} {number:.4g}" for word, number in zip(words, summary.quantiles, strict=True))
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
        return (name, f"{estimate:.4g}", "", "", "", "")
    low, high = summary.intervals[place]
    t, p = summary.t[place], summary.p[place]
    told = ("", "") if np.isnan(t) else (f"{t:.3g}", p_text(p))
    return (name, f"{estimate:.4g}", f"{error:.3g}", *told, f"{low:.3g} to {high:.3g}")


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
        lines.append(f"Residual error {summary.residual_error:.4g} on {summary.df_residual:,} degrees of freedom")
        lines.append(f"R² {summary.r_squared:.4f}, adjusted {summary.adjusted_r_squared:.4f}")
    else:
        lines.append("There are as many coefficients as rows: no row is left to tell how far they can be trusted.")
    if np.isfinite(summary.f_statistic):
        of = f"{summary.rank:,} and {summary.df_residual:,} degrees of freedom"
        lines.append(f"F {summary.f_statistic:.4g} on {of}, p {p_text(summary.f_p)}")
    dropped = int(np.isnan(summary.estimates).sum())
    if dropped:
        what = "column is" if dropped == 1 else "columns are"
        lines.append(f"{dropped} {what} constant or a combination of columns before, and not estimated.")
    return lines

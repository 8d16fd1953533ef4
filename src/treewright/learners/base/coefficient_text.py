"""Coefficients as text: a table as R prints it, and the strongest weights as lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import log_ndtr, ndtri

from treewright.learners.base.design_matrix import Floats
from treewright.tree.format import estimate_text, largest_first
from treewright.wording import most_lines, rest_of_model_words

# Numbers of things in words.


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Write how many there are.

    Examples
    --------
    >>> counted(1, "class", "classes"), counted(2_000, "weight")
    ('1 class', '2,000 weights')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


# The strongest weights of a linear model as lines of text.


_MOST_WEIGHTS = 12
_PRINTED_DIGITS = 4
_NOTHING = 1e-12  # of the strongest: a weight of 0, but for rounding


def weight_lines(model: Any, heading: str, all_of_them: str) -> list[str]:
    """Write the weights that move the sums most, the strongest first; of several classes side by side.

    Parameters
    ----------
    model : a fitted classifier with `coef_`, `coef_names_`, `spread_` and `classes_`
    heading : str
        What the numbers are, where there is one column of them.
    all_of_them : str
        Where the others are found.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> spread, classes = np.array([1.0, 10.0]), np.array(["no", "yes"])
    >>> model = SimpleNamespace(coef_=np.array([[1.0, 0.5]]), coef_names_=("a", "bc"), spread_=spread, classes_=classes)
    >>> print(*weight_lines(model, "weights", "coef_"), sep="\\n")
      weights, strongest first
      bc         0.5
      a            1
    """
    strength = np.abs(model.coef_).mean(axis=0) * model.spread_
    least = _NOTHING * strength.max(initial=0.0)
    order = [j for j in largest_first(strength, _PRINTED_DIGITS) if strength[j] > least]
    if not order:
        return []
    shown = order[: most_lines(_MOST_WEIGHTS)]
    width = max(len(model.coef_names_[j]) for j in shown)
    names = [str(name) for name in model.classes_.tolist()] if len(model.coef_) > 1 else [""]
    heads = f"{'':<{width}}  " + "  ".join(f"{name:>10}" for name in names)
    lines = [f"  {heads}" if len(model.coef_) > 1 else f"  {heading}, strongest first"]
    for j in shown:
        each = zip(model.coef_[:, j], names, strict=True)
        numbers = "  ".join(f"{value:>{max(len(name), 10)}.{_PRINTED_DIGITS}g}" for value, name in each)
        lines.append(f"  {model.coef_names_[j]:<{width}}  {numbers}")
    if len(order) > len(shown):
        lines.append(f"  … and {len(order) - len(shown):,} more{rest_of_model_words(all_of_them)}")
    return lines


# A table of coefficients as R prints it: estimate, standard error, z, p-value, and stars.


_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"), (0.1, "."))


@dataclass(frozen=True)
class CoefficientTable:
    """Coefficients with their names and standard errors (NaN where there is none).

    Examples
    --------
    >>> table = CoefficientTable(("(intercept)", "age"), np.array([1.0, 0.5]), np.array([2.0, 0.1]))
    >>> print(table)
                 estimate  std. error  z value  p-value
    (intercept)         1         2.0    0.500     0.62
    age               0.5         0.1    5.000  5.7e-07  ***
    >>> table.intervals(0.95).round(3).tolist()
    [[-2.92, 4.92], [0.304, 0.696]]
    """

    names: tuple[str, ...]
    estimates: Floats
    errors: Floats

    @property
    def z_values(self) -> Floats:
        """How many standard errors each estimate lies from zero."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.estimates / self.errors

    @property
    def p_values(self) -> Floats:
        """How likely a z as far from zero is where the coefficient is zero."""
        return np.asarray(2 * np.exp(log_ndtr(-np.abs(self.z_values))))

    def intervals(self, level: float = 0.95) -> Floats:
        """Wald's intervals, lower and upper end of each coefficient."""
        reach = float(ndtri(0.5 + level / 2)) * self.errors
        return np.column_stack([self.estimates - reach, self.estimates + reach])

    def to_frame(self) -> pd.DataFrame:
        """Give the table as a data frame, one row a coefficient."""
        columns = {"estimate": self.estimates}
        if not np.isnan(self.errors).all():
            columns |= {"std_error": self.errors, "z_value": self.z_values, "p_value": self.p_values}
        return pd.DataFrame(columns, index=list(self.names))

    def __str__(self) -> str:
        heads = ["", "estimate", "std. error", "z value", "p-value", ""]
        cells = [[name, estimate_text(value)] for name, value in zip(self.names, self.estimates, strict=True)]
        if np.isnan(self.errors).all():
            return _aligned([heads[:2], *cells])
        for line, error, z, p in zip(cells, self.errors, self.z_values, self.p_values, strict=True):
            known = not np.isnan(error)
            line += [_short(error), f"{z:.3f}", f"{p:.2g}", _stars(p)] if known else ["-", "-", "-", ""]
        return _aligned([heads, *cells])


def _short(number: float) -> str:
    text = estimate_text(number)
    return f"{number:.1f}" if text.isdigit() else text


def _stars(p: float) -> str:
    return next((stars for limit, stars in _STARS if p < limit), "")


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    """Names to the left, numbers to the right, stars to the left."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = []
    for line in lines:
        first, *numbers = line
        stars = f"  {numbers.pop()}" if len(line) == 6 else ""
        parts = [number.rjust(width) for number, width in zip(numbers, widths[1:], strict=False)]
        shown.append(("  ".join([first.ljust(widths[0]), *parts]) + stars).rstrip())
    return "\n".join(shown)

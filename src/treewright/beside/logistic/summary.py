"""What a fitted logistic model says of itself, like R's summary of a glm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from treewright.beside.coefficient_table import CoefficientTable
from treewright.beside.columns import Floats


@dataclass(frozen=True)
class LogisticSummary:
    """The coefficients of every class against the first one, the deviance and what it is compared with.

    Attributes
    ----------
    tables : tuple of CoefficientTable
        One a class after the first: the log of the odds of that class against the first.
    classes : tuple
        These classes; `reference` is the first.
    deviance, null_deviance : float
        Twice the log loss of the model, and of a model without columns.
    degrees_of_freedom : int
        Rows less coefficients.
    rank : int
        Coefficients that could be estimated, of all tables.
    n_rows, n_iter : int
    """

    tables: tuple[CoefficientTable, ...]
    classes: tuple[str, ...]
    reference: str
    target: str | None
    deviance: float
    null_deviance: float
    rank: int
    n_rows: int
    n_iter: int
    fits_constant: bool

    @property
    def aic(self) -> float:
        """Akaike's criterion: the deviance and 2 for each coefficient."""
        return self.deviance + 2 * self.rank

    @property
    def degrees_of_freedom(self) -> int:
        """Rows less coefficients."""
        return self.n_rows - self.rank

    def odds_ratios(self, level: float = 0.95) -> pd.DataFrame:
        """Give by what factor the odds change when a column grows by 1, with Wald's interval where there is one.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
        >>> tw.LogisticRegression(penalty=None).fit(X, y).summary().odds_ratios().round(3)
                     odds_ratio  lower  upper
        (intercept)       0.130  0.008  2.235
        Age               1.011  0.998  1.024
        Number            1.508  0.970  2.343
        Start             0.813  0.712  0.929
        """
        frames = []
        for table in self.tables:
            frame = pd.DataFrame({"odds_ratio": _exp(table.estimates)}, index=table.to_frame().index)
            if not np.isnan(table.errors).all():
                frame[["lower", "upper"]] = _exp(table.intervals(level))
            frames.append(frame)
        return frames[0] if len(frames) == 1 else pd.concat(frames, keys=self.classes)

    def to_frame(self) -> pd.DataFrame:
        """Give all coefficients as one data frame."""
        frames = [table.to_frame() for table in self.tables]
        return frames[0] if len(frames) == 1 else pd.concat(frames, keys=self.classes)

    def __str__(self) -> str:
        of = f" of '{self.target}'" if self.target else ""
        lines = [f"Logistic regression{of}: {self.n_rows:,} rows"]
        for name, table in zip(self.classes, self.tables, strict=True):
            lines += ["", f"log odds of {name} against {self.reference}", str(table)]
        if all(np.isnan(table.errors).all() for table in self.tables):
            lines += ["", "No standard errors: they are those of a maximum of the likelihood (penalty=None)."]
        else:
            lines += ["", "p-value: *** below .001, ** below .01, * below .05, . below .1"]
        units = len(self.tables)
        null_freedom = self.n_rows - units * self.fits_constant
        lines += [
            f"null deviance      {self.null_deviance:.6g} on {null_freedom:,} degrees of freedom",
            f"residual deviance  {self.deviance:.6g} on {self.degrees_of_freedom:,} degrees of freedom",
            f"AIC                {self.aic:.6g}",
            f"steps              {self.n_iter}",
        ]
        return "\n".join(lines)


def _exp(values: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.exp(values)

"""What a fitted logistic model says of itself, like R's summary of a glm: standard errors, deviance, text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from treewright.learners.base.coefficient_text import CoefficientTable, counted, weight_lines
from treewright.learners.base.design_matrix import Floats
from treewright.learners.logistic.loss import LogisticRows
from treewright.learners.logistic.solvers import log_loss_of
from treewright.tree.format import estimate_text

# Standard errors of a logistic model, and the deviance of a model without columns.


def standard_errors(rows: LogisticRows, coefficients: Floats) -> Floats:
    """Give the standard errors at the maximum of the likelihood: constant first, one line a class after the first.

    They are the roots of the diagonal of the inverse of the second derivatives, taken against the first class, for
    columns that are not centred. Without a constant its error is NaN.

    Examples
    --------
    >>> rows = LogisticRows(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]), None, 2)
    >>> standard_errors(rows, np.array([[-1.3623, 0.9082]])).round(3)
    array([[1.975, 1.085]])
    """
    hessian = log_loss_of(rows).slopes(coefficients, hessian=True).hessian
    assert hessian is not None
    if rows.n_units > 1:
        hessian = hessian[rows.width :, rows.width :]  # the first class stays where it is
    variances = _variances(hessian, rows)
    errors = np.sqrt(np.maximum(variances, 0.0)).reshape(-1, rows.width)
    if rows.intercept:
        return errors
    return np.column_stack([np.full(len(errors), np.nan), errors])


def null_deviance(rows: LogisticRows) -> float:
    """Give twice the log loss of the shares of the classes; without a constant, of equal shares.

    Examples
    --------
    >>> round(null_deviance(LogisticRows(np.zeros((2, 0)), np.array([0, 1]), None, 2)), 4)
    2.7726
    """
    counts = np.bincount(rows.codes, rows.weights, minlength=rows.n_classes)
    if not rows.intercept:
        return float(2 * counts.sum() * np.log(rows.n_classes))
    counts = counts[counts > 0]
    return float(-2 * counts @ np.log(counts / counts.sum()))


def _variances(hessian: Floats, rows: LogisticRows) -> Floats:
    """The diagonal of T H⁻¹ Tᵀ; T takes the constant of centred columns back to columns as they are."""
    diagonal = np.diagonal(hessian)
    if not (diagonal > 0).all():
        return np.full(len(hessian), np.nan)
    scale = 1 / np.sqrt(diagonal)
    try:
        factor = cho_factor(hessian * scale[:, None] * scale, lower=True)
    except LinAlgError:
        return np.full(len(hessian), np.nan)
    inverse = cho_solve(factor, np.eye(len(hessian))) * scale[:, None] * scale
    if not rows.intercept or rows.centre is None:
        return np.asarray(np.diagonal(inverse))
    back = np.eye(rows.width)
    back[0, 1:] = -rows.centre
    whole = np.kron(np.eye(len(hessian) // rows.width), back)
    return np.asarray(np.diagonal(whole @ inverse @ whole.T))


# What a fitted logistic model says of itself, like R's summary of a glm.


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
            f"null deviance      {estimate_text(self.null_deviance, 6)} on {null_freedom:,} degrees of freedom",
            f"residual deviance  {estimate_text(self.deviance, 6)} on {self.degrees_of_freedom:,} degrees of freedom",
            f"AIC                {estimate_text(self.aic, 6)}",
            f"steps              {self.n_iter}",
        ]
        return "\n".join(lines)


def _exp(values: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.exp(values)


# A fitted logistic model in words: its summary, and a few lines for `print(model)`.


def summary_of(model: Any) -> LogisticSummary:
    """Make the summary of a fitted model.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.LogisticRegression().fit([[0], [1], [2], [3]], list("abab"))
    >>> summary_of(model).to_frame().round(3)
                 estimate
    (intercept)    -0.679
    x0              0.453
    """
    names = tuple(str(name) for name in model.classes_.tolist())
    together = np.column_stack([model.intercept_, model.coef_])
    with np.errstate(invalid="ignore"):
        against = together if len(together) == 1 else together[1:] - together[0]
    errors = getattr(model, "standard_errors_", np.full(against.shape, np.nan))
    labels = ("(intercept)", *model.coef_names_)
    first = 0 if model.fit_intercept else 1
    tables = tuple(
        CoefficientTable(labels[first:], estimates[first:], own[first:])
        for estimates, own in zip(against, errors, strict=True)
    )
    return LogisticSummary(
        tables=tables,
        classes=names[1:] if len(names) > 1 else names,
        reference=names[0],
        target=model.schema_.target,
        deviance=model.deviance_,
        null_deviance=model.null_deviance_,
        rank=model.rank_,
        n_rows=model.n_rows_,
        n_iter=model.n_iter_,
        fits_constant=model.fit_intercept,
    )


def logistic_text(model: Any) -> str:
    """Write a fitted model in a few lines: what it is, how good on its own rows, and its strongest coefficients.

    Examples
    --------
    >>> import treewright as tw
    >>> print(logistic_text(tw.LogisticRegression().fit([[0], [1], [2], [3]], list("abab"))))
    LogisticRegression: 2 classes, 1 coefficient, penalty l2, C 1
      deviance  4.89144 (without columns 5.54518)
      log odds of b, strongest first
      x0      0.4529
    """
    target = f" for '{model.schema_.target}'" if model.schema_.target else ""
    chosen = f"C {model.C_:g}, by {model.n_folds_} folds" if "C_" in model.__dict__ else f"C {model.C}"
    penalty = "no penalty" if model.penalty is None else f"penalty {model.penalty}, {chosen.removesuffix('.0')}"
    classes = len(model.classes_)
    lines = [
        f"LogisticRegression{target}: {counted(classes, 'class', 'classes')}, "
        f"{counted(model.coef_.shape[1], 'coefficient')}, {penalty}",
        f"  deviance  {estimate_text(model.deviance_, 6)} (without columns {estimate_text(model.null_deviance_, 6)})",
    ]
    heading = f"log odds of {model.classes_.tolist()[-1]}"
    return "\n".join([*lines, *weight_lines(model, heading, "print(model.summary())")])

"""A fitted logistic model in words: its summary, and a few lines for `print(model)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.beside.coefficient_table import CoefficientTable
from treewright.beside.counted import counted
from treewright.beside.logistic.summary import LogisticSummary
from treewright.beside.weight_lines import weight_lines


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
    penalty = "no penalty" if model.penalty is None else f"penalty {model.penalty}, C {model.C:g}"
    classes = len(model.classes_)
    lines = [
        f"LogisticRegression{target}: {counted(classes, 'class', 'classes')}, "
        f"{counted(model.coef_.shape[1], 'coefficient')}, {penalty}",
        f"  deviance  {model.deviance_:.6g} (without columns {model.null_deviance_:.6g})",
    ]
    heading = f"log odds of {model.classes_.tolist()[-1]}"
    return "\n".join([*lines, *weight_lines(model, heading, "print(model.summary())")])

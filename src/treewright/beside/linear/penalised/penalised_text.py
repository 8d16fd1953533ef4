"""A penalised regression in a few lines: its price, what it explains, and its largest coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.largest_first import largest_first

_MOST = 20
_PRINTED_DIGITS = 4


def penalised_text(model: Any) -> str:
    """Write a fitted model for people; the last column is the coefficient of a column divided by its spread.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> print(tw.RegularizedRegression(lambda_=5.0).fit(X[["Wind", "Temp", "Day"]], y))
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
    if model.lambda_ == "cv":
        how = f" ({model.n_folds_}-fold cross-validation, {model.rule})"
    return f"{kind}, lambda {model.chosen_lambda_:.4g}{how}"


def _table(model: Any, order: Any) -> list[str]:
    rows = [("", "coefficient", "for a spread of 1")]
    if model.fit_intercept:
        rows.append(("(intercept)", _shown(model.intercept_), ""))
    for j in order[:_MOST]:
        own = model.coef_[j]
        rows.append((model.coefficient_names_[j], _shown(own), _shown(own * model.scales_[j])))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"{name:<{widths[0]}}  {own:>{widths[1]}}  {unit:>{widths[2]}}".rstrip() for name, own, unit in rows]
    more = len(order) - _MOST
    return [*lines, f"… and {more:,} more"] if more > 0 else lines


def _shown(number: float) -> str:
    return f"{number:.{_PRINTED_DIGITS}g}"

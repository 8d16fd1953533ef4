"""The strongest weights of a linear model as lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.largest_first import largest_first

_MOST_WEIGHTS = 12
_PRINTED_DIGITS = 4


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
    order = [j for j in largest_first(strength, _PRINTED_DIGITS) if strength[j] > 0]
    if not order:
        return []
    shown = order[:_MOST_WEIGHTS]
    width = max(len(model.coef_names_[j]) for j in shown)
    names = [str(name) for name in model.classes_.tolist()] if len(model.coef_) > 1 else [""]
    heads = f"{'':<{width}}  " + "  ".join(f"{name:>10}" for name in names)
    lines = [f"  {heads}" if len(model.coef_) > 1 else f"  {heading}, strongest first"]
    for j in shown:
        each = zip(model.coef_[:, j], names, strict=True)
        numbers = "  ".join(f"{value:>{max(len(name), 10)}.{_PRINTED_DIGITS}g}" for value, name in each)
        lines.append(f"  {model.coef_names_[j]:<{width}}  {numbers}")
    if len(order) > len(shown):
        lines.append(f"  … and {len(order) - len(shown):,} more: {all_of_them}")
    return lines

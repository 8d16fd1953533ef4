"""A fitted perceptron in a few lines for `print(model)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.beside.counted import counted

_MOST_WEIGHTS = 12


def perceptron_text(model: Any) -> str:
    """Write a fitted perceptron: what it is, how it learnt, and its strongest weights.

    Examples
    --------
    >>> import treewright as tw
    >>> print(perceptron_text(tw.Perceptron(standardize=False, shuffle=False).fit([[1], [2], [4], [5]], list("aabb"))))
    Perceptron: 2 classes, 1 weight, threshold neuron
      passes    4
      mistakes  7 (at most 260.0: (R/γ)² by the widest margin)
      classes   separated
      weights for b, strongest first
      x0           1
    """
    target = f" for '{model.schema_.target}'" if model.schema_.target else ""
    size = f"{counted(len(model.classes_), 'class', 'classes')}, {counted(model.coef_.shape[1], 'weight')}"
    lines = [f"Perceptron{target}: {size}, {model.neuron} neuron"]
    lines.append(f"  passes    {model.n_iter_:,}")
    if model.neuron == "threshold":
        bound = f" (at most {model.bound_:,.1f}: (R/γ)² by the widest margin)" if np.isfinite(model.bound_) else ""
        lines.append(f"  mistakes  {model.mistakes_:,}{bound}")
        lines.append(f"  classes   {'separated' if model.separable_ else 'not separated'}")
    else:
        lines.append(f"  loss      {model.loss_curve_[-1]:.4g} in the mean of the last pass")
    strength = np.abs(model.coef_).mean(axis=0) * model.spread_
    order = [int(j) for j in np.argsort(-strength, kind="stable") if strength[j] > 0]
    width = max((len(model.coef_names_[j]) for j in order[:_MOST_WEIGHTS]), default=0)
    shown = [str(name) for name in model.classes_.tolist()]
    several = len(model.coef_) > 1
    if order:
        heads = "  ".join(f"{name:>10}" for name in shown)
        lines.append(f"  {'':<{width}}  {heads}" if several else f"  weights for {shown[-1]}, strongest first")
    for j in order[:_MOST_WEIGHTS]:
        each = zip(model.coef_[:, j], shown if several else [""], strict=True)
        lines.append(
            f"  {model.coef_names_[j]:<{width}}  "
            + "  ".join(f"{value:>{max(len(name), 10)}.4g}" for value, name in each)
        )
    if len(order) > _MOST_WEIGHTS:
        lines.append(f"  … and {len(order) - _MOST_WEIGHTS} more in coef_")
    return "\n".join(lines)

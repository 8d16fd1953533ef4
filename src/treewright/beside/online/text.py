"""A fitted perceptron in a few lines for `print(model)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.beside.counted import counted
from treewright.beside.weight_lines import weight_lines


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
    return "\n".join([*lines, *weight_lines(model, f"weights for {model.classes_.tolist()[-1]}", "model.coef_")])

"""A network in a few lines: its layers, how many weights, how it was trained and how far it came."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from treewright.tree.format import estimate_text

_STEPS = {"adam": "Adam", "sgd": "gradient descent", "lbfgs": "L-BFGS"}


def network_text(model: Any) -> str:
    """Write a fitted network for people.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> print(tw.MLPClassifier(4, activation="tanh", solver="lbfgs").fit(X, y))  # doctest: +ELLIPSIS
    MLPClassifier
      layers   2 inputs, 4 tanh, 1 sigmoid
      weights  12, and 5 biases
      trained  by L-BFGS, ... epochs; the loss stopped falling
      loss     ...
    """
    target = f" for '{model.schema_.target}'" if model.schema_.target else ""
    n_models = getattr(model, "n_models_", 1)
    sizes = [int(size) for size in model.layer_sizes_]
    sizes[1:-1] = [size // n_models for size in sizes[1:-1]]
    n_biases = n_models * sum(sizes[1:])
    in_blocks = n_models * sum(n * m for n, m in pairwise(sizes))  # what stands between them is 0
    n_weights = len(model.all_weights_) - n_biases if n_models == 1 else in_blocks
    each = "" if n_models == 1 else f", in each of {n_models} networks"
    biases = "1 bias" if n_biases == 1 else f"{n_biases:,} biases"
    epochs = "1 epoch" if model.n_iter_ == 1 else f"{model.n_iter_:,} epochs"
    falling = "the weights of the best one are kept" if _is_past_its_best(model) else "the loss was still falling"
    end = "the loss stopped falling" if model.settled_ else falling
    lines = [
        f"{type(model).__name__}{target}",
        f"  layers   {', '.join(_units(sizes, model))}{each}",
        f"  weights  {n_weights:,}, and {biases}",
        f"  trained  by {_STEPS[model.solver]}, {epochs}; {end}",
        f"  loss     {estimate_text(model.loss_)}{_held_out(model)}",
    ]
    return "\n".join(lines)


def _units(sizes: list[int], model: Any) -> list[str]:
    plan = model._plan
    hidden = [f"{size:,} {plan.activation_of(layer).name}" for layer, size in enumerate(sizes[1:-1])]
    inputs = "1 input" if sizes[0] == 1 else f"{sizes[0]:,} inputs"
    return [inputs, *hidden, f"{sizes[-1]:,} {plan.head.name}"]


def _is_past_its_best(model: Any) -> bool:
    curve = getattr(model, "validation_loss_curve_", None)
    return curve is not None and bool(curve.argmin() < len(curve) - 1)


def _held_out(model: Any) -> str:
    curve = getattr(model, "validation_loss_curve_", None)
    if curve is None:
        return ""
    return (
        f" on training rows; on held-out rows at best {estimate_text(curve.min())}, in epoch {int(curve.argmin()) + 1}"
    )

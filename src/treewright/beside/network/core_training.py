"""Training in the core: small networks and small batches, where BLAS would mostly wait for Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.beside.network.descent import Descent
from treewright.beside.network.examples import Examples
from treewright.beside.network.heads import SigmoidLogLoss, SoftmaxLogLoss
from treewright.beside.network.propagation import Blueprint, Propagation

_SMALL = 15_000  # weights; larger networks gain from BLAS, unless batches are tiny
_FEW_ROWS = 4
_WORK = 300_000_000  # multiplications between two looks at the keyboard


def core_can_train(blueprint: Blueprint, batch_size: int) -> bool:
    """Whether the core has such a network, and is faster.

    Examples
    --------
    >>> from treewright.beside.network.activations import activation
    >>> from treewright.beside.network.layers import Layers
    >>> core_can_train(Blueprint(Layers((20, 100, 1)), activation("relu"), SigmoidLogLoss()), 200)
    True
    """
    if blueprint.sparsity is not None or blueprint.layers.tied:
        return False
    return batch_size <= _FEW_ROWS or blueprint.layers.n_weights <= _SMALL


def train_in_core(
    network: Propagation, examples: Examples, descent: Descent, order: NDArray[np.uint32] | None, batch_size: int
) -> tuple[float, float]:
    """Go through all rows once; give the sum of their losses, and the mean loss of the first batch."""
    first, second = descent.memory(network.numbers)
    visits = np.arange(len(examples), dtype=np.uint32) if order is None else order
    plan = {**_plan(network.blueprint), **descent.words(), "alpha": network.alpha, "batch_size": batch_size}
    part = max(_WORK // (6 * len(network.numbers)) // batch_size, 1) * batch_size
    total, start = 0.0, None
    for begin in range(0, len(visits), part):
        plan |= {"rate": descent.rate, "steps": descent.steps}
        loss, of_first, descent.steps = _core.train_network(
            network.numbers, first, second, examples.rows, examples.target, examples.weights,
            visits[begin : begin + part], plan,
        )  # fmt: skip
        total += loss
        start = of_first if start is None else start
    return total, start or 0.0


def _plan(blueprint: Blueprint) -> dict[str, Any]:
    head, sizes = blueprint.head, blueprint.layers.sizes
    ending = {SigmoidLogLoss: "sigmoid_log", SoftmaxLogLoss: "softmax_log"}.get(type(head), "squared")
    return {
        "sizes": list(sizes),
        "hidden": [blueprint.activation_of(layer).name for layer in range(len(sizes) - 2)],
        "ending": ending,
        "output": head.name if ending == "squared" else "linear",
    }

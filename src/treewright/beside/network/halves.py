"""Through a part of a network: from the inputs to a layer, or from a layer to the outputs."""

from __future__ import annotations

import numpy as np

from treewright.beside.network.activations import Array
from treewright.beside.network.propagation import BLOCK, Blueprint


def through(blueprint: Blueprint, numbers: Array, rows: Array, first: int, last: int) -> Array:
    """Give what layer `last` makes of rows that are the outputs of layer `first`; 0 is the inputs.

    Examples
    --------
    >>> from treewright.beside.network.activations import activation
    >>> from treewright.beside.network.heads import SquaredLoss
    >>> from treewright.beside.network.layers import Layers
    >>> blueprint = Blueprint(Layers((1, 1, 1)), activation("linear"), SquaredLoss(activation("linear")))
    >>> numbers = np.array([2.0, 3.0, 0.5, 0.25])
    >>> through(blueprint, numbers, np.array([[1.0]]), 0, 1), through(blueprint, numbers, np.array([[2.5]]), 1, 2)
    (array([[2.5]]), array([[7.75]]))
    """
    weights, biases = blueprint.layers.parts(numbers)
    end = len(weights)
    found = np.empty((len(rows), blueprint.layers.sizes[last]), dtype=numbers.dtype)
    for start in range(0, len(rows), BLOCK):
        values = rows[start : start + BLOCK]
        for layer in range(first, last):
            values = values @ weights[layer] + biases[layer]
            if layer < end - 1:
                blueprint.activation_of(layer).apply(values)
            else:
                values = blueprint.head.answer(values)
        found[start : start + BLOCK] = values
    return found

"""Layer by layer: each layer of an encoder is first trained alone, as a small autoencoder of the layer before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treewright.beside.network.activations import Array, activation
from treewright.beside.network.examples import Examples
from treewright.beside.network.halves import through
from treewright.beside.network.heads import SquaredLoss
from treewright.beside.network.initial_weights import initial_weights
from treewright.beside.network.layers import Layers
from treewright.beside.network.propagation import Blueprint, Propagation

Trainer = Callable[[Propagation, Examples], object]


def pretrain(whole: Blueprint, numbers: Array, examples: Examples, seed: int, train: Trainer) -> None:
    """Give a deep autoencoder its starting weights, in place (G. E. Hinton and R. Salakhutdinov, 2006, in spirit).

    Layer l of the encoder and its mirror in the decoder are trained on the codes of layer l - 1, with the others left
    out; then their weights go into the whole network.
    """
    weights, biases = whole.layers.parts(numbers)
    values, depth = examples.rows, len(weights) // 2
    for layer in range(depth):
        sizes = (*whole.layers.shapes[layer], whole.layers.sizes[layer])
        small = Blueprint(
            Layers(sizes, whole.layers.tied),
            whole.activation,
            whole.head if layer == 0 else SquaredLoss(activation("linear")),
            (0, whole.activation_of(layer)),
        )
        start = initial_weights(small.layers, None, seed + layer).astype(numbers.dtype)
        network = Propagation(small, start)
        train(network, replace(examples, rows=values, target=values))
        mirror = len(weights) - 1 - layer
        weights[layer][:], biases[layer][:] = network.weights[0], network.biases[0]
        weights[mirror][:], biases[mirror][:] = network.weights[1], network.biases[1]
        values = np.ascontiguousarray(through(small, start, values, 0, 1))

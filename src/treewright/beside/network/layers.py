"""The weights of a network in one array: all weights first, then all biases, each layer a view of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from treewright.beside.network.activations import Array


@dataclass(frozen=True)
class Layers:
    """How many units each layer has, the inputs first.

    One array for all means that a step of gradient descent is a few operations on the whole, however many layers.

    Parameters
    ----------
    sizes : tuple of int
        Units of each layer, from the inputs to the outputs.
    tied : bool
        Whether the second half of the layers uses the weights of the first half, turned over.

    Examples
    --------
    >>> layers = Layers((2, 3, 1))
    >>> layers.n_weights, layers.n_numbers
    (9, 13)
    >>> weights, biases = layers.parts(np.arange(13.0))
    >>> weights[1].ravel().tolist(), biases[0].tolist()
    ([6.0, 7.0, 8.0], [9.0, 10.0, 11.0])
    """

    sizes: tuple[int, ...]
    tied: bool = False

    @cached_property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Inputs and outputs of each layer of weights."""
        return tuple(pairwise(self.sizes))

    def twin(self, layer: int) -> int | None:
        """The layer whose weights this one turns over; None where it has its own."""
        other = len(self.shapes) - 1 - layer
        return other if self.tied and other < layer else None

    @cached_property
    def n_weights(self) -> int:
        """How many weights there are, biases left out."""
        return sum(n * m for layer, (n, m) in enumerate(self.shapes) if self.twin(layer) is None)

    @cached_property
    def n_numbers(self) -> int:
        """How many weights and biases there are."""
        return self.n_weights + sum(self.sizes[1:])

    def parts(self, numbers: Array) -> tuple[list[Array], list[Array]]:
        """Give the weights (inputs × outputs) and the biases of each layer as views of the whole."""
        weights: list[Array] = []
        place = 0
        for layer, (n, m) in enumerate(self.shapes):
            twin = self.twin(layer)
            if twin is not None:
                weights.append(weights[twin].T)
                continue
            weights.append(numbers[place : place + n * m].reshape(n, m))
            place += n * m
        biases = np.split(numbers[place:], np.cumsum(self.sizes[1:-1]))
        return weights, biases

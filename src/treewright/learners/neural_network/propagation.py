"""Forward and back through a network, a batch of rows at a time, in buffers that are made once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.row_products import row_products
from treewright.learners.neural_network.inputs import Head
from treewright.learners.neural_network.layers import Activation, Array, Layers

# Through a part of a network: from the inputs to a layer, or from a layer to the outputs.


def through(blueprint: Blueprint, numbers: Array, rows: Array, first: int, last: int) -> Array:
    """Give what layer `last` makes of rows that are the outputs of layer `first`; 0 is the inputs.

    Examples
    --------
    >>> from treewright.learners.neural_network.layers import activation
    >>> from treewright.learners.neural_network.inputs import SquaredLoss
    >>> from treewright.learners.neural_network.layers import Layers
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


BLOCK = 1024  # rows that go through together where nothing is learnt: their outputs stay in the cache
_MOST_ROOMS = 4  # sizes of batches whose buffers are kept


@dataclass(frozen=True)
class Sparsity:
    """Wants each unit of a layer to be active in a share of the rows only: costs weight · KL(share ‖ mean output)."""

    layer: int
    share: float
    weight: float


@dataclass(frozen=True)
class Blueprint:
    """What a network is, without its weights."""

    layers: Layers
    activation: Activation
    head: Head
    code: tuple[int, Activation] | None = None  # a layer that has an activation of its own
    sparsity: Sparsity | None = None

    def activation_of(self, layer: int) -> Activation:
        """What the units of a hidden layer do."""
        return self.code[1] if self.code is not None and self.code[0] == layer else self.activation


@dataclass(frozen=True)
class _Room:
    """The buffers for batches of one size."""

    outputs: list[Array]  # of each layer; of the last one the sums, then the deltas
    deltas: list[Array]  # of the hidden layers
    spare: list[Array]
    ones: Array


class Propagation:
    """A network with its weights: answers rows, and gives the slope of the loss by every weight.

    Parameters
    ----------
    blueprint : Blueprint
        Layers, activations, outputs and loss.
    numbers : array
        All weights and biases; used as they are, not copied, so that a step changes the network.
    alpha : float
        The price of large weights: alpha / 2 times their squares, divided by the rows of a batch. Biases are free.

    Examples
    --------
    >>> from treewright.learners.neural_network.layers import activation
    >>> from treewright.learners.neural_network.inputs import SquaredLoss
    >>> one_neuron = Blueprint(Layers((2, 1)), activation("sigmoid"), SquaredLoss(activation("linear")))
    >>> network = Propagation(one_neuron, np.array([1.0, 2.0, 0.5]))
    >>> network.outputs(np.array([[1.0, 1.0]])).tolist()
    [[3.5]]
    >>> network.loss_and_gradient(np.array([[1.0, 1.0]]), np.array([[4.5]]), None)
    0.5
    >>> network.gradient.tolist()
    [-1.0, -1.0, -1.0]
    """

    def __init__(self, blueprint: Blueprint, numbers: Array, alpha: float = 0.0) -> None:
        self.blueprint = blueprint
        self.numbers = numbers
        self.alpha = alpha
        self.weights, self.biases = blueprint.layers.parts(numbers)
        self.gradient = np.zeros_like(numbers)
        self._weight_slopes, self._bias_slopes = blueprint.layers.parts(self.gradient)
        self._n_weights = blueprint.layers.n_weights
        self._room: dict[int, _Room] = {}
        hidden = range(len(self.weights) - 1)
        self._activations = [blueprint.activation_of(layer) for layer in hidden]

    # ---------------------------------------------------------------- forward
    def sums(self, rows: Array) -> Array:
        """Give the sums of the output units, in a buffer that the next call uses again."""
        buffers = self._buffers(len(rows)).outputs
        last = len(buffers) - 1
        values = rows
        for layer, buffer in enumerate(buffers):
            buffer[:] = row_products(values, self.weights[layer])
            buffer += self.biases[layer]
            if layer < last:
                self._activations[layer].apply(buffer)
            values = buffer
        return values

    def outputs(self, rows: Array) -> Array:
        """Give what the network answers to each row, a block of rows at a time."""
        found = np.empty((len(rows), self.blueprint.layers.sizes[-1]), dtype=self.numbers.dtype)
        for start in range(0, len(rows), BLOCK):
            block = slice(start, start + BLOCK)
            found[block] = self.blueprint.head.answer(self.sums(rows[block]))
        return found

    def loss(self, rows: Array, target: NDArray[Any], weights: Array | None) -> float:
        """Give the mean loss of the rows without the price of weights; the weights of the rows have the mean 1."""
        total = 0.0
        for start in range(0, len(rows), BLOCK):
            block = slice(start, start + BLOCK)
            sums = self.sums(rows[block])
            total += self.blueprint.head.loss_and_delta(
                sums, target[block], None if weights is None else weights[block]
            )
        return total / len(rows)

    # ---------------------------------------------------------------- back
    def loss_and_gradient(self, rows: Array, target: NDArray[Any], weights: Array | None) -> float:
        """Give the mean loss of a batch; its slopes are in `gradient` afterwards."""
        delta = self.sums(rows)
        loss = self.blueprint.head.loss_and_delta(delta, target, weights)
        share = 1.0 / len(rows)
        delta *= share
        room = self._room[len(rows)]
        price = self._sparsity_price(room, weights)
        for layer in range(len(self.weights) - 1, -1, -1):
            inputs = room.outputs[layer - 1] if layer else rows
            self._write_slopes(layer, inputs, delta, room)
            if layer:
                below = room.deltas[layer - 1]
                np.dot(delta, self.weights[layer].T, out=below)
                self._add_sparsity(layer - 1, below, room, weights)
                self._activations[layer - 1].times_slope(below, inputs, room.spare[layer - 1])
                delta = below
        return loss * share + price + self._weight_price(share)

    def _write_slopes(self, layer: int, inputs: Array, delta: Array, room: _Room) -> None:
        np.dot(room.ones, delta, out=self._bias_slopes[layer])
        twin = self.blueprint.layers.twin(layer)
        if twin is not None:  # comes before its twin, since we go back
            np.dot(delta.T, inputs, out=self._weight_slopes[twin])
        elif self.blueprint.layers.tied and layer < len(self.weights) // 2:
            self._weight_slopes[layer] += inputs.T @ delta
        else:
            np.dot(inputs.T, delta, out=self._weight_slopes[layer])

    def _weight_price(self, share: float) -> float:
        if not self.alpha:
            return 0.0
        weights, slopes = self.numbers[: self._n_weights], self.gradient[: self._n_weights]
        price = self.alpha * share
        slopes += price * weights
        return 0.5 * price * float(weights @ weights)

    # ---------------------------------------------------------------- few active units
    def _means(self, layer: int, room: _Room, weights: Array | None) -> Array:
        outputs = room.outputs[layer]
        means = (room.ones if weights is None else weights) @ outputs / len(outputs)
        return np.clip(means, 1e-6, 1 - 1e-6)

    def _sparsity_price(self, room: _Room, weights: Array | None) -> float:
        wanted = self.blueprint.sparsity
        if wanted is None:
            return 0.0
        means, share = self._means(wanted.layer, room, weights), wanted.share
        distance = share * np.log(share / means) + (1 - share) * np.log((1 - share) / (1 - means))
        return wanted.weight * float(distance.sum())

    def _add_sparsity(self, layer: int, delta: Array, room: _Room, weights: Array | None) -> None:
        wanted = self.blueprint.sparsity
        if wanted is None or wanted.layer != layer:
            return
        means, share = self._means(layer, room, weights), wanted.share
        slopes = wanted.weight / len(delta) * ((1 - share) / (1 - means) - share / means)
        delta += slopes if weights is None else weights[:, None] * slopes

    # ---------------------------------------------------------------- buffers
    def _buffers(self, n_rows: int) -> _Room:
        room = self._room.get(n_rows)
        if room is None:
            if len(self._room) >= _MOST_ROOMS:
                self._room.clear()
            sizes, dtype = self.blueprint.layers.sizes, self.numbers.dtype
            outputs = [np.empty((n_rows, size), dtype=dtype) for size in sizes[1:]]
            deltas = [np.empty_like(output) for output in outputs[:-1]]
            spare = [np.empty_like(output) for output in outputs[:-1]]
            room = self._room[n_rows] = _Room(outputs, deltas, spare, np.ones(n_rows, dtype=dtype))
        return room

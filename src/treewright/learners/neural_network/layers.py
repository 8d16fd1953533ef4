"""The layers of a network: units, activations, and the weights that they start with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError

# What a hidden unit makes of its sum, and how steep it is there: both in place.


Array = NDArray[np.floating[Any]]
ALSO_CALLED = {"logistic": "sigmoid", "identity": "linear"}  # the names that scikit-learn has


@dataclass(frozen=True)
class Activation:
    """`apply` turns sums into outputs; `times_slope` multiplies deltas by the slope, told by the outputs.

    Examples
    --------
    >>> outputs = np.array([0.0, 2.0])
    >>> activation("sigmoid").apply(outputs)
    >>> outputs.round(4)
    array([0.5   , 0.8808])
    >>> delta = np.ones(2)
    >>> activation("sigmoid").times_slope(delta, outputs, np.empty(2))
    >>> delta.round(4)
    array([0.25 , 0.105])
    """

    name: str
    apply: Callable[[Array], None]
    times_slope: Callable[[Array, Array, Array], None]  # deltas, outputs, room of the same shape


def activation(name: str) -> Activation:
    """Give an activation by its name; a threshold is refused, since nothing can be learnt through it.

    Examples
    --------
    >>> activation("logistic").name
    'sigmoid'
    """
    if name == "threshold":
        raise DataError(
            "activation='threshold' has no gradient: its slope is 0 everywhere, so back-propagation cannot learn "
            "through it. Choose 'sigmoid' (a smooth threshold), 'tanh' or 'relu', or tw.Perceptron for a single "
            "threshold neuron."
        )
    return _ACTIVATIONS[ALSO_CALLED.get(name, name)]


def _sigmoid(sums: Array) -> None:
    """1 / (1 + exp(-z)) by way of tanh(z / 2), which numpy computes in vectors and which cannot overflow."""
    sums *= 0.5
    np.tanh(sums, out=sums)
    sums *= 0.5
    sums += 0.5


def _times_sigmoid_slope(delta: Array, outputs: Array, room: Array) -> None:
    np.subtract(1.0, outputs, out=room)
    room *= outputs
    delta *= room


def _tanh(sums: Array) -> None:
    np.tanh(sums, out=sums)


def _times_tanh_slope(delta: Array, outputs: Array, room: Array) -> None:
    np.multiply(outputs, outputs, out=room)
    np.subtract(1.0, room, out=room)
    delta *= room


def _relu(sums: Array) -> None:
    np.maximum(sums, 0.0, out=sums)


def _times_relu_slope(delta: Array, outputs: Array, room: Array) -> None:
    np.multiply(delta, outputs > 0.0, out=delta)


def _nothing(sums: Array) -> None:
    """A linear unit gives its sum."""


def _times_one(delta: Array, outputs: Array, room: Array) -> None:
    """The slope of a linear unit is 1."""


_ACTIVATIONS = {
    entry.name: entry
    for entry in (
        Activation("sigmoid", _sigmoid, _times_sigmoid_slope),
        Activation("tanh", _tanh, _times_tanh_slope),
        Activation("relu", _relu, _times_relu_slope),
        Activation("linear", _nothing, _times_one),
    )
}


# Where the weights of a network start: drawn by the seed, never all alike, or given.


_PURPOSE = 41  # of the random words: the weights of a layer
Start = float | Sequence[tuple[Any, Any]] | None


def initial_weights(layers: Layers, start: Start, seed: int) -> NDArray[np.float64]:
    """Give all weights and biases that training starts from.

    Without `start` those of a layer are uniform within ±sqrt(6 / (inputs + outputs)); a number draws all of them within
    ± this number. Weights that were all 0 would never learn: units of a layer that are alike get the same deltas for
    ever. (Normal weights of variance 2 / inputs, often advised for relu, start higher and fall more slowly here, where
    inputs have spread 1: after 20 epochs of 20,000 × 20 rows, layers of 50 and 50, the log loss was .374 on average,
    against .311.)

    Examples
    --------
    >>> initial_weights(Layers((2, 1)), [([[1.0], [2.0]], [3.0])], seed=0)
    array([1., 2., 3.])
    >>> bool(abs(initial_weights(Layers((2, 2, 1)), 0.5, seed=0)).max() <= 0.5)
    True
    """
    if start is None or isinstance(start, int | float | np.number):
        return _drawn(layers, None if start is None else float(start), seed)
    return _given(layers, start)


def _drawn(layers: Layers, within: float | None, seed: int) -> NDArray[np.float64]:
    numbers = np.zeros(layers.n_numbers)
    weights, biases = layers.parts(numbers)
    for layer, (n, m) in enumerate(layers.shapes):
        bound = (6.0 / (n + m)) ** 0.5 if within is None else within
        drawn = (2.0 * uniform_numbers(seed, _PURPOSE, layer, (n + 1) * m) - 1.0) * bound
        biases[layer][:] = drawn[n * m :]
        if layers.twin(layer) is None:
            weights[layer][:] = drawn[: n * m].reshape(n, m)
    return numbers


def _given(layers: Layers, start: Sequence[tuple[Any, Any]]) -> NDArray[np.float64]:
    numbers = np.zeros(layers.n_numbers)
    weights, biases = layers.parts(numbers)
    wanted = ", ".join(f"({n} × {m}, {m})" for n, m in layers.shapes)
    try:
        if len(start) != len(layers.shapes):
            raise ValueError(len(start))
        for layer, (matrix, bias) in enumerate(start):
            _copy(weights[layer], matrix)
            _copy(biases[layer], bias)
    except (TypeError, ValueError):
        raise DataError(
            "initial_weights does not fit the network. Give one pair for each layer, its weights (inputs × outputs) "
            f"and its biases: {wanted}."
        ) from None
    if not np.isfinite(numbers).all():
        raise DataError("initial_weights holds a number that is not finite. Give finite numbers.")
    return numbers


def _copy(place: Array, given: Any) -> None:
    values = np.asarray(given, dtype=np.float64)
    if values.shape != place.shape:
        raise ValueError(values.shape)
    place[:] = values


def uniform_numbers(seed: int, purpose: int, number: int, count: int) -> NDArray[np.float64]:
    """Draw numbers between 0 and 1, both left out, as a function of the keys alone.

    Examples
    --------
    >>> a, b = uniform_numbers(1, 41, 0, 2)
    >>> bool(0 < a < 1 and a != b)
    True
    """
    words = _core.drawn_words(seed, purpose, number, count)
    return ((words >> np.uint64(12)).astype(np.float64) + 0.5) / 2.0**52


# The weights of a network in one array: all weights first, then all biases, each layer a view of it.


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

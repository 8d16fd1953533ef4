"""What a hidden unit makes of its sum, and how steep it is there: both in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError

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

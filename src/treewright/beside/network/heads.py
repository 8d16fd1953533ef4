"""The end of a network: what its outputs are and how far they are from the target. One class a pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from treewright.beside.network.activations import Activation, Array


class Head:
    """Outputs and loss. Sums come in; the loss goes out, and the sums become the deltas of the output units.

    A delta here is the slope of the loss by the unit's sum; the lectures' has the other sign, (t - o).
    """

    name: str

    def loss_and_delta(self, sums: Array, target: NDArray[Any], weights: Array | None) -> float:
        """Give the loss of the rows added up, each times its weight, and turn `sums` into deltas times the weights."""
        raise NotImplementedError

    def answer(self, sums: Array) -> Array:
        """Give what the outputs are, where their sums are these."""
        raise NotImplementedError


class SigmoidLogLoss(Head):
    """Sigmoid outputs, each the chance of a yes; loss -t ln o - (1-t) ln(1-o). The slopes cancel: delta = o - t.

    Examples
    --------
    >>> sums = np.array([[0.0], [2.0]])
    >>> round(SigmoidLogLoss().loss_and_delta(sums, np.array([[1.0], [1.0]]), None), 4)
    0.8201
    >>> sums.round(4).tolist()
    [[-0.5], [-0.1192]]
    """

    name = "sigmoid"

    def loss_and_delta(self, sums: Array, target: NDArray[Any], weights: Array | None) -> float:
        losses = np.logaddexp(0.0, sums)
        losses -= target * sums
        expit(sums, out=sums)
        sums -= target
        return _weighted(losses, sums, weights)

    def answer(self, sums: Array) -> Array:
        return np.asarray(expit(sums))


class SoftmaxLogLoss(Head):
    """One output a class that add up to 1; loss -ln of the one that is true; delta = o - t. Targets are class numbers.

    Examples
    --------
    >>> sums = np.array([[0.0, 0.0, 0.0]])
    >>> round(SoftmaxLogLoss().loss_and_delta(sums, np.array([2]), None), 4)
    1.0986
    >>> sums.round(4).tolist()
    [[0.3333, 0.3333, -0.6667]]
    """

    name = "softmax"

    def loss_and_delta(self, sums: Array, target: NDArray[Any], weights: Array | None) -> float:
        rows = np.arange(len(sums))
        sums -= sums.max(axis=1, keepdims=True)
        losses = -sums[rows, target]
        np.exp(sums, out=sums)
        totals = sums.sum(axis=1)
        losses += np.log(totals)
        sums /= totals[:, None]
        sums[rows, target] -= 1.0
        return _weighted(losses[:, None], sums, weights)

    def answer(self, sums: Array) -> Array:
        powers = np.exp(sums - sums.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))


class SquaredLoss(Head):
    """Any activation at the outputs; loss half the sum of (t - o)²; delta = (o - t) times the slope.

    A target of whole numbers names the output that should be 1 where the others should be 0.

    Examples
    --------
    >>> from treewright.beside.network.activations import activation
    >>> sums = np.array([[0.0, 2.0]])
    >>> SquaredLoss(activation("linear")).loss_and_delta(sums, np.array([[1.0, 1.0]]), None)
    1.0
    >>> sums.tolist()
    [[-1.0, 1.0]]
    """

    def __init__(self, output: Activation) -> None:
        self.output = output
        self.name = output.name

    def loss_and_delta(self, sums: Array, target: NDArray[Any], weights: Array | None) -> float:
        self.output.apply(sums)
        outputs = sums.copy()
        if target.dtype.kind == "i":
            sums[np.arange(len(sums)), target] -= 1.0
        else:
            sums -= target
        losses = 0.5 * np.einsum("ij,ij->i", sums, sums)
        self.output.times_slope(sums, outputs, np.empty_like(sums))
        return _weighted(losses[:, None], sums, weights)

    def answer(self, sums: Array) -> Array:
        if self.output.name == "sigmoid":
            return np.asarray(expit(sums))  # exact far out, too
        outputs = sums.copy()
        self.output.apply(outputs)
        return outputs


def _weighted(losses: Array, delta: Array, weights: Array | None) -> float:
    if weights is None:
        return float(losses.sum())
    delta *= weights[:, None]
    return float(weights @ losses.sum(axis=1))

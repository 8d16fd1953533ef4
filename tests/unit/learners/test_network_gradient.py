"""Back-propagation agrees with differences of the loss, for every activation and every output."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from treewright.learners.neural_network.inputs import Examples, Head, SigmoidLogLoss, SoftmaxLogLoss, SquaredLoss
from treewright.learners.neural_network.layers import Layers, activation
from treewright.learners.neural_network.propagation import Blueprint, Propagation, Sparsity
from treewright.learners.neural_network.training import whole_loss_and_gradient

HIDDEN = ["sigmoid", "tanh", "relu", "linear"]
HEADS: dict[str, Head] = {
    "sigmoid with log loss": SigmoidLogLoss(),
    "softmax with log loss": SoftmaxLogLoss(),
    **{f"{name} with squared loss": SquaredLoss(activation(name)) for name in HIDDEN},
}
N_ROWS, N_INPUTS, N_OUTPUTS = 5, 3, 2


def task(head: Head, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    target = rng.random((N_ROWS, N_OUTPUTS))
    if isinstance(head, SoftmaxLogLoss):
        target = rng.integers(0, N_OUTPUTS, N_ROWS)
    return rng.normal(size=(N_ROWS, N_INPUTS)), target, rng.random(N_ROWS) + 0.5


def largest_difference(network: Propagation, rows: Any, target: Any, weights: Any) -> float:
    """Central differences with a step of 1e-6 · (1 + |w|) against the gradient, relative to its length."""
    network.loss_and_gradient(rows, target, weights)
    told = network.gradient.copy()
    measured = np.empty_like(told)
    for place, value in enumerate(network.numbers.copy()):
        step = 1e-6 * (1 + abs(value))
        losses = []
        for changed in (value + step, value - step):
            network.numbers[place] = changed
            losses.append(network.loss_and_gradient(rows, target, weights))
        network.numbers[place] = value
        measured[place] = (losses[0] - losses[1]) / (2 * step)
    return float(np.abs(told - measured).max() / np.abs(measured).max())


@pytest.mark.parametrize(("hidden", "head"), list(itertools.product(HIDDEN, HEADS)))
@pytest.mark.parametrize("sizes", [(), (4,), (4, 3)], ids=["no hidden layer", "one", "two"])
def test_slopes_are_those_of_the_loss(hidden: str, head: str, sizes: tuple[int, ...]) -> None:
    layers = Layers((N_INPUTS, *sizes, N_OUTPUTS))
    blueprint = Blueprint(layers, activation(hidden), HEADS[head])
    for seed in range(3):
        numbers = np.random.default_rng(seed + 50).normal(size=layers.n_numbers)
        network = Propagation(blueprint, numbers, alpha=0.3)
        rows, target, weights = task(HEADS[head], seed)
        assert largest_difference(network, rows, target, weights) < 1e-6
        assert largest_difference(network, rows, target, None) < 1e-6


@pytest.mark.parametrize("head", ["linear with squared loss", "sigmoid with log loss"])
@pytest.mark.parametrize("sizes", [(3, 2, 3), (3, 4, 2, 4, 3)], ids=["one code layer", "deep"])
def test_slopes_of_tied_weights_and_of_sparse_codes_are_those_of_the_loss(head: str, sizes: tuple[int, ...]) -> None:
    layers = Layers(sizes, tied=True)
    middle = len(sizes) // 2 - 1
    sparse = Sparsity(middle, 0.1, 2.0)
    code = (middle, activation("sigmoid"))
    blueprint = Blueprint(layers, activation("tanh"), HEADS[head], code, sparse)
    rng = np.random.default_rng(7)
    network = Propagation(blueprint, rng.normal(size=layers.n_numbers), alpha=0.3)
    rows = rng.random((6, 3))
    assert largest_difference(network, rows, rows, rng.random(6) + 0.5) < 1e-6
    assert largest_difference(network, rows, rows, None) < 1e-6


def test_blocks_of_rows_add_up_to_all_of_them() -> None:
    rng = np.random.default_rng(0)
    layers = Layers((2, 3, 1))
    blueprint = Blueprint(layers, activation("tanh"), SquaredLoss(activation("linear")))
    network = Propagation(blueprint, rng.normal(size=layers.n_numbers), alpha=0.7)
    rows, target, weights = rng.normal(size=(2500, 2)), rng.normal(size=(2500, 1)), rng.random(2500)
    loss, slopes = whole_loss_and_gradient(network, Examples(rows, target, weights))
    assert loss == pytest.approx(network.loss_and_gradient(rows, target, weights), rel=1e-12)
    np.testing.assert_allclose(slopes, network.gradient, rtol=1e-10)


def test_a_tied_layer_is_its_twin_turned_over() -> None:
    layers = Layers((3, 2, 3), tied=True)
    weights, biases = layers.parts(np.arange(layers.n_numbers, dtype=float))
    assert layers.n_numbers == 6 + 2 + 3
    np.testing.assert_array_equal(weights[1], weights[0].T)
    assert [len(bias) for bias in biases] == [2, 3]

"""All rows at once, with steps that remember the last slopes: L-BFGS, for tables that are not large."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from treewright.beside.network.activations import Array
from treewright.beside.network.examples import Examples
from treewright.beside.network.propagation import BLOCK, Propagation
from treewright.beside.network.training import Course, Watch
from treewright.errors import DataError


def train_at_once(network: Propagation, examples: Examples, max_epochs: int, tol: float, watch: Watch) -> Course:
    """Train a network in place by L-BFGS; an epoch is an iteration, and `tol` the largest slope at the end."""
    course = Course()

    def loss_and_slopes(numbers: Array) -> tuple[float, Array]:
        network.numbers[:] = numbers
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return whole_loss_and_gradient(network, examples)

    def after_iteration(intermediate_result: object) -> None:
        course.losses.append(float(intermediate_result.fun))  # type: ignore[attr-defined]
        watch(len(course.losses), course.losses[-1])

    start = network.numbers.astype(np.float64)
    first = loss_and_slopes(start)[0]
    result = minimize(
        loss_and_slopes,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=after_iteration,
        options={"maxiter": max_epochs, "maxfun": 15_000, "gtol": tol, "ftol": 64 * np.finfo(np.float64).eps},
    )
    network.numbers[:] = result.x
    if not np.isfinite(result.fun) or not np.isfinite(network.numbers).all():
        raise DataError(
            "Training diverged: the loss is no number any more. Leave standardize on, or use solver='adam'."
        )
    course.losses = course.losses or [first]
    course.settled = bool(result.success)
    return course


def whole_loss_and_gradient(network: Propagation, examples: Examples) -> tuple[float, Array]:
    """Give the mean loss of all rows and its slopes, a block at a time; the price of weights is counted once."""
    alpha, network.alpha = network.alpha, 0.0
    try:
        loss, slopes = 0.0, np.zeros(len(network.numbers))
        for rows, target, weights in examples.batches(BLOCK, None):
            share = len(rows) / len(examples)
            loss += share * network.loss_and_gradient(rows, target, weights)
            slopes += share * network.gradient
    finally:
        network.alpha = alpha
    n_weights, price = network.blueprint.layers.n_weights, alpha / len(examples)
    weights_only = network.numbers[:n_weights]
    slopes[:n_weights] += price * weights_only
    return loss + 0.5 * price * float(weights_only @ weights_only), slopes

"""Epoch after epoch: batches, steps, the loss curve, stopping, and what happens when training runs away."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from treewright import _core
from treewright.errors import DataError
from treewright.learners.neural_network.inputs import (
    Examples,
    SigmoidLogLoss,
    SoftmaxLogLoss,
    epoch_order,
    masked,
)
from treewright.learners.neural_network.layers import Array
from treewright.learners.neural_network.propagation import BLOCK, Blueprint, Propagation

# How long the steps are, and when to stop: what happens to the learning rate after an epoch.


_SMALLEST = 1e-6  # of adaptive rates; below it training stops
_FALL = 5.0


@dataclass(frozen=True)
class Schedule:
    """A rule for the learning rate.

    Parameters
    ----------
    kind : {"constant", "cosine", "invscaling", "adaptive"}
        "constant": it stays; "cosine": half a wave from the start down to 0; "invscaling": the start ÷
        (rows seen + 1)^power; "adaptive": it is divided by 5 whenever the loss stops falling, until it is tiny.
    start : float
        The rate of the first epoch; with "cosine" half an epoch on the way down is gone by then.
    power : float
        The exponent of "invscaling".
    epochs : int
        How long the way down of "cosine" is.

    Examples
    --------
    >>> Schedule("invscaling", 1.0, 0.5).after_epoch(1.0, rows_seen=99)
    0.1
    >>> Schedule("adaptive", 1.0).when_stuck(1.0), Schedule("constant", 1.0).when_stuck(1.0)
    (0.2, None)
    >>> [Schedule("cosine", 1.0, epochs=3).of_epoch(epoch, 1.0) for epoch in range(3)]
    [0.933013, 0.5, 0.0669873]
    """

    kind: str
    start: float
    power: float = 0.5
    epochs: int = 1

    def of_epoch(self, epoch: int, rate: float) -> float:
        """The rate of an epoch, counted from 0, where it would be `rate` otherwise.

        Cosines of two libraries may differ in the last digit: six digits are the same everywhere.
        """
        if self.kind != "cosine":
            return rate
        gone = (epoch + 0.5) / self.epochs
        return float(f"{self.start * 0.5 * (1.0 + math.cos(math.pi * gone)):.6g}")

    def after_epoch(self, rate: float, rows_seen: int) -> float:
        """The rate of the next epoch."""
        return self.start / (rows_seen + 1) ** self.power if self.kind == "invscaling" else rate

    def when_stuck(self, rate: float) -> float | None:
        """The rate to go on with when the loss does not fall any more; None: stop."""
        return rate / _FALL if self.kind == "adaptive" and rate > _SMALLEST else None


# Steps downhill: from the gradient to new weights, in place. Momentum, Nesterov's momentum, Adam.


_TIDY = 64  # steps from one look for faded numbers to the next


def _forget_faded(memory: Array) -> None:
    """Numbers that fade step by step become 0 before they are denormal, which would slow every step down."""
    memory[np.abs(memory) < (1e-150 if memory.dtype == np.float64 else 1e-30)] = 0.0


class Descent:
    """Takes steps along the gradient; `rate` may be changed between them."""

    rate: float
    steps = 0  # so far

    def words(self) -> dict[str, Any]:
        """What the core has to know of these steps."""
        raise NotImplementedError

    def memory(self, numbers: Array) -> tuple[Array, Array]:
        """Two arrays that steps remember: of each number a velocity or a mean, and a mean square."""
        raise NotImplementedError

    def step(self, numbers: Array, gradient: Array) -> None:
        """Change the weights by one step. The gradient may be overwritten."""
        raise NotImplementedError


class Momentum(Descent):
    """v ← μ v + g, w ← w - η v; with Nesterov's look ahead w ← w - η (μ v + g). μ = 0 is plain gradient descent.

    Examples
    --------
    >>> weights, way = np.array([1.0]), Momentum(0.1, momentum=0.9, nesterov=False)
    >>> for _ in range(2):
    ...     way.step(weights, np.array([1.0]))
    >>> weights.round(4)
    array([0.71])
    """

    def __init__(self, rate: float, momentum: float, nesterov: bool) -> None:
        self.rate = rate
        self.momentum = momentum
        self.nesterov = nesterov
        self._velocity: Array | None = None

    def words(self) -> dict[str, Any]:
        unused = {"beta_1": 0.0, "beta_2": 0.0, "epsilon": 0.0}
        return {"way": "nesterov" if self.nesterov else "momentum", "momentum": self.momentum, **unused}

    def memory(self, numbers: Array) -> tuple[Array, Array]:
        if self._velocity is None:
            self._velocity = np.zeros_like(numbers)
        return self._velocity, np.zeros_like(numbers)

    def step(self, numbers: Array, gradient: Array) -> None:
        self.steps += 1
        velocity, _ = self.memory(numbers) if self._velocity is None else (self._velocity, None)
        velocity *= self.momentum
        velocity += gradient
        if self.steps % _TIDY == 0:
            _forget_faded(velocity)
        if self.nesterov:
            gradient += self.momentum * velocity
            gradient *= self.rate
        else:
            np.multiply(velocity, self.rate, out=gradient)
        numbers -= gradient


class Adam(Descent):
    """Steps as long as the mean gradient is against its own spread (D. P. Kingma and J. Ba, Adam, 2015).

    m ← β₁ m + (1-β₁) g, v ← β₂ v + (1-β₂) g², w ← w - η m̂ / (√v̂ + ε), where m̂ = m / (1-β₁ᵗ) and v̂ = v / (1-β₂ᵗ).

    Examples
    --------
    >>> weights, way = np.array([1.0]), Adam(0.1, 0.9, 0.999, 1e-8)
    >>> way.step(weights, np.array([5.0]))
    >>> weights.round(4)
    array([0.9])
    """

    def __init__(self, rate: float, beta_1: float, beta_2: float, epsilon: float) -> None:
        self.rate = rate
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self._moments: tuple[Array, Array] | None = None
        self._room = np.zeros(0)

    def words(self) -> dict[str, Any]:
        betas = {"beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}
        return {"way": "adam", "momentum": 0.0, **betas}

    def memory(self, numbers: Array) -> tuple[Array, Array]:
        if self._moments is None:
            self._moments = np.zeros_like(numbers), np.zeros_like(numbers)
        return self._moments

    def step(self, numbers: Array, gradient: Array) -> None:
        mean, square = self.memory(numbers)
        if len(self._room) != len(numbers):
            self._room = np.empty_like(numbers)
        room = self._room
        self.steps += 1
        np.multiply(gradient, 1 - self.beta_1, out=room)
        mean *= self.beta_1
        mean += room
        gradient *= gradient
        gradient *= 1 - self.beta_2
        square *= self.beta_2
        square += gradient
        if self.steps % _TIDY == 0:
            _forget_faded(mean)
            _forget_faded(square)
        # Both corrections in one number: √v̂ = √v / c, so m̂ / (√v̂ + ε) = c m̂ / (√v + c ε).
        correction = (1 - self.beta_2**self.steps) ** 0.5
        np.sqrt(square, out=room)
        room += self.epsilon * correction
        np.divide(mean, room, out=room)
        room *= self.rate * correction / (1 - self.beta_1**self.steps)
        numbers -= room


# All rows at once, with steps that remember the last slopes: L-BFGS, for tables that are not large.


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


# Training in the core: small networks and small batches, where BLAS would mostly wait for Python.


_SMALL = 15_000  # weights; larger networks gain from BLAS, unless batches are tiny
_FEW_ROWS = 4
_WORK = 300_000_000  # multiplications between two looks at the keyboard


def core_can_train(blueprint: Blueprint, batch_size: int) -> bool:
    """Whether the core has such a network, and is faster.

    Examples
    --------
    >>> from treewright.learners.neural_network.layers import activation
    >>> from treewright.learners.neural_network.layers import Layers
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


_RUNAWAY = 1e6  # a loss so many times that of the first batch will not come back
Watch = Callable[[int, float], None]


@dataclass(frozen=True)
class Rules:
    """How long to train, and on what at a time. `mask` is the share of inputs that are hidden (denoising)."""

    batch_size: int
    max_epochs: int
    tol: float
    patience: int
    shuffle: bool
    seed: int
    mask: float = 0.0
    first_epoch: int = 0  # above 0 where training goes on: the order of rows is drawn by the epoch


@dataclass
class Course:
    """What happened: the loss after each epoch, on held-out rows too where there are some, and why it ended."""

    losses: list[float] = field(default_factory=list)
    held_out_losses: list[float] = field(default_factory=list)
    settled: bool = False  # the loss stopped falling, rather than the epochs running out

    @property
    def best_epoch(self) -> int:
        """The epoch with the smallest loss, from 1; on held-out rows where there are some."""
        judged = [_rounded(loss) for loss in self.held_out_losses or self.losses]
        return int(np.argmin(judged)) + 1 if judged else 0


def _rounded(loss: float) -> float:
    """A loss without the digits that another processor may have otherwise: which epoch is best depends on none."""
    return float(f"{loss:.10g}")


def train(
    network: Propagation,
    examples: Examples,
    held_out: Examples | None,
    descent: Descent,
    schedule: Schedule,
    rules: Rules,
    watch: Watch,
) -> Course:
    """Train a network in place. With held-out rows it ends with the weights that judged best on them.

    Stops when the loss has not fallen by more than `tol` for `patience` epochs; `watch` is told epoch and loss.
    """
    course = Course()
    best, stuck = np.inf, 0
    best_numbers = network.numbers.copy()
    for epoch in range(rules.first_epoch, rules.first_epoch + rules.max_epochs):
        descent.rate = schedule.of_epoch(epoch - rules.first_epoch, descent.rate)
        loss = _epoch(network, examples, descent, rules, epoch)
        course.losses.append(loss)
        if held_out is not None:
            loss = network.loss(held_out.rows, held_out.target, held_out.weights)
            _refuse_runaway(network.numbers, loss, np.inf, epoch, descent)
            course.held_out_losses.append(loss)
            if _rounded(loss) < min(map(_rounded, course.held_out_losses[:-1]), default=np.inf):
                best_numbers[:] = network.numbers
        watch(len(course.losses), loss)
        descent.rate = schedule.after_epoch(descent.rate, (epoch + 1) * len(examples))
        stuck = 0 if loss < best - rules.tol else stuck + 1
        best = min(best, loss)
        if stuck < rules.patience:
            continue
        rate = schedule.when_stuck(descent.rate)
        if rate is None:
            course.settled = True
            break
        descent.rate, stuck = rate, 0
    if held_out is not None:
        network.numbers[:] = best_numbers
    return course


def _epoch(network: Propagation, examples: Examples, descent: Descent, rules: Rules, epoch: int) -> float:
    """Go through all rows once; give the mean of the losses that the batches had before their steps."""
    order = epoch_order(len(examples), rules.seed, epoch) if rules.shuffle else None
    if rules.mask == 0 and core_can_train(network.blueprint, rules.batch_size):
        total, first = train_in_core(network, examples, descent, order, rules.batch_size)
    else:
        total, first = _batches(network, examples, descent, rules, order, epoch)
    loss = total / len(examples)
    _refuse_runaway(network.numbers, loss, _RUNAWAY * max(1.0, first), epoch, descent)
    return loss


def _batches(
    network: Propagation,
    examples: Examples,
    descent: Descent,
    rules: Rules,
    order: NDArray[np.uint32] | None,
    epoch: int,
) -> tuple[float, float]:
    """Go through all rows once with BLAS; give the sum of their losses, and the mean loss of the first batch."""
    steps = -(-len(examples) // rules.batch_size) * epoch
    places = None if order is None else order.astype(np.intp)
    total, first = 0.0, 0.0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for batch, (rows, target, weights) in enumerate(examples.batches(rules.batch_size, places)):
            seen = masked(rows, rules.mask, rules.seed, steps + batch) if rules.mask else rows
            loss = network.loss_and_gradient(seen, target, weights)
            descent.step(network.numbers, network.gradient)
            first = first or loss
            total += loss * len(rows)
    return total, first


def _refuse_runaway(numbers: Array, loss: float, limit: float, epoch: int, descent: Descent) -> None:
    if not loss < limit or not np.isfinite(numbers).all():
        raise DataError(
            f"Training diverged in epoch {epoch + 1}: the steps are too long, and the loss grew to {loss:.3g}. "
            f"Lower learning_rate_init (the rate is {descent.rate:.3g}), or leave standardize on, and alpha, beta_2, "
            "epsilon and initial_weights as they are by default."
        )

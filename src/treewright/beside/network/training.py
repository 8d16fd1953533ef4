"""Epoch after epoch: batches, steps, the loss curve, stopping, and what happens when training runs away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from treewright.beside.network.activations import Array
from treewright.beside.network.core_training import core_can_train, train_in_core
from treewright.beside.network.descent import Descent
from treewright.beside.network.examples import Examples, epoch_order, masked
from treewright.beside.network.propagation import Propagation
from treewright.beside.network.schedule import Schedule
from treewright.errors import DataError

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
        judged = self.held_out_losses or self.losses
        return int(np.argmin(judged)) + 1 if judged else 0


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
        loss = _epoch(network, examples, descent, rules, epoch)
        course.losses.append(loss)
        if held_out is not None:
            loss = network.loss(held_out.rows, held_out.target, held_out.weights)
            _refuse_runaway(network.numbers, loss, np.inf, epoch, descent)
            course.held_out_losses.append(loss)
            if loss == min(course.held_out_losses):
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
            f"Lower learning_rate_init (the rate is {descent.rate:.3g}), or leave standardize on."
        )

"""What goes into a network and what comes out: scaled columns, examples, and the heads for classes and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from treewright import _core
from treewright.learners.base import links
from treewright.learners.base.design_matrix import Columns, Design, Floats, learn_design
from treewright.learners.base.learnt import LearntArray, reals, truths
from treewright.learners.base.scaling import learn_scaling, measured
from treewright.learners.neural_network.layers import Activation, Array, uniform_numbers
from treewright.table.schema import Schema

# From the columns of a table to the inputs of a network, and back: coded, filled, on one scale.


INPUT_ARRAYS: dict[str, LearntArray] = {
    "fill_": reals("terms"),
    "flagged_": truths("columns"),
    "center_": reals("terms"),
    "scale_": reals("terms", lowest=0.0),
}


CLIP, FARTHEST = 3.0, 1e8  # where numbers on one scale are drawn in to, and from where on they are there


def smooth_clip(numbers: Floats) -> Floats:
    """Give x / √(1 + (x/3)²): numbers near 0 as they are, those far out within ±3, in between smoothly.

    Beyond 1e8 it is 3, which it would be but for the last bit, and no square is too large. (D. Holzmüller,
    L. Grinsztajn and I. Steinwart, Better by Default: Strong Pre-Tuned MLPs and Boosted Trees on Tabular Data, 2024.)

    Examples
    --------
    >>> smooth_clip(np.array([0.1, 4.0, -1e300])).round(4)
    array([ 0.0999,  2.4   , -3.    ])
    """
    near = np.clip(numbers, -FARTHEST, FARTHEST)
    third = near / CLIP
    drawn_in = near / np.sqrt(1.0 + third * third)
    return np.asarray(np.where(near == numbers, drawn_in, np.copysign(CLIP, numbers)))


@dataclass(frozen=True)
class Inputs:
    """How rows of a table become inputs: the design matrix, each column less its centre, divided by its scale.

    Where they are clipped, columns of numbers are drawn in after that, those of levels and flags are not.
    """

    design: Design
    center: Floats
    scale: Floats
    dtype: np.dtype[Any]
    is_clipped: bool = False

    def __post_init__(self) -> None:
        """Check that the parts belong together, so that a damaged file is found."""
        shape = (len(self.design.names),)
        if self.center.shape != shape or self.scale.shape != shape:
            raise ValueError("its scales do not fit its columns")
        if not np.isfinite(self.center).all() or not np.isfinite(self.scale).all() or not (self.scale > 0).all():
            raise ValueError("its scales are no numbers to divide by")

    def rows(self, columns: Columns) -> Array:
        """Give the inputs of each row."""
        matrix = self.design.matrix(columns)
        if self.center.any() or (self.scale != 1).any():
            with np.errstate(over="ignore" if self.is_clipped else "warn"):  # what is too far out is drawn in
                matrix = (matrix - self.center) / self.scale
        if self.is_clipped:
            matrix = np.where(self.clipped, smooth_clip(matrix), matrix)
        return np.ascontiguousarray(matrix, dtype=self.dtype)

    @cached_property
    def clipped(self) -> NDArray[np.bool_]:
        """Which inputs are drawn in."""
        return measured(self.design) & self.is_clipped

    def back(self, rows: Array) -> Floats:
        """Give the rows of the design matrix that have such inputs."""
        return np.asarray(rows * self.scale + self.center, dtype=np.float64)

    def fitted(self) -> dict[str, Any]:
        """What is kept in a model file."""
        return {
            **({"clip_": CLIP} if self.is_clipped else {}),
            "fill_": self.design.fill,
            "flagged_": self.design.flagged,
            "center_": self.center,
            "scale_": self.scale,
        }


def learn_inputs(
    columns: Columns,
    weights: Floats | None,
    contrasts: str,
    missing: str,
    scaling: str,
    precision: str,
) -> Inputs:
    """Learn how the rows of a table become inputs."""
    design = learn_design(columns, weights, contrasts, missing)
    center, scale = np.zeros(len(design.names)), np.ones(len(design.names))
    if scaling != "none":
        center, scale = learn_scaling(design, design.matrix(columns), weights, scaling)
    return Inputs(design, center, scale, dtype_of(precision), scaling == "robust")


def restored_inputs(schema: Schema, contrasts: str, fitted: dict[str, Any], precision: str) -> Inputs:
    """The inputs of a model, out of what was learnt; ValueError if its parts do not fit."""
    design = Design(schema, contrasts, fitted["flagged_"], fitted["fill_"])
    return Inputs(design, fitted["center_"], fitted["scale_"], dtype_of(precision), "clip_" in fitted)


def dtype_of(precision: str) -> np.dtype[Any]:
    """The type of the numbers that a network computes with.

    Examples
    --------
    >>> dtype_of("single")
    dtype('float32')
    """
    return np.dtype(np.float32 if precision == "single" else np.float64)


# Rows to learn from, and the order in which an epoch takes them.


_MASK, _HELD_OUT = 43, 44  # of the random words
Batch = tuple[Array, NDArray[Any], Array | None]


@dataclass(frozen=True)
class Examples:
    """Inputs, targets and weights (None: all 1; otherwise their mean is 1) of the rows.

    Examples
    --------
    >>> examples = Examples(np.eye(3), np.arange(3), None)
    >>> [target.tolist() for _, target, _ in examples.batches(2, None)]
    [[0, 1], [2]]
    >>> order = epoch_order(3, seed=0, epoch=0)
    >>> sorted(order.tolist())
    [0, 1, 2]
    """

    rows: Array
    target: NDArray[Any]
    weights: Array | None

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, chosen: NDArray[np.intp]) -> Examples:
        """Some of the rows; their weights get the mean 1 again."""
        weights = None if self.weights is None else self.weights[chosen]
        if weights is not None:
            weights = weights / weights.mean()
        return Examples(self.rows[chosen], self.target[chosen], weights)

    def batches(self, size: int, order: NDArray[np.intp] | None) -> Iterator[Batch]:
        """Go through the rows in this order (None: as they are). The inputs of a batch are overwritten by the next."""
        weights = self.weights
        if order is None:
            for start in range(0, len(self), size):
                part = slice(start, start + size)
                yield self.rows[part], self.target[part], None if weights is None else weights[part]
            return
        room = np.empty((min(size, len(self)), self.rows.shape[1]), dtype=self.rows.dtype)
        for start in range(0, len(self), size):
            chosen = order[start : start + size]
            rows = room[: len(chosen)]
            np.take(self.rows, chosen, axis=0, out=rows, mode="clip")  # without "clip" numpy copies once more
            yield rows, self.target[chosen], None if weights is None else weights[chosen]


def epoch_order(n_rows: int, seed: int, epoch: int) -> NDArray[np.uint32]:
    """Give the order of the rows in an epoch: a function of seed and epoch alone."""
    return _core.shuffled(n_rows, seed, epoch)


def masked(rows: Array, share: float, seed: int, step: int) -> Array:
    """Give the rows with a share of their numbers set to 0, drawn anew for every step.

    Examples
    --------
    >>> bool(masked(np.ones((1, 8)), 0.5, seed=1, step=0).sum() < 8)
    True
    """
    kept = uniform_numbers(seed, _MASK, step, rows.size).reshape(rows.shape) >= share
    return np.asarray(rows * kept)


def hold_out(groups: NDArray[Any], share: float, seed: int, turn: int = 0) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Part the rows into those to learn from and those to judge by; every group keeps a row to learn from.

    Each turn takes the rows that come after those of the turn before, and begins anew at the end.

    Examples
    --------
    >>> learn, judge = hold_out(np.array([0, 0, 0, 0, 1, 1]), 0.5, seed=0)
    >>> len(learn), len(judge)
    (3, 3)
    """
    words = _core.drawn_words(seed, _HELD_OUT, 0, len(groups))
    judging = np.zeros(len(groups), dtype=bool)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        count = min(len(members) - 1, round(share * len(members)))
        taken = (turn * count + np.arange(count)) % len(members)
        judging[members[np.argsort(words[members])[taken]]] = True
    return np.flatnonzero(~judging), np.flatnonzero(judging)


# The end of a network: what its outputs are and how far they are from the target. One class a pair.


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
        return links.expit(sums)


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
        return links.softmax(sums)


class SquaredLoss(Head):
    """Any activation at the outputs; loss half the sum of (t - o)²; delta = (o - t) times the slope.

    A target of whole numbers names the output that should be 1 where the others should be 0.

    Examples
    --------
    >>> from treewright.learners.neural_network.layers import activation
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
            return links.expit(sums)  # exact far out, too
        outputs = sums.copy()
        self.output.apply(outputs)
        return outputs


def _weighted(losses: Array, delta: Array, weights: Array | None) -> float:
    if weights is None:
        return float(losses.sum())
    delta *= weights[:, None]
    return float(weights @ losses.sum(axis=1))

"""The slopes of every loss are the differences of its values, and the starts are where it is smallest."""

from __future__ import annotations

import math

import pytest

from oracle.boosting_losses import LOSSES, RowLoss, huber, pinball, softmax_cost, softmax_slopes, start

ALL: dict[str, RowLoss] = {**LOSSES, "quantile": pinball(0.3), "huber": huber(1.5)}
STEP = 1e-5


@pytest.mark.parametrize("name", sorted(ALL))
@pytest.mark.parametrize("f", [-2.0, -0.3, 0.45, 1.7])
@pytest.mark.parametrize("y", [0.0, 1.0, 4.0])
def test_the_gradient_is_the_slope_of_the_loss(name: str, y: float, f: float) -> None:
    loss = ALL[name]
    if name == "log_loss" and y > 1:
        y = 1.0
    slope = (loss.cost(y, f + STEP) - loss.cost(y, f - STEP)) / (2 * STEP)
    assert loss.gradient(y, f) == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("name", ["log_loss", "squared_error", "poisson", "gamma"])
@pytest.mark.parametrize("f", [-2.0, -0.3, 0.45, 1.7])
def test_the_hessian_is_the_slope_of_the_gradient(name: str, f: float) -> None:
    loss, y = ALL[name], 1.0
    slope = (loss.gradient(y, f + STEP) - loss.gradient(y, f - STEP)) / (2 * STEP)
    assert loss.hessian(y, f) == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("label", [0, 1, 2])
def test_the_slopes_of_many_classes_are_the_differences_of_their_loss(label: int) -> None:
    scores = [0.3, -1.2, 0.8]
    gradient, hessian = softmax_slopes(label, scores)
    for k in range(3):
        up, down = list(scores), list(scores)
        up[k], down[k] = scores[k] + STEP, scores[k] - STEP
        slope = (softmax_cost(label, up) - softmax_cost(label, down)) / (2 * STEP)
        assert gradient[k] == pytest.approx(slope, abs=1e-6)
        bend = (softmax_slopes(label, up)[0][k] - softmax_slopes(label, down)[0][k]) / (2 * STEP)
        assert hessian[k] == pytest.approx(3 / 2 * bend, abs=1e-6)


@pytest.mark.parametrize("name", ["log_loss", "squared_error", "absolute_error", "quantile", "poisson", "gamma"])
def test_no_other_constant_is_better_than_the_start(name: str) -> None:
    y = [1.0, 0.0, 1.0, 1.0, 0.0] if name == "log_loss" else [1.0, 2.0, 2.5, 7.0, 3.0]
    weights = [1, 2, 1, 3, 1]
    (first,) = start(name, y, weights, 2 if name == "log_loss" else 0, 0.3)

    def total(f: float) -> float:
        return sum(w * ALL[name].cost(t, f) for t, w in zip(y, weights, strict=True))

    assert all(total(first) <= total(first + change) + 1e-12 for change in (-0.5, -0.01, 0.01, 0.5))
    assert math.isfinite(first)

"""Steps downhill: from the gradient to new weights, in place. Momentum, Nesterov's momentum, Adam."""

from __future__ import annotations

import numpy as np

from treewright.beside.network.activations import Array


class Descent:
    """Takes steps along the gradient; `rate` may be changed between them."""

    rate: float

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

    def step(self, numbers: Array, gradient: Array) -> None:
        if self.momentum == 0:
            gradient *= self.rate
            numbers -= gradient
            return
        if self._velocity is None:
            self._velocity = np.zeros_like(numbers)
        self._velocity *= self.momentum
        self._velocity += gradient
        if self.nesterov:
            gradient += self.momentum * self._velocity
            gradient *= self.rate
        else:
            np.multiply(self._velocity, self.rate, out=gradient)
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
        self._steps = 0
        self._moments: tuple[Array, Array, Array] | None = None

    def step(self, numbers: Array, gradient: Array) -> None:
        if self._moments is None:
            self._moments = np.zeros_like(numbers), np.zeros_like(numbers), np.empty_like(numbers)
        mean, square, room = self._moments
        self._steps += 1
        np.multiply(gradient, 1 - self.beta_1, out=room)
        mean *= self.beta_1
        mean += room
        gradient *= gradient
        gradient *= 1 - self.beta_2
        square *= self.beta_2
        square += gradient
        # Both corrections in one number: √v̂ = √v / c, so m̂ / (√v̂ + ε) = c m̂ / (√v + c ε).
        correction = (1 - self.beta_2**self._steps) ** 0.5
        np.sqrt(square, out=room)
        room += self.epsilon * correction
        np.divide(mean, room, out=room)
        room *= self.rate * correction / (1 - self.beta_1**self._steps)
        numbers -= room

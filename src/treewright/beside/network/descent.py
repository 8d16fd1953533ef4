"""Steps downhill: from the gradient to new weights, in place. Momentum, Nesterov's momentum, Adam."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.beside.network.activations import Array

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

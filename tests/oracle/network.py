"""Back-propagation in plain loops, as the lectures write it: one example, one unit, one weight at a time.

`weights[l][i][j]` leads from unit i of layer l to unit j of layer l + 1, `biases[l][j]` is what unit j always gets.
A delta has the lectures' sign: it says which way a unit should go, so that weights rise by rate · delta · input.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Matrix = list[list[float]]


@dataclass
class Network:
    """Weights and biases, the activation of the hidden units, and what stands at the outputs.

    `output` is an activation, or "softmax"; `loss` is "squared" or "log".
    """

    weights: list[Matrix]
    biases: list[list[float]]
    hidden: str
    output: str
    loss: str


def apply(name: str, z: float) -> float:
    if name == "sigmoid":
        return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))
    if name == "tanh":
        return math.tanh(z)
    if name == "relu":
        return max(z, 0.0)
    assert name == "linear"
    return z


def slope(name: str, o: float) -> float:
    """The slope of an activation where its output is o."""
    return {"sigmoid": o * (1 - o), "tanh": 1 - o * o, "relu": 1.0 if o > 0 else 0.0, "linear": 1.0}[name]


def forward(network: Network, inputs: list[float]) -> list[list[float]]:
    """The outputs of every layer, the inputs first."""
    outputs = [list(inputs)]
    for layer, (weights, biases) in enumerate(zip(network.weights, network.biases, strict=True)):
        sums = [
            sum(outputs[-1][i] * weights[i][j] for i in range(len(weights))) + biases[j] for j in range(len(biases))
        ]
        if layer < len(network.weights) - 1:
            outputs.append([apply(network.hidden, z) for z in sums])
        elif network.output == "softmax":
            powers = [math.exp(z - max(sums)) for z in sums]
            outputs.append([power / sum(powers) for power in powers])
        else:
            outputs.append([apply(network.output, z) for z in sums])
    return outputs


def loss_of(network: Network, outputs: list[float], target: list[float]) -> float:
    pairs = list(zip(outputs, target, strict=True))
    if network.loss == "squared":
        return sum((t - o) ** 2 for o, t in pairs) / 2
    if network.output == "softmax":
        return -sum(t * math.log(o) for o, t in pairs if t)
    return -sum(t * math.log(o) + (1 - t) * math.log(1 - o) for o, t in pairs)


def deltas_of(network: Network, outputs: list[list[float]], target: list[float]) -> list[list[float]]:
    """The deltas of every layer after the inputs."""
    last = [t - o for o, t in zip(outputs[-1], target, strict=True)]
    if network.loss == "squared":
        last = [d * slope(network.output, o) for d, o in zip(last, outputs[-1], strict=True)]
    deltas = [last]
    for layer in range(len(network.weights) - 1, 0, -1):
        weights = network.weights[layer]
        deltas.insert(
            0,
            [
                slope(network.hidden, o) * sum(weights[h][k] * deltas[0][k] for k in range(len(deltas[0])))
                for h, o in enumerate(outputs[layer])
            ],
        )
    return deltas


def flat(network: Network) -> list[float]:
    """All weights, then all biases, layer after layer."""
    numbers = [w for matrix in network.weights for row in matrix for w in row]
    return numbers + [b for biases in network.biases for b in biases]


def unflat(network: Network, numbers: list[float]) -> None:
    """Put the numbers back where `flat` took them from."""
    rest = iter(numbers)
    for matrix in network.weights:
        for row in matrix:
            row[:] = [next(rest) for _ in row]
    for biases in network.biases:
        biases[:] = [next(rest) for _ in biases]


def rise(network: Network, inputs: list[float], target: list[float]) -> list[float]:
    """By how much each number should rise for one example: delta · input, in the order of `flat`."""
    outputs = forward(network, inputs)
    deltas = deltas_of(network, outputs, target)
    by_weight = [
        deltas[layer][j] * outputs[layer][i]
        for layer, matrix in enumerate(network.weights)
        for i in range(len(matrix))
        for j in range(len(matrix[i]))
    ]
    return by_weight + [d for layer in deltas for d in layer]


def batch_slopes(
    network: Network, rows: Matrix, targets: Matrix, row_weights: list[float], alpha: float
) -> tuple[float, list[float]]:
    """The mean loss of a batch with the price of its weights, and the slope by every number."""
    n = len(rows)
    n_weights = sum(len(matrix) * len(matrix[0]) for matrix in network.weights)
    numbers = flat(network)
    loss = alpha / 2 / n * sum(w * w for w in numbers[:n_weights])
    slopes = [alpha / n * w if place < n_weights else 0.0 for place, w in enumerate(numbers)]
    for row, target, weight in zip(rows, targets, row_weights, strict=True):
        loss += weight / n * loss_of(network, forward(network, row)[-1], target)
        slopes = [s - weight / n * r for s, r in zip(slopes, rise(network, row, target), strict=True)]
    return loss, slopes


@dataclass
class Way:
    """How steps are taken: "momentum" (0 is plain descent), "nesterov" or "adam"."""

    kind: str
    rate: float
    momentum: float = 0.0
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8


def train(
    network: Network,
    rows: Matrix,
    targets: Matrix,
    row_weights: list[float],
    batches: list[list[int]],
    way: Way,
    alpha: float,
) -> float:
    """Take one step a batch; give the mean loss that the rows had before the steps of their batches."""
    numbers = flat(network)
    first, second = [0.0] * len(numbers), [0.0] * len(numbers)
    total, mean_weight = 0.0, sum(row_weights) / len(row_weights)
    for step, batch in enumerate(batches, start=1):
        chosen = [rows[i] for i in batch], [targets[i] for i in batch], [row_weights[i] / mean_weight for i in batch]
        loss, slopes = batch_slopes(network, *chosen, alpha)
        total += loss * len(batch)
        for place, g in enumerate(slopes):
            if way.kind == "adam":
                first[place] = way.beta_1 * first[place] + (1 - way.beta_1) * g
                second[place] = way.beta_2 * second[place] + (1 - way.beta_2) * g * g
                m, v = first[place] / (1 - way.beta_1**step), second[place] / (1 - way.beta_2**step)
                numbers[place] -= way.rate * m / (math.sqrt(v) + way.epsilon)
            else:
                first[place] = way.momentum * first[place] + g
                ahead = way.momentum * first[place] + g if way.kind == "nesterov" else first[place]
                numbers[place] -= way.rate * ahead
        unflat(network, numbers)
    return total / sum(len(batch) for batch in batches)

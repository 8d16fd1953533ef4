"""The curse of dimensionality, drawn: `python curse_of_dimensionality.py [PICTURE.png]` makes the picture."""

from __future__ import annotations

import sys

import matplotlib
import numpy as np

import treewright as tw

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DIMENSIONS = (1, 2, 3, 5, 10, 20, 50, 100)
NOISE = (0, 2, 5, 10, 20, 50, 100)


def nearest_share(columns: int, rows: int = 500) -> float:
    """How near the nearest row is, beside the mean distance; 0 is here, 1 as far as any."""
    X = np.random.default_rng(0).random((rows, columns))
    far = tw.KNeighborsRegressor(rows - 1, metric="euclidean").fit(X, np.zeros(rows)).kneighbors()[0]
    return float(far[:, 0].mean() / far.mean())


def accuracy(kind: type, noise: int, **settings: object) -> float:
    """On rows not seen, when columns of noise stand beside two that tell the class."""
    rng = np.random.default_rng(1)
    X = rng.random((600, 2))
    y = (X.sum(axis=1) > 1).astype(int)
    wide = np.hstack([X, rng.random((600, noise))])
    return float(kind(**settings).fit(wide[:300], y[:300]).score(wide[300:], y[300:]))


def main() -> None:
    """Print the numbers and draw them."""
    shares = [nearest_share(d) for d in DIMENSIONS]
    edges = [0.01 ** (1 / d) for d in DIMENSIONS]
    learners = {
        "5 neighbours": (tw.KNeighborsClassifier, {}),
        "a pruned tree": (tw.DecisionTreeClassifier, {"prune": "cost_complexity_cv", "random_state": 0}),
    }
    found = {name: [accuracy(kind, n, **more) for n in NOISE] for name, (kind, more) in learners.items()}
    for place, noise in enumerate(NOISE):
        told = ", ".join(f"{name} {scores[place]:.2f}" for name, scores in found.items())
        print(f"{noise:3d} columns of noise: accuracy of {told}")
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    left.plot(DIMENSIONS, shares, "o-", label="nearest row / mean distance")
    left.plot(DIMENSIONS, edges, "s--", label="edge of a cube with 1 % of the rows")
    left.set(xscale="log", xlabel="columns", ylim=(0, 1.02), title="Nothing is near")
    for (name, scores), style in zip(found.items(), ("o-", "s--"), strict=True):
        right.plot(NOISE, scores, style, label=name)
    right.set(xlabel="columns of noise beside two that count", ylabel="accuracy", ylim=(0.5, 1), title="What it costs")
    for axis in (left, right):
        axis.legend()
        axis.grid(alpha=0.3)
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "curse_of_dimensionality.png", dpi=90)


if __name__ == "__main__":
    main()

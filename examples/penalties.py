"""Draw why a penalty sets coefficients to 0: what it allows for different powers q, and the best point of it.

python examples/penalties.py docs/pictures/penalties.png
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.figure import Figure

import treewright as tw

POWERS = (0.5, 1.0, 2.0, 4.0)


def main(path: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2)) @ np.array([[1.0, 0.45], [0.0, 0.9]])
    y = X @ [0.55, 1.4] + rng.normal(size=400)
    free = tw.LinearRegression().fit(X, y).coef_
    figure = Figure(figsize=(12, 3.3), layout="constrained")
    for ax, q in zip(figure.subplots(1, len(POWERS), sharex=True, sharey=True), POWERS, strict=True):
        model = tw.RegularizedRegression(q=q, alpha=0.8, standardize=False).fit(X, y)
        first, second = np.meshgrid(np.linspace(-1.2, 1.7, 300), np.linspace(-1.2, 1.9, 300))
        both = np.stack([first, second], axis=-1)
        centred, target = X - X.mean(axis=0), y - y.mean()
        error = np.mean((target[:, None] - centred @ both.reshape(-1, 2).T) ** 2, axis=0).reshape(first.shape)
        reached = np.mean((target - centred @ model.coef_) ** 2)
        price = (np.abs(both) ** q).sum(axis=-1)
        ax.contourf(first, second, price, levels=[0, (np.abs(model.coef_) ** q).sum()], colors=["#cfe3f5"])
        ax.contour(first, second, error, levels=sorted({1.1, 1.4, reached}), colors="#888888", linewidths=0.8)
        ax.plot(*free, "k+")
        ax.plot(*model.coef_, "o", color="#c0392b")
        ax.axhline(0, color="black", linewidth=0.5)
        ax.axvline(0, color="black", linewidth=0.5)
        ax.set_title(f"q = {q:g}:  ({model.coef_[0]:.2f}, {model.coef_[1]:.2f})")
        ax.set_xlabel("first coefficient")
        ax.set_aspect("equal")
    figure.axes[0].set_ylabel("second coefficient")
    figure.savefig(path, dpi=80)


if __name__ == "__main__":
    main(sys.argv[1])

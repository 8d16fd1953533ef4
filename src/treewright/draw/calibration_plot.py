"""`tw.plot_calibration`: does it rain on 70 % of the days with a chance of 70 %?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.draw.class_scores import ClassScores, class_scores
from treewright.draw.style import GREY, looks, new_figure, save_figure, treewright_style
from treewright.evaluate.intervals import wilson_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_calibration(
    models: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    positive: Any = None,
    groups: int = 10,
    ax: Axes | None = None,
) -> Figure:
    """Draw the true share of a class over the probability that was given, in groups of equal size.

    Parameters
    ----------
    models : fitted classifier, list of them, or dict of them by name
    X, y : table and column
        Rows whose class is known; take rows that the models were not trained on.
    path : str, optional
        Where to save the figure (.png, .svg or .pdf).
    positive : class, optional
        The class that is looked for. Of two classes it is the last by default; of more each is drawn.
    groups : int, default 10
        How many groups at most. Rows with the same probability stay together, so a small tree has fewer.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_depth=3).fit(X[::2], y[::2])
    >>> tw.plot_calibration(model, X[1::2], y[1::2]).axes[0].get_xlabel()
    'probability given'
    """
    lines, positive_name = class_scores(models, X, y, positive, "tw.plot_calibration")
    with treewright_style():
        figure, ax = new_figure(4.8, 4.6, ax)
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.9, linestyle=(0, (4, 3)))
        for line, (colour, marker) in zip(lines, looks(len(lines)), strict=True):
            given, true, low, high = calibration_groups(line, groups)
            ax.vlines(given, low, high, color=colour, linewidth=1, alpha=0.5)
            ax.plot(given, true, color=colour, marker=marker, markersize=5, linewidth=1.3, label=line.label)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        ax.set(xlabel="probability given", ylabel="true share, with its 95 % range")
        ax.set_title(f"Calibration of '{positive_name}'" if positive_name else "Calibration of each class")
        if len(lines) > 1:
            ax.legend(loc="upper left", fontsize=8.5)
        if path is not None:
            save_figure(figure, path)
    return figure


def calibration_groups(line: ClassScores, groups: int) -> NDArray[np.float64]:
    """Give, for each group, the mean probability, the true share and its range: four rows of numbers.

    >>> line = ClassScores("a", np.array([True, False, True, True]), np.array([0.5, 0.5, 0.9, 0.9]))
    >>> calibration_groups(line, 10)[:2].tolist()
    [[0.5, 0.9], [0.5, 1.0]]
    """
    order = np.argsort(line.scores, kind="stable")
    scores, hits = line.scores[order], line.is_class[order]
    wanted = np.arange(1, groups) * len(order) // groups
    cuts = np.unique(np.searchsorted(scores, scores[wanted], side="left"))  # rows of the same score stay together
    kept: list[int] = []
    for cut in cuts.tolist():  # a group of a few rows says nothing: it goes with the next
        if min(cut - (kept[-1] if kept else 0), len(order) - cut) >= len(order) / (2 * groups):
            kept.append(cut)
    table = []
    for part in np.split(np.arange(len(order)), kept):
        right, n = int(hits[part].sum()), len(part)
        table.append((float(scores[part].mean()), right / n, *wilson_interval(right, n)))
    return np.array(table).T

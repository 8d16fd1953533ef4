"""The picture of learning curves: training rows from left to right, the score upwards, a colour a learner."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from treewright.draw.style import looks, new_figure, save_figure, treewright_style
from treewright.evaluate.measures import find_measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from treewright.compare.curve import LearningCurve

_FEW_POINTS = 30  # more than this and markers would hide the line
_LONG_WAY = 30  # sizes that grow by more than this factor, in steps, are drawn by their logarithm


def plot_curve(curve: LearningCurve, path: str | os.PathLike[str] | None, ax: Axes | None) -> Figure:
    """Draw each learner's mean as a line and one standard error on either side as a band."""
    scale = 100.0 if curve.scoring == "accuracy" else 1.0
    few = len(curve.sizes) <= _FEW_POINTS
    with treewright_style():
        figure, ax = new_figure(7.0, 4.2, ax)
        for learner, (colour, marker) in zip(curve.learners, looks(len(curve.learners)), strict=True):
            mean, error = learner.means() * scale, learner.errors() * scale
            ax.fill_between(curve.sizes, mean - error, mean + error, color=colour, alpha=0.18, linewidth=0)
            ax.plot(
                curve.sizes, mean, color=colour, linewidth=1.6, label=learner.name,
                marker=marker if few else None, markersize=4.5,
            )  # fmt: skip
        _label(ax, curve)
        if path is not None:
            save_figure(figure, path)
    return figure


def _label(ax: Axes, curve: LearningCurve) -> None:
    if len(curve.sizes) <= _FEW_POINTS and curve.sizes[-1] > _LONG_WAY * curve.sizes[0]:
        ax.set_xscale("log")
        ax.set_xticks(curve.sizes, [f"{size:,}" for size in curve.sizes])
        ax.tick_params(axis="x", which="minor", bottom=False)
    measure = find_measure(curve.scoring, curve.task)
    ax.set_xlabel("training rows")
    ax.set_ylabel("per cent correct" if curve.scoring == "accuracy" else measure.title)
    on = "the rest" if curve.test == "rest" else f"{curve.tested[0]:,} rows held out"
    ax.set_title(f"Learning curve: mean of {curve.trials} trials on {on}, give or take a standard error")
    if len(curve.learners) > 1:
        ax.legend(loc="lower right" if measure.larger_is_better else "upper right", ncols=1 + len(curve.learners) // 8)
    else:
        ax.set_title(f"Learning curve of {curve.learners[0].name}: mean of {curve.trials} trials on {on}")

"""The picture of a comparison: learners from top to bottom, scores from left to right."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from treewright.compare.contestants import BASELINE
from treewright.draw.style import GREY, PALETTE, new_figure, save_figure, treewright_style
from treewright.errors import DataError
from treewright.largest_first import rounded_to

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from treewright.compare.comparison import Comparison, LearnerScores
    from treewright.evaluate.measures import Measure


def plot_comparison(
    result: Comparison, path: str | os.PathLike[str] | None, measure: Measure, ax: Axes | None
) -> Figure:
    """Draw each fold as a small point, the mean as a large one and its 95 % range as a line."""
    sign = -1 if measure.larger_is_better else 1
    known = [one for one in result.learners if one.mean(measure.name) == one.mean(measure.name)]
    if not known:
        raise DataError(f"No learner has the measure '{measure.name}', so there is nothing to draw.")
    shown = sorted(known, key=lambda one: rounded_to(sign * one.mean(measure.name)))
    with treewright_style():
        figure, ax = new_figure(7.0, 1.15 + 0.32 * len(shown), ax)
        _draw_baseline(ax, shown, measure)
        for place, learner in enumerate(shown):
            _draw_learner(ax, result, learner, measure, place)
        _label(ax, result, shown, measure)
        if path is not None:
            save_figure(figure, path)
    return figure


def _draw_learner(ax: Axes, result: Comparison, learner: LearnerScores, measure: Measure, place: int) -> None:
    colour = GREY if learner.name == BASELINE else PALETTE[1] if place == 0 else PALETTE[0]
    scores = np.asarray(learner.scores[measure.name])
    # Folds with the same score would hide each other: they are moved apart a little, each fold in the same way.
    heights = place + np.linspace(-0.22, 0.22, len(scores))
    ax.scatter(scores, heights, s=9, color=colour, alpha=0.35, linewidths=0)
    low, high = result.interval(learner.name, measure.name)
    ax.plot([low, high], [place, place], color=colour, linewidth=2, solid_capstyle="round")
    ax.plot([learner.mean(measure.name)], [place], "o", color=colour, markersize=7, markeredgecolor="white")


def _draw_baseline(ax: Axes, shown: list[LearnerScores], measure: Measure) -> None:
    for learner in shown:
        if learner.name == BASELINE:
            ax.axvline(learner.mean(measure.name), color=GREY, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0.5)


def _label(ax: Axes, result: Comparison, shown: list[LearnerScores], measure: Measure) -> None:
    ax.set_yticks(range(len(shown)), [learner.name for learner in shown])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    better = "" if measure.larger_is_better else " (smaller is better)"
    ax.set_xlabel(f"{measure.title}{better}: mean, its 95 % range, and each of {result.n_folds} folds")
    title = f"{len(shown)} learners on {result.n_rows:,} rows, {result.folds}"
    failed = [learner.name for learner in result.learners if not learner.scores]
    ax.set_title(title + (f"; failed: {', '.join(failed)}" if failed else ""))

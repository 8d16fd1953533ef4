"""The picture of an importance: columns from top to bottom, their importance from left to right."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from treewright.draw.style import PALETTE, new_figure, save_figure, treewright_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from treewright.effects.column_importance import Importance


def plot_importance(result: Importance, path: str | os.PathLike[str] | None, most: int, ax: Axes | None) -> Figure:
    """Draw a bar for each of the most important columns, with a line for its spread."""
    shown = result.order[:most]
    with treewright_style():
        figure, ax = new_figure(6.5, 1.1 + 0.3 * len(shown), ax)
        spread = None if result.std is None else result.std[shown]
        places = range(len(shown))
        ax.barh(places, result.mean[shown], height=0.62, color=PALETTE[0], alpha=0.85)
        if spread is not None:
            ax.errorbar(result.mean[shown], places, xerr=spread, fmt="none", ecolor="black", elinewidth=1)
        ax.set_yticks(places, [_short(result.columns[j]) for j in shown])
        ax.set_ylim(len(shown) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False, axis="y")
        ax.set_xlabel(result.unit)
        left = len(result.columns) - len(shown)
        ax.set_title(f"Importance by {result.kind}" + (f", the {most} largest of {most + left}" if left > 0 else ""))
        if path is not None:
            save_figure(figure, path)
    return figure


def _short(name: str) -> str:
    """At most 32 letters of a name, written as it is: a dollar sign starts no formula.

    >>> _short("price in $")
    'price in \\\\$'
    """
    cut = name if len(name) <= 32 else name[:31] + "…"
    return cut.replace("$", "\\$")

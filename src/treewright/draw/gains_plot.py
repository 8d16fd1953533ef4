"""`tw.plot_gains`: how many rows of a class are reached when those with the highest scores are taken first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from treewright.draw.class_scores import class_scores
from treewright.draw.style import GREY, looks, new_figure, save_figure, treewright_style
from treewright.evaluate.gains import gains_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_gains(
    models: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    positive: Any = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw the share of a class that is reached over the share of all rows that is taken.

    Parameters
    ----------
    models : fitted classifier, list of them, or dict of them by name
    X, y : table and column
        Rows whose class is known; take rows that the models were not trained on.
    path : str, optional
        Where to save the figure (.png, .svg or .pdf).
    positive : class, optional
        The class that is looked for. Of two classes it is the last by default; of more each is drawn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> tw.plot_gains(tw.DecisionTreeClassifier(max_depth=3).fit(X, y), X, y).axes[0].get_title(loc="left")
    "Gains: reaching 'yes' first"
    """
    lines, positive_name = class_scores(models, X, y, positive, "tw.plot_gains")
    with treewright_style():
        figure, ax = new_figure(5.2, 4.4, ax)
        ax.plot([0, 100], [0, 100], color=GREY, linewidth=0.9, linestyle=(0, (4, 3)), label="in any order")
        if positive_name:
            share = 100 * float(lines[0].is_class.mean())
            ax.plot([0, share, 100], [0, 100, 100], color=GREY, linewidth=0.9, linestyle=":", label="as good as can be")
        for line, (colour, _) in zip(lines, looks(len(lines)), strict=True):
            table = gains_table(line.is_class, line.scores, positive=True)
            ax.plot(
                [0, *100 * table["reached"]], [0, *100 * table["gain"]], color=colour, linewidth=1.7, label=line.label
            )
        ax.set(xlim=(-1, 101), ylim=(-1, 101))
        ax.set(xlabel="rows taken, highest scores first, per cent", ylabel="of the class reached, per cent")
        ax.set_title(f"Gains: reaching '{positive_name}' first" if positive_name else "Gains of each class")
        ax.legend(loc="lower right", fontsize=8.5)
        if path is not None:
            save_figure(figure, path)
    return figure

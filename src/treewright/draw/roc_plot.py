"""`tw.plot_roc`: how many rows of a class are found at which price of false alarms."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from treewright.draw.class_scores import class_scores
from treewright.draw.style import GREY, looks, new_figure, save_figure, treewright_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_roc(
    models: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    positive: Any = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw the receiver operating characteristic with the area under it.

    Parameters
    ----------
    models : fitted classifier, list of them, or dict of them by name
    X, y : table and column
        Rows whose class is known; take rows that the models were not trained on.
    path : str, optional
        Where to save the figure (.png, .svg or .pdf).
    positive : class, optional
        The class that is looked for. Of two classes it is the last by default; of more each is drawn against the rest.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> figure = tw.plot_roc({"depth 3": tw.DecisionTreeClassifier(max_depth=3).fit(X, y)}, X, y)
    >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    ['depth 3: area 0.843']
    """
    from sklearn.metrics import auc, roc_curve

    lines, positive_name = class_scores(models, X, y, positive, "tw.plot_roc")
    with treewright_style():
        figure, ax = new_figure(4.8, 4.6, ax)
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.9, linestyle=(0, (4, 3)))
        for line, (colour, _) in zip(lines, looks(len(lines)), strict=True):
            false_alarms, found, _ = roc_curve(line.is_class, line.scores)
            label = f"{line.label}: area {auc(false_alarms, found):.3f}"
            ax.plot(false_alarms, found, color=colour, linewidth=1.7, label=label)
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        ax.set(xlabel="share of the others taken for it", ylabel="share of the class found")
        ax.set_title(f"ROC: finding '{positive_name}'" if positive_name else "ROC: each class against the others")
        ax.legend(loc="lower right", fontsize=8.5)
        if path is not None:
            save_figure(figure, path)
    return figure

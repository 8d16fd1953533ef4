"""`tw.plot_confusion`: what is taken for what."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright.draw.palette import ink_on, number_colour
from treewright.draw.style import new_figure, plain, save_figure, treewright_style
from treewright.errors import DataError
from treewright.evaluate.scores import score_classes
from treewright.tree.wording import clip, name_text, share_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST = 40  # classes


def plot_confusion(
    model: Any, X: Any, y: Any, path: str | os.PathLike[str] | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw the table of true and predicted classes; the darker a cell, the larger its share of the true class.

    Parameters
    ----------
    model : fitted classifier
        Of treewright or scikit-learn.
    X, y : table and column
        Rows whose class is known; take rows that the model was not trained on.
    path : str, optional
        Where to save the figure (.png, .svg or .pdf).
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> figure = tw.plot_confusion(tw.DecisionTreeClassifier(max_depth=2).fit(X, y), X, y)
    >>> figure.axes[0].get_xlabel()
    'predicted'
    """
    check_is_fitted(model)
    if not hasattr(model, "classes_"):
        raise DataError(f"{type(model).__name__} predicts numbers; a table of confusions is for classes.")
    scores = score_classes(np.asarray(y).tolist(), np.asarray(model.predict(X)).tolist())
    counts = np.array(scores.confusion)
    n = len(scores.classes)
    if n > _MOST:
        raise DataError(f"A table of {n:,} classes is too large to be read; {_MOST} is the most.")
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    with treewright_style():
        figure, ax = new_figure(1.9 + 0.62 * min(n, 14), 1.5 + 0.5 * min(n, 14), ax)
        _cells(ax, counts, shares)
        names = [plain(clip(name_text(label), 22)) for label in scores.classes]
        ax.set_xticks(range(n), names, rotation=0 if sum(map(len, names)) < 9 * n and n <= 6 else 40)
        if ax.get_xticklabels()[0].get_rotation():
            for label in ax.get_xticklabels():
                label.set_horizontalalignment("right")
        ax.set_yticks(range(n), names)
        ax.set(xlabel="predicted", ylabel="true", xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
        ax.grid(False)
        ax.tick_params(length=0)
        ax.set_title(f"{share_text(scores.accuracy)} of {scores.n_rows:,} rows right")
        if path is not None:
            save_figure(figure, path)
    return figure


def _cells(ax: Axes, counts: Any, shares: Any) -> None:
    from matplotlib.patches import Rectangle

    n = len(counts)
    for row in range(n):
        for column in range(n):
            colour = number_colour(shares[row, column]) if counts[row, column] else "#ffffff"
            ax.add_patch(
                Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="#e6e6e6", linewidth=0.6)
            )
            if counts[row, column]:
                size = 9 if n <= 8 else 7 if n <= 16 else 4.5
                text = f"{counts[row, column]:,}"
                ax.text(column, row, text, ha="center", va="center", size=size, color=ink_on(colour))

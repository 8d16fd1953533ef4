"""`tw.plot_importance`: which columns a model works with."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright.draw.style import PALETTE, new_figure, save_figure, treewright_style
from treewright.errors import DataError
from treewright.tree.wording import clip, name_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_importance(
    model: Any, path: str | os.PathLike[str] | None = None, *, most: int = 20, ax: Axes | None = None
) -> Figure:
    """Draw how much each column lowered the impurity, the most important at the top.

    Parameters
    ----------
    model : fitted model
        Any with `feature_importances_`.
    path : str, optional
        Where to save the figure (.png, .svg or .pdf).
    most : int, default 20
        How many columns are shown; the others are added up in one bar.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> figure = tw.plot_importance(tw.DecisionTreeClassifier().fit(X, y))
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()][:2]
    ['petallength', 'petalwidth']
    """
    check_is_fitted(model)
    if not hasattr(model, "feature_importances_"):
        raise DataError(f"{type(model).__name__} has no feature_importances_, so there is nothing to draw.")
    shares = np.asarray(model.feature_importances_, dtype=np.float64)
    names = [str(name) for name in getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(shares))])]
    order = np.argsort(-shares, kind="stable")
    bars = [(clip(name_text(names[j]), 32), float(shares[j])) for j in order[:most].tolist()]
    rest = order[most:]
    if len(rest):
        bars.append((f"{len(rest):,} others", float(shares[rest].sum())))
    with treewright_style():
        figure, ax = new_figure(6.2, 0.9 + 0.26 * len(bars), ax)
        ax.barh([name for name, _ in bars], [100 * share for _, share in bars], color=PALETTE[0], height=0.68)
        for place, (_, share) in enumerate(bars):
            ax.annotate(
                f"{100 * share:.1f}", (100 * share, place), (3, 0), textcoords="offset points", va="center", size=8
            )
        ax.invert_yaxis()
        ax.grid(axis="y", visible=False)
        ax.margins(x=0.1)
        ax.set_xlabel("share of the impurity taken away, per cent")
        ax.set_title("Importance of the columns")
        if path is not None:
            save_figure(figure, path)
    return figure

"""`tw.plot_pruning`: what each size of a tree costs and is worth."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import DataError
from treewright.plot.style import GREY, PALETTE, new_figure, save_figure, treewright_style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_LONG_WAY = 40  # leaves; from here on sizes are drawn by their logarithm


def plot_pruning(model: Any, path: str | os.PathLike[str] | None = None, *, ax: Axes | None = None) -> Figure:
    """Draw training and cross-validated risk over the number of leaves, with the tree that was chosen.

    Risks are shares of the risk without a tree. The dotted line lies one standard error above the smallest
    cross-validated risk: the smallest tree below it is the choice of the rule of one standard error.

    Parameters
    ----------
    model : fitted model or data frame
        A model that was pruned by `tw.CostComplexity(cv=10)` (or ``prune="cost_complexity_cv"``), or a table of
        `model.cp_table(...)`.
    path : str, optional
        Where to save the figure (.png, .svg or .pdf).
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(prune="cost_complexity_cv").fit(X, y)
    >>> tw.plot_pruning(model).axes[0].get_xlabel()
    'leaves'
    """
    leaves, risk, held_out, error, chosen = _path(model)
    with treewright_style():
        figure, ax = new_figure(6.2, 3.9, ax)
        ax.plot(leaves, risk, color=GREY, marker=".", linewidth=1.1, label="training rows")
        if held_out is not None and error is not None:
            ax.errorbar(
                leaves, held_out, yerr=error, color=PALETTE[0], marker="o", markersize=4.5, linewidth=1.5,
                elinewidth=0.8, capsize=2, label="cross-validation ± standard error",
            )  # fmt: skip
            best = int(np.argmin(held_out))
            within, words = held_out[best] + error[best], "smallest + 1 standard error"
            ax.axhline(within, color=PALETTE[0], linewidth=0.9, linestyle=":", label=words)
            if chosen is not None:
                ax.plot(
                    [leaves[chosen]], [held_out[chosen]], "o", color=PALETTE[1], markersize=9, zorder=4,
                    label=f"chosen: {leaves[chosen]:,} leaves",
                )  # fmt: skip
        _label(ax, leaves)
        if path is not None:
            save_figure(figure, path)
    return figure


def _path(model: Any) -> tuple[Any, Any, Any, Any, int | None]:
    """Give leaves, training risk, cross-validated risk and its error, and the place of the chosen tree."""
    if hasattr(model, "columns") and "nsplit" in model.columns:
        return _of_table(model)
    prices = getattr(model, "cp_table_", None)
    if prices is None:
        raise DataError(
            "tw.plot_pruning needs a model that was pruned by cross-validation, such as "
            "tw.DecisionTreeClassifier(prune=tw.CostComplexity(cv=10)), or a table of model.cp_table(…)."
        )
    return prices.n_leaves, prices.risk, prices.cv_risk, prices.cv_error, int(prices.chosen)


def _of_table(table: pd.DataFrame) -> tuple[Any, Any, Any, Any, int | None]:
    leaves, risk = table["nsplit"].to_numpy() + 1, table["rel error"].to_numpy()
    if "xerror" not in table.columns:
        return leaves, risk, None, None, None
    return leaves, risk, table["xerror"].to_numpy(), table["xstd"].to_numpy(), None


def _label(ax: Axes, leaves: Any) -> None:
    if leaves.max() > _LONG_WAY:
        ax.set_xscale("log")
        ticks = [
            tick for tick in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000) if tick <= leaves.max()
        ]
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        ax.tick_params(axis="x", which="minor", bottom=False)
    ax.set(xlabel="leaves", ylabel="relative error (root = 1)")
    ax.set_ylim(bottom=0)
    ax.set_title("Pruning path")
    ax.legend(loc="lower left", fontsize=8.5)

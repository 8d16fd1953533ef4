"""SHAP values as pictures: all rows and columns (beeswarm), one row (waterfall), one column (dependence)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.inspection.shap_rows import Floats, ShapRows, shap_rows
from treewright.plot.style import GREY, PALETTE, new_figure, plain, save_figure, shortened, treewright_style
from treewright.table.schema import Column
from treewright.tree.format import largest_first, measured_text, signed_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

MOST_COLUMNS = 12
_MOST_ROWS = 3000  # are drawn, spread evenly over the table
_BINS = 90  # points that fall into one stand beside each other
_NONE = "#AAAAAA"  # the colour of what has no order: levels, and missing values
_LONGEST = 30  # letters of a label


def plot_shap(
    model: Any,
    X: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    of_class: Any = None,
    most_columns: int = MOST_COLUMNS,
    ax: Axes | None = None,
) -> Figure:
    """Draw a point for each row and column: how far the column moved the answer, coloured by its value (beeswarm).

    The columns with the largest mean size of values are on top. Points of nominal columns and of missing values are
    grey, since they have no order.

    Parameters
    ----------
    model : fitted model of trees
        What answers.
    X : data frame or array
        The rows to explain; of more than 3,000 some are drawn.
    path : str, optional
        Where to save the figure (.png, .svg or .pdf).
    of_class : class, optional
        Whose answer is explained; by default the last.
    most_columns : int, default 12
        So many columns are drawn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> tw.plot_shap(tw.RandomForestClassifier(n_estimators=10).fit(X, y), X).axes[0].get_xlabel()
    'SHAP value: change of the probability of yes'
    """
    rows = shap_rows(model, X, of_class)
    shown = rows.that_move()[:most_columns]
    picked = _spread(len(rows.values))
    with treewright_style():
        figure, ax = new_figure(6.8, 1.2 + 0.42 * len(shown), ax)
        ax.axvline(0, color=GREY, linewidth=0.9)
        for place, j in enumerate(shown):
            values = rows.values[picked, j]
            heights = place + 0.4 * _swarm(values)
            ax.scatter(values, heights, s=7, c=_colours(rows, picked, j), linewidths=0, alpha=0.8)
        ax.set_yticks(range(len(shown)), [_cut(rows.columns[j].name) for j in shown])
        ax.invert_yaxis()
        ax.grid(visible=False, axis="y")
        ax.set_xlabel(f"SHAP value: change of the {plain(rows.answer)}")
        ax.set_title(f"What each column did to {len(rows.values):,} answers")
        _colour_bar(figure, ax, "its value")
        if path is not None:
            save_figure(figure, path)
    return figure


def plot_shap_waterfall(
    model: Any,
    X: Any,
    row: int = 0,
    path: str | os.PathLike[str] | None = None,
    *,
    of_class: Any = None,
    most_columns: int = 9,
    ax: Axes | None = None,
) -> Figure:
    """Draw how the columns of one row lead from the mean answer to its answer, step by step (waterfall).

    Parameters
    ----------
    model, X, path, of_class, ax
        As for `plot_shap`.
    row : int, default 0
        Which row of X, from 0.
    most_columns : int, default 9
        So many columns have a step of their own; the others share one.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> figure = tw.plot_shap_waterfall(tw.DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y), X, row=0)
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['mean answer', 'sex = female', 'passengerClass = 1st', 'age = 29', 'answer']
    """
    if not 0 <= row < len(X):
        raise DataError(f"row={row}: the table has {len(X):,} rows, and the first is 0.")
    rows = shap_rows(model, X[row : row + 1], of_class)
    labels, steps = _steps(rows, most_columns)
    ends = rows.expected + np.cumsum(steps)
    with treewright_style():
        figure, ax = new_figure(6.8, 1.4 + 0.36 * len(steps), ax)
        _draw_steps(ax, rows.expected, steps, ends)
        ax.set_yticks(range(len(steps) + 2), ["mean answer", *labels, "answer"])
        ax.invert_yaxis()
        ax.use_sticky_edges = False
        ax.margins(x=0.12)
        ax.grid(visible=False, axis="y")
        ax.set_xlabel(plain(rows.answer))
        ax.set_title(f"From the mean answer to the answer: {measured_text(float(ends[-1]))}")
        if path is not None:
            save_figure(figure, path)
    return figure


def plot_shap_dependence(
    model: Any,
    X: Any,
    column: str,
    path: str | os.PathLike[str] | None = None,
    *,
    of_class: Any = None,
    colour_by: str | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw the SHAP values of one column over its values, a point for each row.

    Parameters
    ----------
    model, X, path, of_class, ax
        As for `plot_shap`.
    column : str
        Whose values are drawn.
    colour_by : str, optional
        A second column, which colours the points: where colours part, the two work together.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> figure = tw.plot_shap_dependence(tw.RandomForestClassifier(n_estimators=10).fit(X, y), X, "age")
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('age', 'SHAP value: change of the probability of yes')
    """
    rows = shap_rows(model, X, of_class)
    j = rows.number_of(column)
    other = None if colour_by is None else rows.number_of(colour_by)
    picked = _spread(len(rows.values))
    with treewright_style():
        figure, ax = new_figure(6.5, 4.0, ax)
        ax.axhline(0, color=GREY, linewidth=0.9)
        values = rows.values[picked, j]
        places = _places(ax, rows, picked, j)
        if other is not None and rows.columns[other].kind == "nominal":
            _draw_levels(ax, rows.columns[other], places, values, rows.cells[picked, other])
        else:
            colours: Any = PALETTE[0] if other is None else _colours(rows, picked, other)
            ax.scatter(places, values, s=11, c=colours, linewidths=0, alpha=0.7)
        ax.set_xlabel(plain(column))
        ax.set_ylabel(f"SHAP value: change of the {plain(rows.answer)}")
        ax.set_title(f"What {plain(column)} did to {len(rows.values):,} answers")
        if other is not None and rows.columns[other].kind != "nominal":
            _colour_bar(figure, ax, _cut(rows.columns[other].name))
        if path is not None:
            save_figure(figure, path)
    return figure


# ---------------------------------------------------------------- points
def _spread(n_rows: int) -> NDArray[np.int64]:
    return np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS)).astype(np.int64)


def _swarm(values: Floats) -> Floats:
    """Heights between -1 and 1 that part points of equal value: in the middle, above, below, and so on."""
    width = np.ptp(values)
    bins = np.zeros(len(values)) if width == 0 else np.round((values - values.min()) / width * _BINS)
    order = np.argsort(bins, kind="stable")
    starts = np.searchsorted(bins[order], bins[order])
    turn = np.arange(len(values)) - starts
    heights = np.empty(len(values))
    heights[order] = (turn + 1) // 2 * np.where(turn % 2, 1, -1)
    return heights / max(float(np.abs(heights).max(initial=0)), 8.0)


def _colours(rows: ShapRows, picked: NDArray[np.int64], j: int) -> list[Any]:
    """From low to high by rank, so that a few large values do not take all colours; grey where there is no order."""
    cells = rows.cells[picked, j]
    known = ~np.isnan(cells)
    colours: list[Any] = [_NONE] * len(cells)
    if rows.columns[j].kind == "nominal" or not known.any():
        return colours
    different, places = np.unique(cells[known], return_inverse=True)
    scale = _scale()
    for i, place in zip(np.flatnonzero(known).tolist(), places.tolist(), strict=True):
        colours[i] = scale(place / max(len(different) - 1, 1))
    return colours


def _scale() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("low to high", [PALETTE[0], "#D8C8D8", PALETTE[1]])


def _colour_bar(figure: Figure, ax: Axes, title: str) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    bar = figure.colorbar(ScalarMappable(Normalize(0, 1), _scale()), ax=ax, ticks=[0, 1], aspect=30, shrink=0.8)
    bar.ax.set_yticklabels(["low", "high"])
    bar.set_label(title, fontsize=8.5)


def _places(ax: Axes, rows: ShapRows, picked: NDArray[np.int64], j: int) -> Floats:
    """Where the points stand: at their numbers, or spread a little around the number of their level."""
    column, cells = rows.columns[j], rows.cells[picked, j]
    missing = np.isnan(cells)
    if column.kind == "numeric":
        known = cells[~missing]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        if missing.any():
            beyond = high + 0.08 * ((high - low) or 1.0)
            cells = np.where(missing, beyond, cells)
            ax.annotate("missing", (beyond, 1.0), xycoords=("data", "axes fraction"), ha="center", fontsize=8)
        if column.value_type != "number":
            ticks = np.linspace(low, high, 5)
            ax.set_xticks(ticks, [column.show(float(tick)) for tick in ticks])
        return np.asarray(cells)
    names = [_cut(column.show(code)) for code in range(1, len(column.levels) + 1)]
    if missing.any():
        names.append("missing")
    ax.set_xticks(range(1, len(names) + 1), names)
    ax.grid(visible=False, axis="x")
    codes = np.where(missing, len(names), cells)
    turn = np.arange(len(codes)) % 31
    return codes + 0.5 * (turn / 30 - 0.5)


def _draw_levels(ax: Axes, column: Column, places: Floats, values: Floats, codes: Floats) -> None:
    """A colour for each of the most frequent levels, grey for the others and for what is missing."""
    counts = np.bincount(codes[~np.isnan(codes)].astype(np.int64), minlength=len(column.levels) + 1)
    named = sorted(int(code) for code in largest_first(counts)[: len(PALETTE) - 1] if counts[code])
    parts = [(codes == code, PALETTE[place], _cut(column.show(code))) for place, code in enumerate(named)]
    rest = ~np.isin(codes, named)
    if rest.any():
        parts.append((rest, _NONE, "other or missing"))
    for mask, colour, label in parts:
        ax.scatter(places[mask], values[mask], s=11, c=colour, linewidths=0, alpha=0.7, label=label)
    ax.legend(title=_cut(column.name), fontsize=8.5, markerscale=1.6)


def _cut(text: str) -> str:
    return shortened(text, _LONGEST)


def _held(name: str, cell: str) -> str:
    """Name a column and what the row holds in it; of the two the name is cut first, since the value says more."""
    return f"{shortened(name, max(_LONGEST - len(cell) - 3, _LONGEST // 2))} = {shortened(cell, _LONGEST // 2)}"


# ---------------------------------------------------------------- steps
def _steps(rows: ShapRows, most_columns: int) -> tuple[list[str], Floats]:
    """The columns of the row, largest step first, and one step for the rest of them."""
    order = rows.that_move()
    own, rest = order[:most_columns], order[most_columns:]
    labels = [_held(rows.columns[j].name, rows.cell(0, j)) for j in own]
    steps = rows.values[0, own]
    if rest:
        labels.append(f"{len(rest)} other columns" if len(rest) > 1 else _cut(rows.columns[rest[0]].name))
        steps = np.append(steps, rows.values[0, rest].sum())
    return labels, steps


def _draw_steps(ax: Axes, start: float, steps: Floats, ends: Floats) -> None:
    starts = np.concatenate([[start], ends[:-1]])
    places = np.arange(1, len(steps) + 1)
    ax.barh(places, steps, left=starts, height=0.62, color=[PALETTE[1] if step > 0 else PALETTE[0] for step in steps])
    for place, end in zip([0, *places.tolist()], [start, *ends.tolist()], strict=True):
        ax.plot([end, end], [place - 0.31, place + 1.31], color=GREY, linewidth=0.8)
    ax.plot([start], [0], "o", color=GREY)
    ax.plot([ends[-1]], [len(steps) + 1], "o", color="black")
    for place, step, low in zip(places.tolist(), steps.tolist(), starts.tolist(), strict=True):
        right = max(low, low + step)
        text = signed_text(step, 3)
        ax.annotate(text, (right, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8.5)
    for place, value in ((0, start), (len(steps) + 1, float(ends[-1]))):
        beside: Any = {"xytext": (7, 0), "textcoords": "offset points", "va": "center", "fontsize": 8.5}
        ax.annotate(measured_text(value), (value, place), **beside)

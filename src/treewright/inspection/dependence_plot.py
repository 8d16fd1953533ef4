"""The picture of a partial dependence: lines over numbers, points over levels, a map over two columns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.plot.style import GREY, looks, new_figure, save_figure, shortened, treewright_style
from treewright.tree.format import estimate_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from treewright.inspection.partial_dependence import PartialDependence
    from treewright.inspection.table_cells import Grid


Floats = NDArray[np.float64]
_MOST_CURVES = 200  # of single rows
_MANY_LABELS = 12  # that do not fit beside each other
_MOST_DATES = 7  # written below a curve


def plot_dependence(
    result: PartialDependence, path: str | os.PathLike[str] | None, of_class: Any, centred: bool, ax: Axes | None
) -> Figure:
    """Draw one column as curves, two as a map."""
    is_own = ax is None  # in a picture of somebody else there may be no room beside the axes
    has_legend = len(result.grids) == 1 and of_class is None and result.average.shape[-1] > 2
    with treewright_style():
        figure, ax = new_figure(7.5 if has_legend else 6.5, 4.2, ax)
        if len(result.grids) == 2:
            _draw_map(ax, result, result.answer_number(of_class))
        else:
            _draw_curves(ax, result, of_class, centred)
        legend = ax.get_legend()
        if legend is not None and is_own:  # beside the curves: inside, it lies over some of them
            legend.set_loc("upper left")
            legend.set_bbox_to_anchor((1.0, 1.0))
        if path is not None:
            save_figure(figure, path)
    return figure


# ---------------------------------------------------------------- one column
def _draw_curves(ax: Axes, result: PartialDependence, of_class: Any, centred: bool) -> None:
    grid = result.grids[0]
    places, labels = _places(grid)
    n_numbers = result.average.shape[-1]
    shown = range(n_numbers) if of_class is None and n_numbers > 2 else [result.answer_number(of_class)]
    for (colour, marker), k in zip(looks(len(shown)), shown, strict=True):
        average = result.average[:, k]
        start = average[0] if centred else 0.0
        if result.individual is not None:
            _draw_rows(ax, grid, places, result.individual[:, :, k], colour, centred)
        name = _text(result.classes[k]) if result.classes else None
        _draw_line(ax, grid, places, average - start, {"color": colour, "marker": marker, "label": name})
    _label_values(ax, grid, places, labels)
    ax.set_xlabel(_text(grid.name))
    ax.set_ylabel(_answer_title(result, None if len(shown) > 1 else shown[0], centred))
    if len(shown) > 1:
        ax.legend()
    n_rows = "" if result.individual is None else f", and {min(_MOST_CURVES, len(result.individual))} rows"
    ax.set_title(f"Mean answer by {_text(grid.name)}{n_rows}")


def _draw_line(ax: Axes, grid: Grid, places: Floats, answers: Floats, look: dict[str, Any]) -> None:
    joined = _joined(grid)
    if grid.kind != "numeric":
        ax.plot(places, answers, linestyle="none", markersize=8, **look)
        return
    marker = look.pop("marker")
    ax.plot(places[joined], answers[joined], linewidth=2.4, **look)
    apart = ~joined
    if apart.any():
        ax.plot(places[apart], answers[apart], linestyle="none", marker=marker, color=look["color"], markersize=8)


def _draw_rows(ax: Axes, grid: Grid, places: Floats, rows: Floats, colour: str, centred: bool) -> None:
    """Curves of single rows, spread evenly over the table where there are many."""
    picked = rows[np.linspace(0, len(rows) - 1, min(_MOST_CURVES, len(rows))).astype(int)]
    if centred:
        picked = picked - picked[:, :1]
    joined = _joined(grid)
    strength = max(0.1, min(0.5, 25 / len(picked)))
    ax.plot(places[joined], picked[:, joined].T, color=colour, linewidth=0.7, alpha=strength)
    if (~joined).any():
        ax.plot(places[~joined], picked[:, ~joined].T, color=colour, linestyle="none", marker=".", alpha=strength)


def _joined(grid: Grid) -> NDArray[np.bool_]:
    """Which values stand on one line; a missing value stands apart."""
    return np.array([value is not None for value in grid.values])


def _places(grid: Grid) -> tuple[Floats, list[str]]:
    """Where the values stand, and what is written there; nothing where the axis tells numbers itself."""
    labels = ["missing" if value is None else _text(value) for value in grid.values]
    known = [value for value in grid.values if value is not None]
    if grid.kind != "numeric" or not all(isinstance(value, int | float) for value in known):
        return np.arange(len(labels), dtype=np.float64), labels
    places = np.array(known, dtype=np.float64)
    if len(known) < len(labels):
        span = np.ptp(places) if len(places) else 0.0
        places = np.append(places, (places[-1] if len(places) else 0.0) + (0.08 * span or 1.0))
    return places, []


def _label_values(ax: Axes, grid: Grid, places: Floats, labels: list[str]) -> None:
    if labels:
        if grid.kind == "numeric":  # dates: some of them tell where the others are
            step, last = max(1, -(-len(labels) // _MOST_DATES)), len(labels) - 1
            shown = [i for i in range(last + 1) if i % step == 0 or (i == last and grid.values[i] is None)]
            places, labels = places[shown], [labels[i] for i in shown]
        many = len(labels) > _MANY_LABELS or max(map(len, labels)) > 12
        small: dict[str, Any] = {"fontsize": 7.5} if len(labels) > 2 * _MANY_LABELS else {}
        ax.set_xticks(places, labels, rotation=45 if many else 0, ha="right" if many else "center", **small)
        ax.grid(visible=False, axis="x")
        return
    if grid.values[-1] is None:
        ax.axvline((places[-2] + places[-1]) / 2 if len(places) > 1 else places[0], color=GREY, linewidth=0.8)
        top: Any = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom", "fontsize": 8}
        ax.annotate("missing", (places[-1], 1.0), **top)
        ax.set_xticks([tick for tick in ax.get_xticks() if len(places) < 2 or places[0] <= tick <= places[-2]])
    ax.plot(places, np.zeros(len(places)), "|", color=GREY, transform=ax.get_xaxis_transform(), clip_on=False)


# ---------------------------------------------------------------- two columns
def _draw_map(ax: Axes, result: PartialDependence, k: int) -> None:
    numbers = result.average[:, :, k].T
    image = ax.imshow(numbers, origin="lower", aspect="auto", cmap="viridis", interpolation="nearest")
    for axis, grid in zip((ax.xaxis, ax.yaxis), result.grids, strict=True):
        step = max(1, len(grid.values) // _MANY_LABELS + (len(grid.values) % _MANY_LABELS > 0))
        shown = range(0, len(grid.values), step)
        axis.set_ticks(list(shown), ["missing" if grid.values[i] is None else _text(grid.values[i]) for i in shown])
    for label in ax.get_xticklabels():
        label.set(rotation=45, horizontalalignment="right", rotation_mode="anchor")
    ax.grid(visible=False)
    ax.set_xlabel(_text(result.grids[0].name))
    ax.set_ylabel(_text(result.grids[1].name))
    ax.set_title(f"Mean answer by {_text(result.grids[0].name)} and {_text(result.grids[1].name)}")
    ax.figure.colorbar(image, ax=ax, label=_answer_title(result, k, False))


def _answer_title(result: PartialDependence, k: int | None, centred: bool) -> str:
    change = "change of the " if centred else ""
    if not result.classes:
        return f"{change}mean answer"
    return f"{change}mean answer" + ("" if k is None else f" for {_text(result.classes[k])}")


def _text(value: Any) -> str:
    """A value as it is written: numbers short, a dollar sign starts no formula."""
    text = estimate_text(value) if isinstance(value, float) else str(value).removesuffix(" 00:00:00")
    return shortened(text, 28)

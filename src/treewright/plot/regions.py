"""The panels of a boundary: coloured regions, rows on top, one legend for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest
from treewright.plot.style import GREY, INK, MARKERS, class_colours, group_digits, number_colour, plain, shortened
from treewright.tree.format import estimate_text, name_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Two columns of a table as the two axes of a picture: where values stand, and a grid over all that lies between.


Floats = NDArray[np.float64]

MOST_LEVELS = 40
_MARGIN = 0.04  # of the range, on either side
_JITTER = 0.32  # how far a row may stand from its level, which fills 1


@dataclass(frozen=True)
class PlaneAxis:
    """One of the two columns.

    Numbers and moments stand where they are; levels stand at 0, 1, 2 …, each in a stripe of its own. `grid` holds the
    values that the model is asked for and `low` and `high` the ends of the axis.
    """

    name: Any
    column: pd.Series
    levels: tuple[Any, ...]
    grid: pd.Series
    low: float
    high: float

    @property
    def is_nominal(self) -> bool:
        """Whether the column holds levels."""
        return bool(self.levels)

    def places(self, random: np.random.Generator) -> Floats:
        """Give the place of each row; rows of the same level are shaken a little, so that none hides another."""
        if not self.is_nominal:
            return _as_numbers(self.column)
        place = {level: float(number) for number, level in enumerate(self.levels)}
        exact = np.array([place.get(value, np.nan) for value in self.column.tolist()])
        return exact + random.uniform(-_JITTER, _JITTER, len(exact))

    def label(self, axes: Axes, which: str) -> None:
        """Write the name of the column and, for levels and moments, what stands where."""
        axis = axes.xaxis if which == "x" else axes.yaxis
        axis.set_label_text(plain(name_text(self.name)))
        if self.is_nominal:
            axis.set_ticks(range(len(self.levels)), [_short(level) for level in self.levels])
            axis.set_tick_params(length=0)
            if which == "x" and sum(len(_short(level)) for level in self.levels) > 24:
                axis.set_tick_params(rotation=40)
                for text in axis.get_ticklabels():
                    text.set_horizontalalignment("right")
        elif self.column.dtype.kind == "M":
            from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

            axis.set_major_locator(AutoDateLocator(maxticks=6))  # type: ignore[no-untyped-call]
            axis.set_major_formatter(ConciseDateFormatter(axis.get_major_locator()))  # type: ignore[no-untyped-call]


def _short(level: Any) -> str:
    return shortened(name_text(level), 18)


def plane_axis(table: pd.DataFrame, name: Any, steps: int) -> PlaneAxis:
    """Make an axis of a column.

    >>> import pandas as pd
    >>> plane_axis(pd.DataFrame({"colour": ["red", "blue", None]}), "colour", 200).levels
    ('blue', 'red')
    """
    import pandas as pd

    known = [str(column) for column in table.columns]
    if name not in table.columns:
        raise DataError(f"There is no column {name!r}. {nearest(str(name), known)}")
    column = table[name]
    given = column.dropna()
    if len(given) == 0:
        raise DataError(f"Column '{name}' has no value at all, so nothing can be drawn over it.")
    if column.dtype.kind in "iufM":
        numbers = _as_numbers(given)
        low, high = float(numbers.min()), float(numbers.max())
        space = (high - low) * _MARGIN or 0.5
        places = np.linspace(low - space, high + space, steps)
        return PlaneAxis(name, column, (), pd.Series(_as_values(places, column)), low - space, high + space)
    levels = sorted(set(given.tolist()), key=lambda level: (str(type(level)), level))
    if len(levels) > MOST_LEVELS:
        raise DataError(
            f"Column '{name}' has {len(levels):,} levels; a picture has room for {MOST_LEVELS}. Take another column."
        )
    grid = pd.Series(levels, dtype=column.dtype)
    return PlaneAxis(name, column, tuple(levels), grid, -0.5, len(levels) - 0.5)


def _as_numbers(column: pd.Series) -> Floats:
    if column.dtype.kind == "M":
        from matplotlib.dates import date2num

        return np.asarray(date2num(column.to_numpy()), dtype=np.float64)  # type: ignore[no-untyped-call]
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


def _as_values(places: Floats, column: pd.Series) -> Any:
    if column.dtype.kind == "M":
        import pandas as pd

        return pd.to_datetime(places * 86_400, unit="s").astype(column.dtype)
    return places


MOST_ROWS = 2000  # more would hide the regions
_PER_LINE = 3
_FAINTEST, _STRONGEST = 0.12, 0.62  # of a region's colour: as good as guessing, and sure
_HELD = 12  # characters an inch of the note on columns that are held


@dataclass(frozen=True)
class Panel:
    """One learner: its name, the fitted model, and the columns that it takes."""

    name: str
    model: Any
    columns: list[Any]


@dataclass(frozen=True)
class _Scale:
    """What colours mean: classes, or numbers from low to high."""

    classes: tuple[Any, ...] | None
    colours: list[str]
    low: float = 0.0
    high: float = 1.0

    def of_numbers(self, values: Floats) -> Floats:
        """Give the colour of each number as shares of red, green and blue."""
        steps = np.array([_rgb(number_colour(k / 255)) for k in range(256)])
        place = (values - self.low) / ((self.high - self.low) or 1.0) * 255
        return np.asarray(steps[np.clip(np.nan_to_num(place), 0, 255).astype(np.int64)])


def draw_panels(
    panels: list[Panel],
    table: pd.DataFrame,
    truth: Any,
    axes_of: tuple[PlaneAxis, PlaneAxis],
    title: str | None,
    random_state: int,
) -> Figure:
    """Draw all panels side by side, three in a line."""
    from matplotlib.figure import Figure as NewFigure

    across, up = axes_of
    scale = _scale(panels, truth)
    columns = 2 if len(panels) == 4 else min(len(panels), _PER_LINE)
    lines = -(-len(panels) // columns)
    figure = NewFigure(figsize=(0.6 + 3.3 * columns, 0.9 + 3.1 * lines), layout="constrained")
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat:
        group_digits(axes)
    for number, axes in enumerate(grid.flat):
        if number >= len(panels):
            axes.set_visible(False)
            continue
        _panel(axes, panels[number], table, axes_of, scale)
        _rows(axes, truth, axes_of, scale, np.random.default_rng(random_state))
        axes.set_title(plain("\n".join(_title_lines(panels[number].name))), fontsize=9.5)
        axes.set_xlim(across.low, across.high)
        axes.set_ylim(up.low, up.high)
        axes.grid(False)
        if number + columns >= len(panels):
            across.label(axes, "x")
            axes.tick_params(labelbottom=True)
        if number % columns == 0:
            up.label(axes, "y")
    _legend(figure, scale, grid)
    _headings(figure, panels, table, axes_of, title)
    return figure


def _title_lines(name: str) -> list[str]:
    from textwrap import wrap

    lines = wrap(name, 42, break_long_words=False) or [name]
    return lines if len(lines) <= 2 else [lines[0], lines[1] + " …"]


def _scale(panels: list[Panel], truth: Any) -> _Scale:
    first = panels[0].model
    if hasattr(first, "classes_"):
        classes = tuple(np.asarray(first.classes_).tolist())
        sizes = [float(np.sum(truth == label)) for label in classes]
        return _Scale(classes, class_colours(sizes))
    numbers = np.asarray(truth, dtype=np.float64)
    return _Scale(None, [], float(np.nanmin(numbers)), float(np.nanmax(numbers)))


def _panel(axes: Axes, panel: Panel, table: pd.DataFrame, axes_of: tuple[PlaneAxis, PlaneAxis], scale: _Scale) -> None:
    across, up = axes_of
    asked = _asked(panel, table, axes_of)
    shape = (len(up.grid), len(across.grid))
    if scale.classes is None:
        colours = scale.of_numbers(np.asarray(panel.model.predict(asked), dtype=np.float64))
    else:
        colours = _class_colours(panel.model, asked, scale)
    axes.imshow(
        colours.reshape(*shape, 3),
        extent=(across.low, across.high, up.low, up.high),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
    )


def _asked(panel: Panel, table: pd.DataFrame, axes_of: tuple[PlaneAxis, PlaneAxis]) -> Any:
    """Make the rows that the model is asked for: every pair of grid values, all else held."""
    import pandas as pd

    across, up = axes_of
    n = len(across.grid) * len(up.grid)
    drawn = {
        across.name: pd.concat([across.grid] * len(up.grid), ignore_index=True),
        up.name: up.grid.repeat(len(across.grid)).reset_index(drop=True),
    }
    columns = {
        name: drawn[name] if name in drawn else pd.Series([held_value(table[name])] * n).astype(_dtype(table[name]))
        for name in panel.columns
    }
    rows = pd.DataFrame(columns)
    return rows if hasattr(panel.model, "feature_names_in_") else rows.to_numpy()


def _dtype(column: pd.Series) -> Any:
    return "float64" if column.dtype.kind in "iuf" else column.dtype


def held_value(column: pd.Series) -> Any:
    """Give the value at which a column is held: the median, or the most frequent level.

    >>> import pandas as pd
    >>> float(held_value(pd.Series([1.0, 2.0, 9.0, None]))), held_value(pd.Series(["a", "b", "b"]))
    (2.0, 'b')
    """
    if column.dtype.kind in "iufM":
        return column.median()
    common = column.mode()
    return common.iloc[0] if len(common) else None


def _class_colours(model: Any, asked: Any, scale: _Scale) -> Floats:
    """Mix the colour of the answer with white, the more the less sure it is."""
    assert scale.classes is not None
    number = {label: index for index, label in enumerate(scale.classes)}
    answers = np.array([number.get(label, -1) for label in np.asarray(model.predict(asked)).tolist()])
    sure = np.ones(len(answers))
    if hasattr(model, "predict_proba"):
        shares = np.asarray(model.predict_proba(asked))
        own = {label: place for place, label in enumerate(np.asarray(model.classes_).tolist())}
        place = np.array([own[label] for label in scale.classes if label in own])[answers]
        guess = 1 / len(scale.classes)
        sure = np.clip((shares[np.arange(len(answers)), place] - guess) / max(1 - guess, 1e-9), 0, 1)
    strength = (_FAINTEST + (_STRONGEST - _FAINTEST) * sure)[:, None]
    return np.asarray(1 - strength * (1 - np.array([_rgb(colour) for colour in scale.colours])[answers]))


def _rgb(colour: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return red, green, blue


def _rows(
    axes: Axes, truth: Any, axes_of: tuple[PlaneAxis, PlaneAxis], scale: _Scale, random: np.random.Generator
) -> None:
    xs, ys = axes_of[0].places(random), axes_of[1].places(random)
    shown = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys))
    if len(shown) > MOST_ROWS:
        shown = np.sort(random.choice(shown, MOST_ROWS, replace=False))
    size = 22 if len(shown) <= 200 else 12 if len(shown) <= 800 else 6
    style: Any = {"s": size, "edgecolors": "white", "linewidths": 0.5, "zorder": 3}
    if scale.classes is None:
        colours = scale.of_numbers(truth[shown].astype(np.float64))
        axes.scatter(xs[shown], ys[shown], c=colours, marker="o", **{**style, "edgecolors": INK})
        return
    for number, label in enumerate(scale.classes):
        own = shown[truth[shown] == label]
        axes.scatter(xs[own], ys[own], color=scale.colours[number], marker=MARKERS[number % len(MARKERS)], **style)


def _legend(figure: Figure, scale: _Scale, grid: Any) -> None:
    """Say once for all panels what the colours mean."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize
    from matplotlib.lines import Line2D

    if scale.classes is None:
        colours = ListedColormap([number_colour(k / 255) for k in range(256)])
        figure.colorbar(ScalarMappable(Normalize(scale.low, scale.high), colours), ax=list(grid.flat), pad=0.02)
        return
    shown = range(min(len(scale.classes), 2 * len(MARKERS)))
    marks = [
        Line2D(
            [],
            [],
            color=scale.colours[n],
            marker=MARKERS[n % len(MARKERS)],
            linestyle="",
            label=plain(name_text(scale.classes[n])),
        )
        for n in shown
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=min(len(marks), 5), handletextpad=0.2)


def _headings(
    figure: Figure, panels: list[Panel], table: pd.DataFrame, axes_of: tuple[PlaneAxis, PlaneAxis], title: str | None
) -> None:
    """Write the title, and at which values the columns are held that are not drawn."""
    drawn = {axis.name for axis in axes_of}
    held = [name for panel in panels for name in panel.columns if name not in drawn]
    lines = [] if title is None else [title]
    if held:
        said = ", ".join(f"{name} = {_said(table[name])}" for name in dict.fromkeys(held))
        room = round(_HELD * figure.get_figwidth())
        lines.append("Held: " + (said if len(said) <= room else said[: room - 1].rstrip(" ,.") + " …"))
    if lines:
        figure.suptitle(
            plain("\n".join(lines)), fontsize=9 if title is None else 11, color=GREY if title is None else "black"
        )


def _said(column: pd.Series) -> str:
    value = held_value(column)
    return estimate_text(float(value)) if isinstance(value, int | float | np.number) else name_text(value)

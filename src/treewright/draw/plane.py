"""Two columns of a table as the two axes of a picture: where values stand, and a grid over all that lies between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.draw.style import plain
from treewright.errors import DataError, nearest
from treewright.tree.wording import name_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

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
    text = name_text(level)
    return plain(text if len(text) <= 18 else text[:17] + "…")


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

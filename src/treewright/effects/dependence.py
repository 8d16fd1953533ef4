"""The result of `tw.partial_dependence`: what a model answers on average at each value of one or two columns."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.effects.grid import Grid
from treewright.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PartialDependence:
    """How the answers of a model move with one column, or with two. Plot it, or take it as a data frame.

    Attributes
    ----------
    grids : tuple of Grid
        For each column its values (`values`, None for missing), its kind, and the part of the rows at each.
    average : array
        The mean answer: values of the first column (× values of the second) × numbers of the answer.
    individual : array or None
        With kind="individual" or "both": the answer of every row, rows × values × numbers (ICE curves).
    classes : tuple
        The classes whose probability or score the last axis holds; empty for one number.
    """

    grids: tuple[Grid, ...]
    average: Floats
    individual: Floats | None
    classes: tuple[Any, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(grid.name for grid in self.grids)

    def to_frame(self) -> pd.DataFrame:
        """Give a row for each value (pair of values), and each class where there are some."""
        import pandas as pd

        rows = []
        for place in product(*(range(len(grid.values)) for grid in self.grids)):
            cell: dict[str, Any] = {g.name: g.values[at] for g, at in zip(self.grids, place, strict=True)}
            for k, number in enumerate(self.average[place]):
                rows.append({**cell, **({"class": self.classes[k]} if self.classes else {}), "answer": float(number)})
        return pd.DataFrame(rows)

    def answer_number(self, of_class: Any) -> int:
        """The place of a class in the last axis; by default the last one."""
        if of_class is None:
            return int(self.average.shape[-1]) - 1
        if of_class not in self.classes:
            raise DataError(f"The model has no class {of_class!r}. It has {', '.join(map(repr, self.classes))}.")
        return self.classes.index(of_class)

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        of_class: Any = None,
        centred: bool = False,
        ax: Axes | None = None,
    ) -> Figure:
        """Draw the mean answer: a line over numbers, points over levels, a map over two columns.

        Parameters
        ----------
        path : path, optional
            Save the picture: .png, .svg or .pdf.
        of_class : class, optional
            Whose probability is drawn; by default all classes where there are more than two, else the last.
        centred : bool, default False
            Let every row's curve start at 0.
        ax : matplotlib axes, optional
            Draw there.
        """
        from treewright.effects.dependence_plot import plot_dependence

        return plot_dependence(self, path, of_class, centred, ax)

    def __str__(self) -> str:
        cells = self.to_frame()
        for grid in self.grids:
            cells[grid.name] = ["missing" if value != value or value is None else value for value in cells[grid.name]]
        texts = cells.map(lambda cell: f"{cell:.4g}" if isinstance(cell, float) else str(cell))
        return f"mean answer by {' and '.join(self.columns)}\n" + texts.to_string(index=False)

    def __repr__(self) -> str:
        sizes = " × ".join(str(len(grid.values)) for grid in self.grids)
        return f"<PartialDependence on {', '.join(self.columns)}: {sizes} values>"

"""The result of `tw.importance`: a number for each column, with its spread where there is one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.largest_first import largest_first

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

_MOST_LINES = 30


@dataclass(frozen=True)
class Importance:
    """How much each column matters. Print it, plot it, or take it as a data frame.

    Attributes
    ----------
    kind : str
        How it was found.
    columns : tuple of str
        The columns, in the order of the table.
    mean : array
        The importance of each column.
    std : array or None
        How much it varies: over the repeats of a permutation, over the trees of a forest, or over the rows.
    importances : array of shape (n_columns, n_repeats), or None
        What `mean` is the mean of.
    unit : str
        What the numbers are.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> print(tw.importance(tw.DecisionTreeClassifier(max_depth=2).fit(X, y), kind="impurity"))
    importance by impurity: share of the fall of impurity
    petallength  0.56
    petalwidth   0.44
    2 columns have none: sepallength, sepalwidth
    """

    kind: str
    columns: tuple[str, ...]
    mean: Floats
    std: Floats | None
    importances: Floats | None
    unit: str

    @property
    def order(self) -> list[int]:
        """The numbers of the columns, the most important first; of equals the first in the table."""
        return largest_first(self.mean)

    def to_frame(self) -> pd.DataFrame:
        """Give a row for each column, the most important first."""
        import pandas as pd

        table: dict[str, Any] = {"column": list(self.columns), "importance": self.mean}
        if self.std is not None:
            table["std"] = self.std
        return pd.DataFrame(table).iloc[self.order].reset_index(drop=True)

    def plot(self, path: str | os.PathLike[str] | None = None, *, most: int = 20, ax: Axes | None = None) -> Figure:
        """Draw the columns, the most important on top, each with its spread.

        Parameters
        ----------
        path : path, optional
            Save the picture: .png, .svg or .pdf.
        most : int, default 20
            How many columns are drawn.
        ax : matplotlib axes, optional
            Draw there.
        """
        from treewright.effects.importance_plot import plot_importance

        return plot_importance(self, path, most, ax)

    def __str__(self) -> str:
        counting = [j for j in self.order if self.mean[j] != 0]
        shown = counting[:_MOST_LINES]
        width = max((len(self.columns[j]) for j in shown), default=0)
        digits = _digits(self.mean)
        lines = [f"importance by {self.kind}: {self.unit}"]
        for j in shown:
            spread = "" if self.std is None else f" ± {self.std[j]:.{digits}f}"
            lines.append(f"{self.columns[j]:{width}}  {self.mean[j]:.{digits}f}{spread}")
        if len(counting) > len(shown):
            lines.append(f"… and {len(counting) - len(shown)} more columns")
        none = [self.columns[j] for j in range(len(self.columns)) if self.mean[j] == 0]
        if none:
            many = "1 column has" if len(none) == 1 else f"{len(none)} columns have"
            more = f" … ({len(none) - 10} more)" if len(none) > 10 else ""
            lines.append(f"{many} none: {', '.join(none[:10])}{more}")
        return "\n".join(lines)


def _digits(numbers: Floats) -> int:
    """As many digits as show two of the largest number.

    >>> _digits(np.array([0.5, 0.01])), _digits(np.array([0.0021])), _digits(np.array([120.0]))
    (2, 4, 0)
    """
    largest = float(np.max(np.abs(numbers), initial=0.0))
    return 2 if largest == 0 or not np.isfinite(largest) else int(np.clip(1 - np.floor(np.log10(largest)), 0, 12))

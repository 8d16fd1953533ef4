"""`tw.partial_dependence`: every row is asked again with other values of one or two columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.errors import DataError
from treewright.inspection.table_cells import (
    Grid,
    answers_of,
    column_number,
    find_grid,
    names_of_answers,
    open_table,
    with_other_cells,
)
from treewright.learners.base.options import option
from treewright.learners.base.parameters import whole
from treewright.memory import Block, refuse_beyond_memory
from treewright.table.schema import Level
from treewright.table.target import encode_weights
from treewright.tree.format import estimate_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# The result of `tw.partial_dependence`: what a model answers on average at each value of one or two columns.


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
        from treewright.inspection.dependence_plot import plot_dependence

        return plot_dependence(self, path, of_class, centred, ax)

    def __str__(self) -> str:
        cells = self.to_frame()
        for grid in self.grids:
            cells[grid.name] = ["missing" if value != value or value is None else value for value in cells[grid.name]]
        texts = cells.map(lambda cell: estimate_text(cell) if isinstance(cell, float) else str(cell))
        return f"mean answer by {' and '.join(self.columns)}\n" + texts.to_string(index=False)

    def __repr__(self) -> str:
        sizes = " × ".join(str(len(grid.values)) for grid in self.grids)
        return f"<PartialDependence on {', '.join(self.columns)}: {sizes} values>"


_KINDS = ("average", "individual", "both")


def partial_dependence(
    model: Any,
    X: Any,
    columns: Any,
    *,
    kind: str = "average",
    grid_points: int = 20,
    max_levels: int = 30,
    response: str = "auto",
    sample_weight: Any = None,
) -> PartialDependence:
    """Tell how the answers of a fitted model move with one column, or with two (Friedman's partial dependence).

    Every row of X is answered again with each value in turn, and the answers are averaged. Any model is taken, of
    treewright or another library, and any kind of column; a missing value is a value like others where X has some.

    Parameters
    ----------
    model : fitted estimator
    X : table
        The rows to average over, with the columns of training.
    columns : name or number, or a pair of them
    kind : {"average", "individual", "both"}, default "average"
        Whether the answers of every row are kept (individual conditional expectation); for one column.
    grid_points : int, default 20
        At how many quantiles a numeric column is looked at; all its values where there are fewer.
    max_levels : int, default 30
        How many levels of a nominal column are looked at, the most frequent ones.
    response : {"auto", "predict_proba", "decision_function", "predict"}, default "auto"
        What counts as the answer: probabilities of classifiers, else what `predict` gives.
    sample_weight : column, optional
        How much each row counts in the mean.

    Returns
    -------
    PartialDependence

    References
    ----------
    J. H. Friedman, Greedy Function Approximation: A Gradient Boosting Machine, 2001; A. Goldstein, A. Kapelner, J.
    Bleich and E. Pitkin, Peeking Inside the Black Box, 2015.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> model = tw.DecisionTreeRegressor(max_leaf_nodes=4).fit(X, y)
    >>> print(tw.partial_dependence(model, X, "Temp", grid_points=4))
    mean answer by Temp
    Temp answer
      57  36.78
      74  36.78
      82  36.78
      97  90.06
    """
    check_is_fitted(model)
    if not isinstance(kind, str) or kind not in _KINDS:
        raise DataError(f"kind has to be one of {', '.join(_KINDS)}. Got {kind!r} instead.")
    grid_points = option("tw.partial_dependence", "grid_points", grid_points, whole(None))
    max_levels = option("tw.partial_dependence", "max_levels", max_levels, whole(None))
    if grid_points < 2 or max_levels < 1:
        raise DataError("grid_points has to be at least 2, and max_levels at least 1.")
    response = option("tw.partial_dependence", "response", response, str)
    table, frame = open_table(X)
    chosen = [column_number(frame.names, column) for column in _as_list(columns)]
    if kind != "average" and len(chosen) > 1:
        raise DataError(f"kind={kind!r} keeps a curve for every row, which needs one column. Choose kind='average'.")
    kinds = _kinds_of(model, len(frame.names))
    grids = tuple(
        find_grid(frame, column, kinds[column][0], grid_points, max_levels, kinds[column][1]) for column in chosen
    )
    given = encode_weights(sample_weight, frame.n_rows)
    weights = np.ones(frame.n_rows) if given is None else given
    curves = _answers_at(answers_of(model, response), table, chosen, grids)
    if kind == "average":
        individual, means = None, [np.average(found, axis=0, weights=weights) for found in curves]
    else:
        refuse_beyond_memory(
            "partial_dependence",
            [Block(16, rows=frame.n_rows, values=len(grids[0].values), answers=len(getattr(model, "classes_", (1,))))],
            "Give fewer rows, fewer grid_points, or kind='average'.",
        )
        individual = np.stack(list(curves), axis=1)
        means = list(np.average(individual, axis=0, weights=weights))
    average = np.stack(means).reshape(*(len(grid.values) for grid in grids), -1)
    return PartialDependence(grids, average, individual, names_of_answers(model, average.shape[-1]))


def _answers_at(
    answers: Callable[[Any], Floats], table: Any, chosen: list[int], grids: Sequence[Grid]
) -> Iterator[Floats]:
    """The answers of all rows at every point of the grid."""
    n_rows = len(table)
    for rows in product(*(grid.rows for grid in grids)):
        changed = table
        for column, row in zip(chosen, rows, strict=True):
            changed = with_other_cells(changed, column, np.full(n_rows, row))
        yield answers(changed)


def _as_list(columns: Any) -> list[Any]:
    given = list(columns) if isinstance(columns, list | tuple) else [columns]
    if not 1 <= len(given) <= 2:
        raise DataError(f"Partial dependence is told for one column or for a pair of them. Got {len(given)}.")
    if len(given) == 2 and given[0] == given[1]:
        raise DataError(f"The pair names the column {given[0]!r} twice. Name two different ones.")
    return given


def _kinds_of(model: Any, n_columns: int) -> list[tuple[str | None, tuple[Level, ...]]]:
    """The kinds and levels that a model of treewright has for its columns; what others think is not known."""
    schema = getattr(getattr(model, "_lookup", None), "schema", None)
    if schema is None:
        return [(None, ())] * n_columns
    return [(column.kind, column.levels) for column in schema.columns]

"""`tw.boundary`: what a learner answers over two columns, as regions, with the training rows on top."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import DataError
from treewright.plot.class_plots import named_models
from treewright.plot.regions import Panel, draw_panels, plane_axis
from treewright.plot.style import save_figure, treewright_style
from treewright.table.frame import open_frame, to_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def boundary(
    models: Any,
    X: Any,
    target: Any,
    /,
    *,
    x: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    steps: int = 300,
    random_state: int = 0,
) -> Figure:
    """Draw what learners answer over two columns: regions by colour, how sure by shade, the training rows on top.

    Parameters
    ----------
    models : estimator, list of estimators, or dict of estimators by name
        Any learner of treewright or scikit-learn, a panel each. One that is not fitted learns from the two columns
        alone. One that is fitted is asked as it is, the columns that are not drawn held at their median or most
        frequent level, which the picture says.
    X : table
        The training rows.
    target : column
        What is true of them.
    x, y : names of columns
        What goes across and what goes up. Numbers, moments or levels. Columns of an array are ``"x0"``, ``"x1"`` …
    path : str, optional
        Where to save the figure; the ending (.png, .svg or .pdf) tells the format.
    title : str, optional
        A heading over all panels.
    steps : int, default 300
        How fine the grid is over a column of numbers. More is sharper and slower.
    random_state : int, default 0
        How rows of the same level are shaken, and which rows are shown where there are more than 2,000.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import treewright as tw
    >>> X, t = tw.datasets.load_iris(return_X_y=True)
    >>> depths = {f"depth {d}": tw.DecisionTreeClassifier(max_depth=d) for d in (1, 2, 12)}
    >>> figure = tw.boundary(depths, X, t, x="petallength", y="petalwidth")
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['depth 1', 'depth 2', 'depth 12']
    """
    named = named_models(models, "tw.boundary")
    if isinstance(steps, bool) or not isinstance(steps, int) or not 10 <= steps <= 4000:
        raise DataError(f"steps must be a whole number from 10 to 4000. Got {steps!r}.")
    table, truth = _pandas_table(X), _truth(target, X)
    across, up = plane_axis(table, x, steps), plane_axis(table, y, steps)
    if x == y:
        raise DataError(f"x and y are both {x!r}. Take two different columns.")
    panels = [Panel(name, *_fitted(model, table, truth, [x, y])) for name, model in named.items()]
    with treewright_style():
        figure = draw_panels(panels, table, truth, (across, up), title, random_state)
        if path is not None:
            save_figure(figure, path)
    return figure


def _pandas_table(X: Any) -> pd.DataFrame:
    import pandas as pd

    table = to_table(X)
    frame = open_frame(table if hasattr(table, "shape") else np.asarray(table))
    if frame.matrix is not None:
        return pd.DataFrame(frame.matrix, columns=list(frame.names))
    return pd.DataFrame({name: frame.column(j).to_pandas() for j, name in enumerate(frame.names)}).reset_index(
        drop=True
    )


def _truth(target: Any, X: Any) -> Any:
    truth = np.asarray(target)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if truth.shape != (n_rows,):
        raise DataError(
            f"The target must have one value for each of the {n_rows:,} rows. It has the shape {truth.shape}."
        )
    return truth


def _fitted(model: Any, table: pd.DataFrame, truth: Any, names: list[Any]) -> tuple[Any, list[Any]]:
    """Give a fitted model and the columns that it takes."""
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError:
        known = table[names].notna().all(axis=1).to_numpy()
        learner = clone(model) if _takes_tables(model) else _with_coded_levels(clone(model), table, names)
        try:
            return learner.fit(table.loc[known, names], truth[known]), names
        except ValueError as error:
            raise DataError(
                f"{type(model).__name__} could not learn from '{names[0]}' and '{names[1]}': {error}"
            ) from error
    needed = list(getattr(model, "feature_names_in_", table.columns))
    missing = [name for name in needed if name not in table.columns]
    if missing or getattr(model, "n_features_in_", len(needed)) != len(needed):
        lacking = f" It lacks {missing[0]!r}." if missing else ""
        raise DataError(f"The table has other columns than {type(model).__name__} was trained on.{lacking}")
    return model, needed


def _takes_tables(model: Any) -> bool:
    from sklearn.pipeline import Pipeline

    return type(model).__module__.startswith("treewright.") or isinstance(model, Pipeline)


def _with_coded_levels(model: Any, table: pd.DataFrame, names: list[Any]) -> Any:
    """Put a coding of the levels before a learner that takes numbers only."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    nominal = [name for name in names if table[name].dtype.kind not in "iuf"]
    if not nominal:
        return model
    coding = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), nominal), remainder="passthrough")
    return make_pipeline(coding, model)

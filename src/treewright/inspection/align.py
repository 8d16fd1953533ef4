"""`tw.align`: any table as a model wants it: its columns in its order, its levels as it writes them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright import _core
from treewright.errors import DataError, ReadingWarning, nearest
from treewright.table.unknown_levels import meant_levels

if TYPE_CHECKING:
    import pandas as pd

    from treewright.table.schema import Column, Schema

MOST_EXAMPLES = 3
ABSENT = "treewright_absent"  # where a frame tells which columns were added without a value


def align(table: Any, model: Any) -> pd.DataFrame:
    """Give a table as a fitted model wants it, for its `predict`.

    Columns are put into the order of the model; those that it does not know are left out, and so may be those that none
    of its trees asks for. Levels that differ from the model's by case or blanks only are written as the model writes
    them, which is told by a `ReadingWarning`.

    Parameters
    ----------
    table : pandas, polars or pyarrow table, or a dict of columns
    model : fitted estimator of treewright

    Returns
    -------
    pandas.DataFrame

    Examples
    --------
    >>> import pandas as pd
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> new = pd.DataFrame({"note": ["a"], "petalwidth": [0.2], "petallength": [1.4]})
    >>> model.predict(tw.align(new, model)).tolist()
    ['Iris-setosa']
    """
    from sklearn.utils.validation import check_is_fitted  # here: a model that is only asked starts without it

    check_is_fitted(model)
    schema = schema_asked(model)
    frame, notes = aligned(_as_pandas(table), schema, used_columns(model))
    for note in notes:
        warnings.warn(ReadingWarning(note), stacklevel=2)
    return frame[list(schema.names)]


def schema_asked(model: Any) -> Schema:
    """Give the columns that a model was trained on."""
    schema: Schema = model._lookup.schema
    return schema


def used_columns(model: Any) -> set[str]:
    """Name the columns that a model looks at: those that its trees ask for, or all where it is no tree.

    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> sorted(used_columns(tw.DecisionTreeClassifier(max_depth=1).fit(X, y)))
    ['petallength']
    """
    names = schema_asked(model).names
    trees = model.trees_ if hasattr(model, "trees_") else [model.tree_] if hasattr(model, "tree_") else None
    starts_from_another = "init_" in model.__dict__  # which looks at columns of its own
    if (
        trees is None
        or starts_from_another
        or getattr(model, "missing", None) == "refuse"
        or getattr(model, "refuses_missing", False)
    ):
        return set(names)
    used: set[int] = set()
    core = getattr(trees, "core", None)  # of many small trees: their columns all at once
    for arrays in [core.arrays()] if isinstance(core, _core.Ensemble) else (tree.arrays for tree in trees):
        for name in ("column", "surrogate_column", "term_column", "equation_column"):
            if name in arrays:
                used.update(np.unique(np.asarray(arrays[name])).astype(int).tolist())
    return {names[j] for j in used if j >= 0}


def aligned(frame: pd.DataFrame, schema: Schema, used: Iterable[str]) -> tuple[pd.DataFrame, list[str]]:
    """Add columns that nobody asks for as missing, refuse to do so with others, match levels; tell what was done."""
    present = [str(name) for name in frame.columns]
    frame = frame.set_axis(present, axis=1)
    lacking = [name for name in schema.names if name not in present]
    needed = [name for name in lacking if name in set(used)]
    if needed:
        shown = ", ".join(f"'{name}'" for name in needed[:10]) + (" …" if len(needed) > 10 else "")
        raise DataError(
            f"The table lacks {len(needed)} of the {len(set(used))} columns that the model asks for: {shown}. "
            f"{nearest(needed[0], present)} Add or rename the columns; empty cells are allowed."
        )
    frame = frame.assign(**dict.fromkeys(lacking, np.nan))
    if lacking:
        frame.attrs[ABSENT] = lacking
    notes = []
    for column in schema.columns:
        if column.value_type == "text" and column.name in present:
            matched, pairs = match_levels(frame[column.name], column)
            if pairs:
                frame = frame.assign(**{column.name: matched})
                shown = ", ".join(f"'{given}' is '{level}'" for given, level in list(pairs.items())[:MOST_EXAMPLES])
                notes.append(f"Column '{column.name}' writes levels in another way, which are taken as known: {shown}.")
    return frame, notes


def match_levels(cells: pd.Series, column: Column) -> tuple[pd.Series, dict[str, str]]:
    """Write levels that differ by case or blanks only as the model does, where only one of its levels can be meant.

    >>> import pandas as pd
    >>> from treewright.table.schema import Column
    >>> match_levels(pd.Series(["Male ", "female"]), Column("sex", "nominal", "text", ("female", "male")))[1]
    {'Male ': 'male'}
    """
    pairs = meant_levels(cells.dropna().unique().tolist(), column.levels)
    return (cells.replace(pairs), pairs) if pairs else (cells, pairs)


def _as_pandas(table: Any) -> pd.DataFrame:
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return table
    if isinstance(table, dict):
        return pd.DataFrame(table)
    if hasattr(table, "to_pandas"):
        frame: pd.DataFrame = table.to_pandas()
        return frame
    raise DataError(f"tw.align takes a table with named columns, but it was given a {type(table).__name__}.")

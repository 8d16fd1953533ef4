"""What a table for prediction holds that the model cannot know: told before the answers are trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from treewright.cli.fitted_model import schema_of
from treewright.cli.screen import count, note

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from treewright.table.schema import Column

MOST_NAMES = 5
MOST_LEVELS = 3


def report_unknown_values(fitted: Any, frame: pd.DataFrame, columns: pd.DataFrame) -> None:
    """Tell on stderr of cells that are missing, of levels never seen in training, and of columns not used."""
    from treewright.inspection.align import ABSENT

    absent = set(frame.attrs.get(ABSENT, ()))
    holes = columns.isna().sum().items()
    note_missing({str(name): int(number) for name, number in holes if number and name not in absent})
    unseen = unseen_levels(schema_of(fitted).columns, columns)
    if unseen:
        note(f"{_cells(unseen)}: a level never seen in training. They are treated as missing.")
    for column in schema_of(fitted).columns:
        _note_strange(column, columns[column.name].dropna(), unseen.get(column.name, 0))
    numbers = {
        str(name): cells.to_numpy(float, na_value=math.nan) for name, cells in columns.select_dtypes("number").items()
    }
    note_far_outside(schema_of(fitted).columns, numbers)
    note_unused([str(name) for name in frame.columns], [str(name) for name in columns.columns])


def _note_strange(column: Column, known: pd.Series, n_unseen: int) -> None:
    """Say loudly that a column is hardly the one that the model was trained on."""
    if 2 * n_unseen <= len(known):
        return
    strange = known[~known.isin(column.levels)].unique().tolist()[:MOST_LEVELS]
    trained = ", ".join(map(repr, column.levels[:MOST_LEVELS]))
    note(
        f"MOST CELLS OF '{column.name}' ARE UNKNOWN ({n_unseen:,} of {len(known):,}), such as "
        f"{', '.join(map(repr, strange))}. The model was trained on {trained}. "
        "Is it the right column, and are its levels written alike? Its answers are guesses from the other columns."
    )


def note_missing(cells: dict[str, int]) -> None:
    """Tell on stderr how many cells have no value."""
    if cells:
        note(f"{_cells(cells)}: no value. They go where the tree sends missing values.")


def note_far_outside(known: Sequence[Column], numbers: Mapping[str, NDArray[Any]]) -> None:
    """Tell on stderr of numbers far outside what training had: mistyped, in other units, or another column.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.table.schema import Column
    >>> note_far_outside([Column("age", "numeric", range=(20.0, 60.0))], {"age": np.array([41.0, 410.0])})
    """
    from treewright.table.value_range import far_outside, range_text

    plain = {column.name: column for column in known if column.value_type == "number" and column.name in numbers}
    far = {name: far_outside(column, numbers[name]) for name, column in plain.items()}
    cells = {name: int(found.sum()) for name, found in far.items() if found.any()}
    for name in list(cells)[:1]:
        column, row = plain[name], int(far[name].argmax())
        example = f"{column.show(numbers[name][row])} in row {row + 1:,} of '{name}' ({range_text(column)})"
        note(f"{_cells(cells)}: far outside what training had, such as {example}.")


def note_unused(names: Sequence[str], used: Sequence[str]) -> None:
    """Tell on stderr of columns that the model does not look at."""
    extra = [name for name in names if name not in set(used)]
    if extra:
        note(f"{count(len(extra), 'column')} of the table not used by the model: {_names(extra)}.")


def unseen_levels(known: Any, columns: pd.DataFrame) -> dict[str, int]:
    """Count, for each nominal or ordinal column, the cells whose level the training rows did not have.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.table.schema import Column
    >>> unseen_levels([Column("job", "nominal", "text", ("clerk", "smith"))], pd.DataFrame({"job": ["smith", "king"]}))
    {'job': 1}
    """
    numbers = {}
    for column in known:
        if column.kind != "numeric":
            present = columns[column.name].dropna()
            numbers[column.name] = int((~present.isin(column.levels)).sum())
    return {name: number for name, number in numbers.items() if number}


def _cells(numbers: dict[str, int]) -> str:
    named = [f"{name} ({number:,})" for name, number in numbers.items()]
    return f"{count(sum(numbers.values()), 'cell')} in {_names(named)}"


def _names(names: list[str]) -> str:
    shown = ", ".join(names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{shown} and {len(names) - MOST_NAMES} more"

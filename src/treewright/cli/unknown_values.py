"""What a table for prediction holds that the model cannot know: told before the answers are trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.cli.fitted_model import schema_of
from treewright.cli.screen import count, note

if TYPE_CHECKING:
    import pandas as pd

MOST_NAMES = 5


def report_unknown_values(fitted: Any, frame: pd.DataFrame, columns: pd.DataFrame) -> None:
    """Tell on stderr of cells that are missing, of levels never seen in training, and of columns not used."""
    missing = {str(name): int(number) for name, number in columns.isna().sum().items() if number}
    if missing:
        note(f"{_cells(missing)}: no value. They go where the tree sends missing values.")
    unseen = unseen_levels(schema_of(fitted).columns, columns)
    if unseen:
        note(f"{_cells(unseen)}: a level never seen in training. They are treated as missing.")
    extra = [str(name) for name in frame.columns if name not in set(columns.columns)]
    if extra:
        note(f"{count(len(extra), 'column')} of the table not used by the model: {_names(extra)}.")


def unseen_levels(known: Any, columns: pd.DataFrame) -> dict[str, int]:
    """Count, for each nominal or ordinal column, the cells whose level the training rows did not have.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.encode.schema import Column
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

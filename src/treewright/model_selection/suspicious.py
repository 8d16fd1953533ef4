"""What to look at before a model is believed: columns that give the answer away, and strange targets."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.errors import ColumnWarning, DataError
from treewright.table.column_remarks import columns_told, is_told, lines_of_ours
from treewright.table.encode import lay_out
from treewright.table.frame import is_frame, open_frame
from treewright.wording import leave_out_words, task_words

if TYPE_CHECKING:
    import pandas as pd

NEARLY_ALL = 0.99  # of the rows are answered by one column alone
FEW_ERRORS = 0.15  # of those of guessing are left then: where one class has nearly all rows, 99 % alone say little
MANY_HELD_OUT = 0.97  # of rows that were held out, and …
FEWER_ERRORS = 0.1  # … this share of the errors of guessing: such a column is looked at, too
MOST_ROWS = 20_000  # are looked at
FEWEST_ROWS = 50
MANY_CLASSES = 50
FEW_NUMBERS = 5


def target_notes(columns: pd.DataFrame, target: pd.Series, is_class: bool) -> list[str]:
    """Tell what is strange about a target and about columns that give it away, and what to look at.

    Examples
    --------
    >>> import pandas as pd
    >>> target = pd.Series(["no", "yes"] * 50, name="y")
    >>> target_notes(pd.DataFrame({"copy": [0, 1] * 50, "x": range(100)}), target, True)
    ["Column 'copy' alone tells 'y' in 100 % of the rows. Is it a copy of the target, ... drop(columns='copy') ..."]
    """
    if not is_class and not _is_number(target):
        return []  # the one who decides on the task says what is wrong
    notes = _class_notes(target) if is_class else _number_notes(target)
    if len(target) < FEWEST_ROWS or target.nunique() < 2 or (target.nunique() > MANY_CLASSES and is_class):
        return notes
    rows = np.linspace(0, len(target) - 1, min(len(target), MOST_ROWS)).astype(int)
    columns, target = columns.iloc[rows], target.iloc[rows]
    for name in columns.columns:
        leak = _class_leak(columns[name], target) if is_class else _number_leak(columns[name], target)
        if leak is not None:
            notes.append(
                f"Column '{name}' {leak}. Is it a copy of the target, or known only after it? If it will not be known "
                f"for new rows: {leave_out_words(str(name))} leaves it out."
            )
    return notes


def warn_of_table(
    table: Any,
    target: Any,
    is_class: bool,
    column_kinds: Mapping[Any, Any] | None,
    is_guess: bool = False,
    name: str | None = None,
) -> None:
    """Warn of what is odd about the columns of a frame and its target, unless that has been told.

    Where the task is a guess, three whole numbers or more that are taken as classes are told of. A frame that only
    learners of others can read is left to them. A target without a name of its own, such as an array, may be given one.

    Examples
    --------
    >>> import pandas as pd, warnings
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     warn_of_table(pd.DataFrame({"a": [1] * 20}), pd.Series(["x", "y"] * 10, name="t"), True, None)
    >>> print(told[0].message)
    Column 'a': the same value in every row: it cannot split anything; drop(columns='a') leaves it out.
    """
    if is_told() or not is_frame(table):
        return
    with suppress(DataError):
        columns, column = _in_pandas(table, target, name)
        guessed = _guess_notes(column) if is_class and is_guess else []
        for text in [*guessed, *target_notes(columns, column, is_class)]:
            warnings.warn(ColumnWarning(text), stacklevel=lines_of_ours())
        lay_out(open_frame(table), column_kinds)


def _in_pandas(table: Any, target: Any, name: str | None) -> tuple[pd.DataFrame, pd.Series]:
    import narwhals.stable.v2 as nw
    import pandas as pd

    frame = nw.from_native(table, eager_only=True).to_pandas()
    values = target if isinstance(target, np.ndarray) else target.to_numpy()
    return frame, pd.Series(values, index=frame.index, name=name or getattr(target, "name", None))


def _its_name(target: pd.Series) -> str:
    return "the target" if target.name is None else f"'{target.name}'"


def _called(target: pd.Series) -> str:
    return "The target" if target.name is None else f"The target '{target.name}'"


def _guess_notes(target: pd.Series) -> list[str]:
    """Two numbers are classes to everybody, three may be a count or a mark."""
    n_values = target.nunique()
    if n_values < 3 or target.dtype.kind not in "iuf":
        return []
    return [
        f"{_called(target)} holds {n_values} different integers: taken as classes. To learn it as a number: "
        f"{task_words('regression')}."
    ]


def _class_notes(target: pd.Series) -> list[str]:
    n_classes, n_rows = target.nunique(), len(target)
    if n_classes == 1:
        return [f"{_called(target)} has the same value in every row: there is nothing to learn."]
    if 2 * n_classes > n_rows and n_rows >= FEWEST_ROWS // 2:
        return [
            f"{_called(target)} has {n_classes:,} classes in {n_rows:,} rows: hardly a class is there twice. "
            "Is it an identifier, a date or a number written as text? Choose another target."
        ]
    if n_classes > MANY_CLASSES:
        rare = int((target.value_counts() < FEW_NUMBERS).sum())
        seldom = f", {rare:,} of them in fewer than {FEW_NUMBERS} rows" if rare else ""
        return [
            f"{_called(target)} has {n_classes:,} classes{seldom}. Is it the right column? "
            f"{'Group the rare classes' if rare else 'Group the classes'}, or choose a coarser target."
        ]
    return []


def _number_notes(target: pd.Series) -> list[str]:
    n_values = target.nunique()
    if n_values == 1:
        return [f"{_called(target)} has the same value in every row: there is nothing to learn."]
    if n_values <= FEW_NUMBERS and len(target) >= FEWEST_ROWS:
        shown = ", ".join(f"{value:g}" for value in sorted(target.unique().tolist()))
        return [
            f"{_called(target)} is learnt as a number, but has only the values {shown}. "
            f"If these are classes: {task_words('classification')}."
        ]
    return []


def _class_leak(column: pd.Series, target: pd.Series) -> str | None:
    """Say what one column tells of the classes: by a tree of hardly more leaves than classes, or by being known."""
    known = column.notna()
    if FEW_NUMBERS * 4 <= int(known.sum()) < len(column) and target[known].nunique() == 1 and _tells(known, target):
        return f"is known only where {_its_name(target)} is {target[known].iloc[0]}"
    if column.nunique() < 2 or (not _has_cuts(column) and 5 * column.nunique() > len(column)):
        return None
    guessed = float(target.value_counts(normalize=True).iloc[0])
    if round(len(target) * (1 - guessed)) < FEW_NUMBERS:  # any column of numbers tells one row from the others
        return None
    share = _share_told(column, target)
    if share >= NEARLY_ALL and 1 - share <= FEW_ERRORS * (1 - guessed):
        return f"alone tells {_its_name(target)} in {100 * share:.3g} % of the rows"
    if share < MANY_HELD_OUT or 1 - share > FEWER_ERRORS * (1 - guessed):
        return None
    share = _share_told_held_out(column, target)  # which takes longer
    if share < MANY_HELD_OUT or 1 - share > FEWER_ERRORS * (1 - guessed):
        return None
    return f"alone tells {_its_name(target)} in {100 * share:.3g} % of rows that were held out"


def _tells(known: pd.Series, target: pd.Series) -> bool:
    """Whether the class is the column's only one because the column is known there, not because the class is common."""
    first = target[known].iloc[0]
    return bool((target[~known] == first).mean() < 0.5)


def _share_told(column: pd.Series, target: pd.Series) -> float:
    every = np.ones(len(target), dtype=bool)
    return float(np.mean(_is_told(column, target, every, every)))


def _share_told_held_out(column: pd.Series, target: pd.Series) -> float:
    """The same of rows that the tree has not seen: levels that are there once are known by heart otherwise.

    The halves are every second row in the order of class and value, so that they do not depend on the order of rows.
    """
    codes = column.rank(method="dense") if _has_cuts(column) else column.astype("str").rank(method="dense")
    order = np.lexsort([codes.fillna(-1).to_numpy(), target.rank(method="dense").to_numpy()])
    half = np.empty(len(target), dtype=bool)
    half[order] = np.arange(len(target)) % 2 == 0
    return float(
        np.mean(np.concatenate([_is_told(column, target, ~half, half), _is_told(column, target, half, ~half)]))
    )


def _is_told(
    column: pd.Series, target: pd.Series, seen: npt.NDArray[np.bool_], asked: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Of each row that is asked for whether a small tree of the rows that are seen gives its class."""
    from treewright.learners.trees.decision_tree import DecisionTreeClassifier

    model: Any = DecisionTreeClassifier(max_leaf_nodes=target.nunique() + 1, n_jobs=1)
    frame = column.to_frame()
    with columns_told():
        answers = model.fit(frame[seen], target[seen]).predict(frame[asked])
    told: npt.NDArray[np.bool_] = answers == target[asked].to_numpy()
    return told


def _number_leak(column: pd.Series, target: pd.Series) -> str | None:
    if not _is_number(column):
        return None
    both = column.notna().to_numpy()
    one, other = column.to_numpy(dtype=float, na_value=np.nan)[both], target.to_numpy(dtype=float)[both]
    if len(one) < FEWEST_ROWS or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    with np.errstate(all="ignore"):
        related = abs(float(np.corrcoef(one, other)[0, 1]))
    return f"is {_its_name(target)} in other units (correlation {related:.4f})" if related > 0.9999 else None


def _has_cuts(column: pd.Series) -> bool:
    """Numbers and dates: two cuts of many values are no table of them by heart."""
    from pandas.api import types

    return _is_number(column) or bool(types.is_datetime64_any_dtype(column))


def _is_number(column: pd.Series) -> bool:
    from pandas.api import types

    return bool(types.is_numeric_dtype(column) and not types.is_bool_dtype(column))

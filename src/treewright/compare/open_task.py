"""From what the user gives to what is compared: a table that can be cut into rows, a clean target, a task."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.compare.contestants import task_of_estimators
from treewright.compare.one_fold import Task
from treewright.encode.input_frame import to_table
from treewright.encode.target import target_column
from treewright.errors import DataError, nearest
from treewright.evaluate.task_of_target import holds_numbers, is_target_of_classes

TASKS = ("classification", "regression")
LARGE = 2_000_000  # cells; processes are started at once


def open_task(X: Any, y: Any, owner: str, *, task: str | None, algorithms: Any, positive: Any = None) -> Task:
    """Check table and target, and tell the task: as wished, else by the estimators given, else by the target.

    Examples
    --------
    >>> open_task([[1], [2]], ["a", "b"], "compare", task=None, algorithms=None).name
    'classification'
    >>> open_task([[1], [2]], ["a", None], "compare", task=None, algorithms=None)
    Traceback (most recent call last):
    treewright.errors.DataError: The target of compare has no value in row 1 (the first is 0). Leave such rows out.
    """
    if hasattr(X, "fit") or isinstance(X, str):
        raise DataError(f"{owner} takes the table first: tw.{owner}(X, y, …). Got {type(X).__name__} as the table.")
    table = to_table(X)
    table = table if hasattr(table, "shape") else np.asarray(table)
    if len(table.shape) != 2:
        raise DataError(f"A table has rows and columns, but X has the shape {table.shape}. Reshape it.")
    if task is not None and task not in TASKS:
        raise DataError(f"There is no task '{task}'. {nearest(str(task), TASKS)}")
    column = target_column(y, table.shape[0], owner)
    values = column if isinstance(column, np.ndarray) else column.to_numpy()
    _refuse_holes(values, owner)
    wanted = task or task_of_estimators(algorithms) or _told_by(values)
    return Task(table, _numbers(values) if wanted == "regression" else values, wanted, _class(positive, values))


def is_large(task: Task) -> bool:
    """Whether a fit is likely to take so long that processes are worth their start."""
    return bool(task.X.shape[0] * task.X.shape[1] > LARGE)


def _refuse_holes(values: NDArray[Any], owner: str) -> None:
    import pandas as pd

    holes = np.flatnonzero(pd.isna(values))
    if len(holes):
        more = f" and {len(holes) - 1} more" if len(holes) > 1 else ""
        raise DataError(
            f"The target of {owner} has no value in row {holes[0]}{more} (the first is 0). Leave such rows out."
        )
    if not len(values):
        raise DataError(f"The table of {owner} has no rows.")


def _told_by(values: NDArray[Any]) -> str:
    import pandas as pd

    return "classification" if is_target_of_classes(pd.Series(values)) else "regression"


def _numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    import pandas as pd

    if not holds_numbers(pd.Series(values).infer_objects()):
        raise DataError(
            f"The target holds no numbers ({values[0]!r} in its first row), so it cannot be learnt by regression."
        )
    return np.asarray(values, dtype=np.float64)


def _class(positive: Any, values: NDArray[Any]) -> Any:
    if positive is not None and positive not in set(values.tolist()):
        known = [str(value) for value in dict.fromkeys(values.tolist())]
        raise DataError(f"positive={positive!r} is no class of the target. {nearest(str(positive), known)}")
    return positive

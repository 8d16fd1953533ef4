"""Classification or regression: told by the target column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

TASKS = ("classification", "regression")


def decide_task(target: pd.Series, wish: str | None) -> tuple[str, str | None]:
    """Give the task, and a note where the choice could surprise.

    Text, categories and booleans are classes; so are integers with at most ten different values; other numbers
    are learnt as numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> decide_task(pd.Series(["good", "bad"], name="class"), None)
    ('classification', None)
    >>> decide_task(pd.Series([1.5, 2.5], name="price"), None)
    ('regression', None)
    >>> decide_task(pd.Series([0, 1, 1], name="died"), None)[1]
    "'died' holds 2 different integers: taken as classes. To learn it as a number: --task regression."
    """
    from treewright.evaluate.task_of_target import holds_numbers, is_target_of_classes

    is_number = holds_numbers(target)
    if wish == "regression" and not is_number:
        raise DataError(
            f"Column '{target.name}' holds no numbers ({_example(target)}), so it cannot be the target of a "
            "regression. Leave out --task, or choose another target."
        )
    if wish is not None:
        return wish, None
    if not is_target_of_classes(target):
        return "regression", None
    if not is_number:
        return "classification", None
    return "classification", (
        f"'{target.name}' holds {target.nunique()} different integers: taken as classes. "
        "To learn it as a number: --task regression."
    )


def _example(target: pd.Series) -> str:
    return f"'{target.iloc[0]}' in its first row" if len(target) else "it is empty"

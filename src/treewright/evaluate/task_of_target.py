"""Is a target column one of classes or one of numbers?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

FEW_VALUES = 10


def holds_numbers(target: pd.Series) -> bool:
    """Tell whether a column holds numbers at all; truth values are none.

    Examples
    --------
    >>> import pandas as pd
    >>> holds_numbers(pd.Series([1, 2])), holds_numbers(pd.Series([True, False])), holds_numbers(pd.Series(["1", "2"]))
    (True, False, False)
    """
    from pandas.api import types

    return bool(types.is_numeric_dtype(target) and not types.is_bool_dtype(target))


def is_target_of_classes(target: pd.Series) -> bool:
    """Text, categories and booleans are classes; so are integers with at most ten different values.

    Examples
    --------
    >>> import pandas as pd
    >>> is_target_of_classes(pd.Series(["good", "bad"])), is_target_of_classes(pd.Series([0, 1, 1]))
    (True, True)
    >>> is_target_of_classes(pd.Series([1.5, 2.5])), is_target_of_classes(pd.Series(range(100)))
    (False, False)
    """
    return not holds_numbers(target) or (_holds_integers(target) and target.nunique() <= FEW_VALUES)


def _holds_integers(target: pd.Series) -> bool:
    """Tell whole numbers, also where missing values have made a column of integers one of floats."""
    from pandas.api import types

    known = target.dropna()
    return types.is_integer_dtype(target) or bool((known == known.round()).all())

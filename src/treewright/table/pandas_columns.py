"""The columns of a pandas frame as narwhals has them, each made when it is asked for; their names.

To make them all takes longer than to grow a tree from a small table, and most are learnt from as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from treewright.table.time_zones import in_utc


class PandasColumns(Sequence[nw.Series[Any]]):
    """The columns of a frame, in their order.

    Examples
    --------
    >>> import pandas as pd
    >>> columns = PandasColumns(pd.DataFrame({"age": [20, 30], "job": ["cook", None]}))
    >>> len(columns), columns[1].name, columns.natives[0].tolist()
    (2, 'job', [20, 30])
    """

    def __init__(self, frame: Any) -> None:
        self.natives: tuple[Any, ...] = tuple(column for _, column in frame.items())
        self._made: list[nw.Series[Any] | None] = [None] * len(self.natives)

    def __len__(self) -> int:
        return len(self.natives)

    @overload
    def __getitem__(self, place: int) -> nw.Series[Any]: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[nw.Series[Any], ...]: ...
    def __getitem__(self, place: int | slice) -> nw.Series[Any] | tuple[nw.Series[Any], ...]:
        if isinstance(place, slice):
            return tuple(self[j] for j in range(*place.indices(len(self))))
        made = self._made[place]
        if made is None:
            column = _in_native_order(self.natives[place])
            made = self._made[place] = in_utc(nw.from_native(column, series_only=True))
        return made


def _in_native_order(column: Any) -> Any:
    """The same numbers in the byte order of this machine: pandas counts no others."""
    is_foreign = isinstance(column.dtype, np.dtype) and not column.dtype.isnative
    return column.astype(column.dtype.newbyteorder("=")) if is_foreign else column


def names_in(X: Any) -> NDArray[Any] | None:
    """Give the names of the columns as scikit-learn does: None where there are none, or none of them is a text.

    Examples
    --------
    >>> import pandas as pd
    >>> names_in(pd.DataFrame({"age": [1]})), names_in(np.ones((1, 1)))
    (array(['age'], dtype=object), None)
    """
    if type(X) is np.ndarray:
        return None
    if nw.dependencies.is_pandas_dataframe(X) and X.columns.nlevels == 1:
        given = X.columns.tolist()
        if set(map(type, given)) == {str}:
            return np.array(given, dtype=object)
    from sklearn.utils.validation import _get_feature_names  # slow to import, and most questions have no frame

    return _get_feature_names(X)  # type: ignore[no-any-return]

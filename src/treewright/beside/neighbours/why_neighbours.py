"""Why a row gets its answer from its neighbours: who they are, how far, and what each says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright.pages.blocks import Block, Paragraph, Table
from treewright.pages.page import Page

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 20  # neighbours
_COLUMNS_BEFORE_VALUES = 4  # row, distance, vote, target


@dataclass(frozen=True)
class WhyNeighbours(Page):
    """The answer to one row, and the rows that gave it. Print it, or take `neighbours`, a data frame."""

    answer: Any
    target: str
    neighbours: pd.DataFrame
    has_classes: bool

    @property
    def title(self) -> str:
        """The heading of the page."""
        return f"Why {self._shown(self.answer)}?"

    @property
    def sentence(self) -> str:
        """The reason in a sentence."""
        n = len(self.neighbours)
        said = self.neighbours.iloc[:, _COLUMNS_BEFORE_VALUES - 1]
        if not self.has_classes:
            low, high = self._shown(said.min()), self._shown(said.max())
            return f"{self._shown(self.answer)}, the mean of its {n} nearest rows, which have {low} to {high}."
        agree = said == self.answer
        votes = float(self.neighbours.loc[agree, "vote"].sum())
        weighing = "" if abs(votes - agree.sum() / n) < 1e-9 else f", with {votes:.0%} of the votes"
        return f"{self.answer}, because {agree.sum()} of its {n} nearest rows are {self.answer}{weighing}."

    def blocks(self) -> Iterator[Block]:
        """The sentence, then the rows, the nearest first."""
        yield Paragraph(self.sentence)
        shown = self.neighbours.head(_SHOWN)
        cells = (tuple(self._shown(value) for value in row) for row in shown.itertuples(index=False))
        yield Table(tuple(map(str, shown.columns)), tuple(cells), numbers=frozenset({0, 1, 2}))
        if len(self.neighbours) > _SHOWN:
            yield Paragraph(f"{len(self.neighbours) - _SHOWN:,} more rows are as near as the last one.")

    def to_dict(self) -> Any:
        """Give answer, sentence and neighbours as plain values."""
        rows = self.neighbours.astype(object).where(self.neighbours.notna(), None).to_dict("records")
        return {"answer": self.answer, "sentence": self.sentence, "neighbours": rows}

    @staticmethod
    def _shown(value: Any) -> str:
        if value is None or value != value:
            return "missing"
        return f"{value:.4g}" if isinstance(value, float) else str(value)

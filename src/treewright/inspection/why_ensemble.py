"""Why many trees together give a row its answer: how they agree, and the conditions that most of them share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from treewright.inspection.change import SingleChange, cuts_by_column, has_sums, single_change
from treewright.inspection.conditions import Condition, NumberRange, merge_path
from treewright.inspection.counterfactual import DesiredOutcome
from treewright.inspection.decision_path import DecisionPath, RowValues, Step
from treewright.inspection.support import answer_text
from treewright.pages.blocks import Block, Paragraph, Table
from treewright.pages.page import Page
from treewright.tree.format import even_texts, largest_first, mean_text, name_text, share_text
from treewright.tree.test import cut_text
from treewright.tree.tree import Tree

# What many trees ask on the way of one row: the conditions that most of them share.


ABOVE, AT_MOST, LEVEL, MISSING, SUM = "above", "at most", "level", "missing", "sum"


@dataclass
class SharedCondition:
    """A kind of condition on one column, in how many trees it stands on the row's way, and its cuts in them."""

    column: int
    kind: str
    row: RowValues
    n_trees: int = 0
    cuts: list[float] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The condition in words, with the median of the cuts."""
        column = self.row.schema.columns[self.column]
        name = name_text(column.name)
        if self.kind in (ABOVE, AT_MOST):
            sign = ">" if self.kind == ABOVE else "<="
            return f"{name} {sign} {cut_text(column, float(np.median(self.cuts)), 4)}"
        if self.kind == SUM:
            return f"weighted sums with {name}"
        return f"{name} is {self.row.shown(self.column)}"

    @property
    def middle_half(self) -> str:
        """Where the middle half of the cuts lies; empty for levels."""
        if not self.cuts:
            return ""
        column = self.row.schema.columns[self.column]
        low, high = np.quantile(self.cuts, [0.25, 0.75], method="nearest").tolist()
        return cut_text(column, low, 4) if low == high else f"{cut_text(column, low, 4)} to {cut_text(column, high, 4)}"


def shared_conditions(row: RowValues, ways: Iterable[tuple[Tree, list[Step]]]) -> list[SharedCondition]:
    """Count the conditions on the ways of a row through many trees; those of most trees first.

    Conditions on the same column and side of one tree are merged first, so each tree counts once.

    Examples
    --------
    >>> from treewright.table.encode import RowEncoder
    >>> from treewright.inspection.decision_path import read_row
    >>> from treewright.inspection.decision_path import walk
    >>> from treewright.tree import example_tree
    >>> tree = example_tree()
    >>> row = read_row(RowEncoder(tree.schema), ["rain", 70])
    >>> found = shared_conditions(row, [(tree, walk(tree, row.numbers)[0])] * 3)
    >>> [(shared.text, shared.n_trees) for shared in found]
    [('outlook is rain', 3), ('humidity <= 82.5', 3)]
    """
    found: dict[tuple[int, str], SharedCondition] = {}
    for tree, steps in ways:
        for column, kind, cut in _conditions(tree, steps):
            shared = found.setdefault((column, kind), SharedCondition(column, kind, row))
            shared.n_trees += 1
            shared.cuts += [] if cut is None else [cut]
    return sorted(found.values(), key=lambda shared: -shared.n_trees)


def _conditions(tree: Tree, steps: list[Step]) -> Iterator[tuple[int, str, float | None]]:
    """Give (column, kind, cut) of what one tree asks on the way of a row, each column and kind once."""
    merged = merge_path(tree, [(step.node, step.branch) for step in steps if step.by == "test"])
    asked = tree.arrays["column"]
    lacking = {int(asked[step.node]) for step in steps if step.by != "test"}
    yield from ((column, MISSING, None) for column in sorted(lacking))
    sums = {int(asked[condition.node]) for condition in merged.values() if condition.column < 0}
    yield from ((column, SUM, None) for column in sorted(sums))
    for condition in merged.values():
        if condition.column >= 0:
            yield from _sides(condition)


def _sides(condition: Condition) -> Iterator[tuple[int, str, float | None]]:
    if not isinstance(condition.allowed, NumberRange):
        yield condition.column, LEVEL, None
        return
    if condition.allowed.low is not None:
        yield condition.column, ABOVE, condition.allowed.low
    if condition.allowed.high is not None:
        yield condition.column, AT_MOST, condition.allowed.high


_IN_SENTENCE = 3
_LISTED = 12


class WhyTogether(Page):
    """Why a model of many trees answers a row as it does. Print it, or take it apart.

    Made by `model.why(row)`. What takes time is computed when it is first asked for.

    Attributes
    ----------
    prediction : class or number
        The answer.
    sentence : str
        The answer, how the trees agree, and what most of them ask.
    shared : list of SharedCondition
        The conditions on the row's way, those of most trees first.
    contributions : dict or None
        How much each column moved the answer (SHAP values), the largest first.
    change : SingleChange or None
        The smallest change of one column that gives another answer.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.RandomForestClassifier(50, random_state=0).fit(X, y)
    >>> print(model.why(X.iloc[0]))
    Iris-setosa: 50 of 50 trees say so, most of them because petallength <= 2.45 (27 trees).
    <BLANKLINE>
      on the way           this row  trees  share  middle half of the cuts
      petallength <= 2.45  1.4          27   54 %  2.45 to 2.6
      petalwidth <= 0.8    0.2          24   48 %  0.8
      sepallength <= 5.45  5.1          12   24 %  5.45 to 5.55
      sepalwidth > 2.8     3.5           1    2 %  2.8
    <BLANKLINE>
      column       moved the answer by
      petallength              +0.3295
      petalwidth               +0.2463
      sepallength              +0.0905
      sepalwidth                0.0000
    <BLANKLINE>
    It would be Iris-versicolor if petallength goes from 1.4 to 2.6.
    """

    def __init__(
        self, model: Any, row: RowValues, prediction: Any, wanted: DesiredOutcome | None, fixed: frozenset[int]
    ) -> None:
        self.model = model
        self.row = row
        self.prediction = prediction
        self._wanted, self._fixed = wanted, fixed

    def _text_of(self, answer: Any) -> str:
        return answer_text(answer, is_class=hasattr(self.model, "classes_"))

    @cached_property
    def trees(self) -> Sequence[Tree]:
        """The trees, each made once."""
        return list(self.model.trees_)

    @cached_property
    def _ways(self) -> list[tuple[Tree, DecisionPath]]:
        return [(tree, DecisionPath.of(tree, self.row.numbers)) for tree in self.trees]

    @cached_property
    def shared(self) -> list[SharedCondition]:
        """The conditions on the row's way, those of most trees first."""
        return shared_conditions(self.row, ((tree, way.steps) for tree, way in self._ways))

    @property
    def tree_answers(self) -> list[Any]:
        """What each tree answers alone."""
        return [way.answer for _, way in self._ways]

    @cached_property
    def sentence(self) -> str:
        """The answer, how the trees agree, and what most of them ask."""
        n = len(self.trees)
        most = [shared for shared in self.shared if shared.n_trees > n / 2][:_IN_SENTENCE] or self.shared[:2]
        facts = " and ".join(f"{shared.text} ({shared.n_trees:,} trees)" for shared in most)
        because = f", most of them because {facts}" if facts else ""
        return f"{self._text_of(self.prediction)}: {self._agreement()}{because}."

    def _agreement(self) -> str:
        answers, n = self.tree_answers, len(self.trees)
        if self.trees[0].classes is not None:
            return f"{Counter(answers)[self.prediction]:,} of {n:,} trees say so"
        numbers = np.array(answers, dtype=np.float64)
        if isinstance(self.prediction, float) and np.isclose(numbers.mean(), self.prediction, rtol=1e-9):
            low, high = np.quantile(numbers, [0.25, 0.75]).tolist()
            return f"{n:,} trees, the middle half of them between {mean_text(low)} and {mean_text(high)}"
        return f"{n:,} trees add up to it"

    @cached_property
    def contributions(self) -> dict[str, float] | None:
        """How much each column moved the answer away from the mean (SHAP values), the largest first.

        None for a model without `shap_values`.
        """
        if not hasattr(self.model, "shap_values"):
            return None
        values = np.asarray(self.model.shap_values(self.model._one_row_table(self.row.given)))[0]
        if values.ndim == 2:
            values = values[:, self.model.classes_.tolist().index(self.prediction)]
        return {self.row.schema.names[j]: float(values[j]) for j in largest_first(np.abs(values))}

    @cached_property
    def change(self) -> SingleChange | None:
        """The smallest change of one column that gives another answer; None where there is none."""
        if self._wanted is None:
            return None
        cuts = cuts_by_column(self.trees, len(self.row.schema.columns))
        return single_change(self.row, cuts, self._wanted, self._fixed, self.model._answers_to_rows)

    @property
    def change_text(self) -> str:
        """The smallest change as a sentence; empty where none was asked for."""
        if self._wanted is None:
            return ""
        if self.change is None:
            if has_sums(self.trees):  # their borders in a column depend on the others, so not all of them are tried
                return f"No change of one column alone was found that gives {self._wanted.words}."
            return f"No change of one column alone gives {self._wanted.words}."
        ask = f"Why not {self._wanted.words}? " if self._wanted.kind != "other" else ""
        return f"{ask}It would be {self._text_of(self.change.answer)} if {self.change.words}."

    # ---------------------------------------------------------------- as a page
    @property
    def title(self) -> str:
        """The heading of the page."""
        return f"Why {self._text_of(self.prediction)}?"

    def blocks(self) -> Iterator[Block]:
        """Give the explanation as blocks, whatever it will be written as."""
        yield Paragraph(self.sentence)
        n = len(self.trees)
        rows = [
            (s.text, self.row.shown(s.column), f"{s.n_trees:,}", share_text(s.n_trees / n), s.middle_half)
            for s in self.shared[:_LISTED]
        ]
        headings = ("on the way", "this row", "trees", "share", "middle half of the cuts")
        yield Table(headings, tuple(rows), frozenset({2, 3}))
        if self.contributions:
            names, values = zip(*list(self.contributions.items())[:_LISTED], strict=True)
            parts = zip(map(name_text, names), even_texts(values, signed=True), strict=True)
            yield Table(("column", "moved the answer by"), tuple(parts), frozenset({1}))
        if self.change_text:
            yield Paragraph(self.change_text)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return {
            "prediction": self.prediction,
            "sentence": self.sentence,
            "trees": len(self.trees),
            "shared": [
                {"condition": shared.text, "value": self.row.shown(shared.column), "trees": shared.n_trees}
                for shared in self.shared
            ],
            "contributions": self.contributions,
            "change": None if self.change is None else self.change.to_dict(),
        }

    def __repr__(self) -> str:
        return f"<Why: {self.sentence}>"

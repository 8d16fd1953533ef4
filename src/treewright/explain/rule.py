"""One rule of a tree: what holds on the way to a leaf, what it answers, and how much it can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treewright.explain.conditions import Condition
from treewright.explain.support import answer_text
from treewright.tree.node import Node
from treewright.tree.tree import Tree
from treewright.tree.wording import number_text, rows_text, share_text


@dataclass(frozen=True)
class Rule:
    """IF conditions THEN prediction.

    Attributes
    ----------
    node : int
        The leaf (or the node where rows without a value stop).
    conditions : tuple of Condition
        Those on the same column are merged. None at all: the rule takes every row.
    prediction : class or number
        What the rule answers.
    n_rows, weight : int, float
        Training rows that it takes, and their weight.
    support : float
        Their share of all training weight.
    confidence : float
        The share of the answered class among them; NaN for numbers.
    low, high : float
        The Wilson interval of the confidence, 95 %, by the number of rows; NaN for numbers.
    lift : float
        The confidence divided by the share of the class among all rows; NaN for numbers.
    cost : float
        What the answer costs for each row, where the model has costs; else NaN.
    spread : float
        For numbers: the standard deviation (or mean deviation) of the rows, where the tree stores it; else NaN.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_fruit(return_X_y=True)
    >>> rule = tw.DecisionTreeClassifier().fit(X, y).rules()[0]
    >>> rule.text(), rule.support, rule.lift
    ('IF shape is curved THEN banana', 0.4, 2.5)
    """

    tree: Tree
    node: int
    conditions: tuple[Condition, ...]
    prediction: Any
    n_rows: int
    weight: float
    support: float
    confidence: float = math.nan
    low: float = math.nan
    high: float = math.nan
    lift: float = math.nan
    cost: float = math.nan
    spread: float = math.nan
    is_stop: bool = False

    def when(self, digits: int = 6, missing: bool = False) -> str:
        """Write the conditions; with `missing` also say which of them take rows without a value."""
        words = [condition.text(digits, missing) for condition in self.conditions]
        if self.is_stop:
            test = Node(self.tree, self.node).test
            words.append(f"{test.column if test is not None else ''} is missing or new")
        return " AND ".join(words) if words else "anything"

    def then(self) -> str:
        """Write the answer: a class, a number or an equation."""
        equation = Node(self.tree, self.node).equation
        return answer_text(self.prediction) if equation is None else equation

    def text(self, digits: int = 6, missing: bool = False) -> str:
        """Write the rule."""
        return f"IF {self.when(digits, missing)} THEN {self.then()}"

    def numbers_text(self) -> str:
        """Write how many rows it takes and how sure it is."""
        said = [rows_text(self.n_rows), f"support {share_text(self.support)}"]
        if not math.isnan(self.confidence):
            sure = f"{share_text(self.low)} to {share_text(self.high)}"
            said.append(f"confidence {share_text(self.confidence)} ({sure})")
        for word, number in (("lift", self.lift), ("sd", self.spread), ("cost", self.cost)):
            if not math.isnan(number):
                said.append(f"{word} {number_text(number, 3)}")
        return ", ".join(said)

    def covers(self, values: Sequence[float]) -> bool:
        """Whether a row (as the tree reads it) fulfils every condition."""
        return all(condition.holds(values) for condition in self.conditions)

    def to_dict(self) -> dict[str, Any]:
        """Give the rule as plain values; what it has not is left out."""
        numbers = {name: getattr(self, name) for name in ("confidence", "low", "high", "lift", "cost", "spread")}
        return {
            "node": self.node,
            "text": self.text(),
            "conditions": [condition.to_dict() for condition in self.conditions],
            "prediction": self.prediction,
            "n_rows": self.n_rows,
            "weight": self.weight,
            "support": self.support,
            **{name: number for name, number in numbers.items() if not math.isnan(number)},
        }

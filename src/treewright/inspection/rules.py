"""The rules of a tree as a list to sort, filter and write: as text, Markdown, HTML, data frame or Excel sheet."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest
from treewright.inspection.conditions import Condition, Merged, conditions_by_node
from treewright.inspection.excel_sheet import fill_sheet
from treewright.inspection.support import answer_text, wilson_interval
from treewright.pages.blocks import Block, Table
from treewright.pages.markdown_page import write_markdown
from treewright.pages.page import Page
from treewright.tree.format import estimate_text, rows_text, share_text
from treewright.tree.node import SPREAD_WORD, Node
from treewright.tree.stored import SPREADS, STOPS
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd


# One rule of a tree: what holds on the way to a leaf, what it answers, and how much it can be trusted.


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

    def when(self, digits: int = 6, missing: bool | None = None) -> str:
        """Write the conditions; with `missing` also say which of them take rows without a value.

        Left out, it is said of columns that had holes in training, as the text of a tree does.
        """
        words = [c.text(digits, _tells_missing(c) if missing is None else missing) for c in self.conditions]
        if self.is_stop:
            test = Node(self.tree, self.node).test
            words.append(f"{test.column if test is not None else ''} is missing or new")
        return " AND ".join(words) if words else "anything"

    def then(self) -> str:
        """Write the answer: a class, a number or an equation."""
        equation = Node(self.tree, self.node).equation
        return answer_text(self.prediction, self.tree.classes is not None) if equation is None else equation

    def text(self, digits: int = 6, missing: bool | None = None) -> str:
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
                said.append(f"{word} {estimate_text(number, 3)}")
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


def _tells_missing(condition: Condition) -> bool:
    """Whether rows may lack the value, and go this one way and not by surrogates or in pieces."""
    arrays, node = condition.tree.arrays, condition.node
    if len(arrays.get("surrogate_column", ())) or arrays["missing_branch"][node] == SPREADS:
        return False
    asked: int = arrays["column"].item(node)
    had_holes: bool = condition.tree.schema.columns[asked].holes
    return had_holes


# From a stored tree to its rules, one a leaf, with their numbers.


def read_rules(tree: Tree, losses: NDArray[np.float64] | None = None, stops: bool = False) -> Iterator[Rule]:
    """Give the rule of each leaf, from the first to the last.

    Parameters
    ----------
    tree : Tree
    losses : array, optional
        What each answer (columns) costs where each class is true (rows).
    stops : bool, default False
        Also give the rules of inner nodes at which rows without a value stop.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> for rule in read_rules(example_tree()):
    ...     print(rule.text())
    IF outlook is overcast THEN yes
    IF outlook is sunny or rain AND humidity <= 82.5 THEN yes
    IF outlook is sunny or rain AND humidity > 82.5 THEN no
    """
    total = dict(tree.root.class_weights())
    for i, merged in conditions_by_node(tree):
        node = Node(tree, i)
        if node.is_leaf:
            yield _rule(node, merged, total, losses)
        elif stops and tree.arrays["missing_branch"][i] == STOPS:
            yield _rule(node, merged, total, losses, is_stop=True)


def _rule(
    node: Node, merged: Merged, total: dict[int, float], losses: NDArray[np.float64] | None, is_stop: bool = False
) -> Rule:
    tree = node.tree
    all_weight = tree.root.weight
    numbers: dict[str, Any] = {}
    if tree.classes is not None:
        numbers = _class_numbers(node, total, losses)
    elif tree.criterion in SPREAD_WORD and node.n:
        squared = SPREAD_WORD[tree.criterion] == "sd"
        numbers = {"spread": math.sqrt(max(node.impurity, 0.0)) if squared else node.impurity}
    return Rule(
        tree,
        node.id,
        tuple(merged.values()),
        node.prediction,
        node.n,
        node.weight,
        node.weight / all_weight if all_weight > 0 else 0.0,
        is_stop=is_stop,
        **numbers,
    )


def _class_numbers(node: Node, total: dict[int, float], losses: NDArray[np.float64] | None) -> dict[str, float]:
    index = int(node.tree.arrays["prediction"][node.id])
    weights = dict(node.class_weights())
    here, everywhere = sum(weights.values()), sum(total.values())
    if here <= 0:
        return {}
    confidence = weights.get(index, 0.0) / here
    low, high = wilson_interval(min(confidence, 1.0) * node.n, node.n)
    share = total.get(index, 0.0) / everywhere
    numbers = {"confidence": confidence, "low": low, "high": high}
    if share > 0:
        numbers["lift"] = confidence / share
    if losses is not None:
        numbers["cost"] = sum(weight * float(losses[k, index]) for k, weight in weights.items()) / here
    return numbers


ORDERS = ("tree", "support", "confidence", "lift", "low", "cost", "prediction", "n_rows")
_LEAST_FIRST = ("cost", "prediction")


class Rules(Page, Sequence[Rule]):
    """Rules of one tree. Print them, or take them as a table.

    Made by `model.rules()`. Every row that reaches a leaf fulfils exactly one of the rules of a whole tree.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_fruit(return_X_y=True)
    >>> rules = tw.DecisionTreeClassifier().fit(X, y).rules()
    >>> print(rules[::2])
    IF shape is curved THEN banana  (2 rows, support 40 %, confidence 100 % (34 % to 100 %), lift 2.5)
    IF shape is round AND color is yellow THEN lemon  (1 row, support 20 %, confidence 100 % (21 % to 100 %), lift 5)
    >>> [rule.prediction for rule in rules.sorted("lift")]
    ['lemon', 'banana', 'apple']
    >>> len(rules.select(min_support=0.3, classes=["banana"]))
    1
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = list(rules)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> Rules: ...
    def __getitem__(self, index: int | slice) -> Rule | Rules:
        return Rules(self._rules[index]) if isinstance(index, slice) else self._rules[index]

    def __len__(self) -> int:
        return len(self._rules)

    # ---------------------------------------------------------------- choosing
    def sorted(self, by: str = "support") -> Rules:
        """Give the rules in another order: largest first (cost and prediction: smallest first), or "tree"."""
        if by not in ORDERS:
            raise DataError(f"Rules cannot be sorted by '{by}'. {nearest(by, ORDERS)}")
        if by == "tree":
            return Rules(sorted(self._rules, key=lambda rule: rule.node))
        sign = 1 if by in _LEAST_FIRST else -1
        return Rules(sorted(self._rules, key=lambda rule: _sort_key(getattr(rule, by), sign)))

    def select(
        self,
        *,
        min_support: float = 0.0,
        min_confidence: float = 0.0,
        min_lift: float = 0.0,
        min_rows: int = 0,
        classes: Collection[Any] | None = None,
    ) -> Rules:
        """Give the rules that are strong enough, and only those that answer some classes."""
        self._check_classes(classes)
        return Rules(
            [
                rule
                for rule in self._rules
                if rule.support >= min_support
                and rule.n_rows >= min_rows
                and _at_least(rule.confidence, min_confidence)
                and _at_least(rule.lift, min_lift)
                and (classes is None or rule.prediction in classes)
            ]
        )

    def _check_classes(self, classes: Collection[Any] | None) -> None:
        known = self._rules[0].tree.classes if self._rules else None
        for label in classes or ():
            if known is not None and label not in known:
                raise DataError(f"There is no class {label!r}. {nearest(str(label), map(str, known))}")

    # ---------------------------------------------------------------- writing
    def lines(self, missing: bool | None = None) -> Iterator[str]:
        """Write one line a rule; `missing` says which conditions take rows without a value, as in `Rule.when`."""
        for rule in self._rules:
            yield f"{rule.text(missing=missing)}  ({rule.numbers_text()})"

    def to_text(self, width: int | None = None, ascii: bool = False, missing: bool | None = None) -> str:
        """Write a line a rule, whatever its width; `missing` says which conditions take rows without a value.

        Left out, of columns that had holes in training; True, of all; False, of none.
        """
        return "\n".join(self.lines(missing))

    @property
    def title(self) -> str:
        """The heading of the page."""
        return "Rules"

    def blocks(self) -> Iterator[Block]:
        """Give the rules as a block."""
        yield self.table()

    def to_dict(self) -> list[dict[str, Any]]:
        """Give the rules as plain values."""
        return [rule.to_dict() for rule in self._rules]

    def to_frame(self) -> pd.DataFrame:
        """Give a pandas data frame with a row a rule."""
        import pandas as pd

        names = ["n_rows", "weight", "support", *self._numbers()]
        columns: dict[str, Any] = {
            "node": [rule.node for rule in self._rules],
            "if": [rule.when() for rule in self._rules],
            "then": pd.Series([rule.prediction for rule in self._rules]),
        }
        if any(Node(rule.tree, rule.node).equation is not None for rule in self._rules):
            columns["equation"] = [rule.then() for rule in self._rules]
        return pd.DataFrame(columns | {name: [getattr(rule, name) for rule in self._rules] for name in names})

    def _numbers(self) -> list[str]:
        """Name the numbers that at least one of the rules has."""
        names = ("confidence", "low", "high", "lift", "spread", "cost")
        return [name for name in names if any(not math.isnan(getattr(rule, name)) for rule in self._rules)]

    def table(self) -> Table:
        """Give the rules as a table of texts."""
        numbers = [name for name in self._numbers() if name not in ("low", "high")]
        headings = ("if", "then", "rows", "support", *(name if name != "spread" else "sd" for name in numbers))
        rows = [
            (rule.when(), rule.then(), f"{rule.n_rows:,}", share_text(rule.support), *_cells(rule, numbers))
            for rule in self._rules
        ]
        return Table(headings, tuple(rows), frozenset(range(2, len(headings))))

    def to_markdown(self) -> str:
        """Write the rules as a Markdown table."""
        return write_markdown([self.table()])

    def to_excel(self, path: str | PathLike[str]) -> None:
        """Write an Excel file; needs openpyxl (`pip install "treewright[excel]"`).

        Texts stay texts: a name that begins with an equals sign is not taken for a formula.
        """
        try:
            from openpyxl import Workbook
        except ImportError:
            raise DataError(
                "Writing Excel files needs openpyxl, which is not installed. "
                'Install it with pip install "treewright[excel]", or use to_frame().to_csv(path).'
            ) from None

        book = Workbook()
        fill_sheet(book.active, self.to_frame())
        book.save(path)

    def __repr__(self) -> str:
        return f"<{len(self):,} rule{'' if len(self) == 1 else 's'}>"


def _cells(rule: Rule, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        number = getattr(rule, name)
        if math.isnan(number):
            yield ""
        elif name == "confidence":
            yield f"{share_text(number)} ({share_text(rule.low)} to {share_text(rule.high)})"
        else:
            yield estimate_text(number, 3)


def _sort_key(value: Any, sign: int) -> Any:
    """Largest first, what is no number last."""
    if not isinstance(value, int | float):
        return (0, str(value))
    return (1, 0.0) if value != value else (0, sign * value)


def _at_least(value: float, least: float) -> bool:
    return least <= 0 or value >= least  # a number that a rule has not is not large enough

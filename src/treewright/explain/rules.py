"""The rules of a tree as a list to sort, filter and write: as text, Markdown, HTML, data frame or Excel sheet."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

from treewright.errors import DataError, nearest
from treewright.explain.rule import Rule
from treewright.explain.support import answer_text
from treewright.pages.blocks import Block, Table
from treewright.pages.markdown_page import write_markdown
from treewright.pages.page import Page
from treewright.tree.wording import number_text, share_text

if TYPE_CHECKING:
    import pandas as pd

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
    def lines(self, missing: bool = False) -> Iterator[str]:
        """Write one line a rule; with `missing` also say which conditions take rows without a value."""
        for rule in self._rules:
            yield f"{rule.text(missing=missing)}  ({rule.numbers_text()})"

    def to_text(self, width: int | None = None, ascii: bool = False, missing: bool = False) -> str:
        """Write a line a rule, whatever its width; `missing` says which conditions take rows without a value."""
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
        if any(rule.then() != answer_text(rule.prediction) for rule in self._rules):
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
        from treewright.explain.excel_sheet import fill_sheet

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
            yield number_text(number, 3)


def _sort_key(value: Any, sign: int) -> Any:
    """Largest first, what is no number last."""
    if not isinstance(value, int | float):
        return (0, str(value))
    return (1, 0.0) if value != value else (0, sign * value)


def _at_least(value: float, least: float) -> bool:
    return least <= 0 or value >= least  # a number that a rule has not is not large enough

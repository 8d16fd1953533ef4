"""The slow definition of rpart's CART, grown from the tables of the golden files, in the form of `rpart_tree.Seen`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pandas as pd

from golden.rpart_tree import Seen
from oracle.rpart.classes import Classes
from oracle.rpart.grow import Node
from oracle.rpart.lesson import Lesson, Method
from oracle.rpart.means import Means
from oracle.rpart.primary import Candidate, Test
from oracle.rpart.surrogate import Surrogate
from treewright.reference.table import Column


def exact(number: Any) -> Decimal:
    """A number as it is written."""
    return Decimal(str(number))


def column_of(values: pd.Series, kind: str) -> tuple[Column, list[Any]]:
    """A column as the oracle takes it, and its levels in order of their codes."""
    if kind == "numeric":
        return Column(kind, tuple(None if pd.isna(value) else float(value) for value in values)), []
    ordered = isinstance(values.dtype, pd.CategoricalDtype)
    levels = list(values.cat.categories) if ordered else sorted({value for value in values if not pd.isna(value)})
    codes = {level: code for code, level in enumerate(levels, start=1)}
    return Column(kind, tuple(None if pd.isna(value) else codes[value] for value in values)), levels


class Named:
    """A lesson with the names of its columns, levels and classes."""

    def __init__(
        self, X: pd.DataFrame, y: Sequence[Any], kinds: dict[str, str], classes: list[Any] | None, **more: Any
    ) -> None:
        made = [column_of(X[name], kinds[name]) for name in X.columns]
        target = tuple(map(exact, y)) if classes is None else tuple(Decimal(classes.index(value)) for value in y)
        empty = X.isna().all(axis=1)  # rpart leaves such rows out
        weights = tuple(
            0 if nothing else w for nothing, w in zip(empty, more.pop("weights", (1,) * len(X)), strict=True)
        )
        columns = tuple(column for column, _ in made)
        self.lesson = Lesson(columns, target, weights, 0 if classes is None else len(classes), **more)
        self.names, self.levels, self.classes = list(X.columns), [levels for _, levels in made], classes

    def method(self, criterion: str = "gini") -> Method:
        """The plain method for the target: no priors, no losses."""
        return Means(self.lesson) if self.classes is None else Classes(self.lesson, criterion)

    def split(self, test: Test) -> dict[str, Any]:
        """A test as the golden files write it."""
        found: dict[str, Any] = {"var": self.names[test.column]}
        if self.lesson.columns[test.column].kind == "numeric":
            return found | {"threshold": test.threshold}
        levels = self.levels[test.column]
        sides = [{levels[int(code) - 1] for code in side} for side in (test.left, test.right)]
        return found | {"left": sides[0], "right": sides[1]}

    def competitor(self, method: Method, node: Node, offer: Candidate) -> dict[str, Any]:
        """A competitor as the golden files write it."""
        return {**self.split(offer.test), "improve": float(method.improve(offer.gain, node.rows))}

    def surrogate(self, found: Surrogate) -> dict[str, Any]:
        """A surrogate as the golden files write it."""
        return {**self.split(found.test), "agree": float(found.agree), "adj": float(found.adj)}

    def seen(self, method: Method, root: Node, with_surrogates: bool = True) -> Seen:
        """The oracle's tree beside rpart's, which lists surrogates even where it uses none."""
        made: dict[int, Seen] = {}
        for node in root.preorder():
            seen = made[id(node)] = Seen(frozenset(node.rows), float(node.risk), given={"answer": node.answer})
            if not node.children or node.primary is None:
                continue
            test = node.primary.test
            seen.column = self.names[test.column]
            seen.threshold = test.threshold if self.lesson.columns[test.column].kind == "numeric" else None
            seen.improve = float(node.improve)
            seen.given["competitors"] = [self.competitor(method, node, offer) for offer in node.competitors]
            if with_surrogates:
                seen.given["surrogates"] = [self.surrogate(found) for found in node.surrogates]
        for node in root.preorder():
            made[id(node)].children = [made[id(child)] for child in node.children]
        return made[id(root)]

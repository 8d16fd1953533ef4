"""How two models differ: their splits, the answers of their leaves, and the rows that they answer differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.inspection.conditions import conditions_of
from treewright.inspection.support import answer_text
from treewright.inspection.tree_diff import TreeDiff, compare_trees, split_text
from treewright.pages.blocks import Block, Paragraph, Table
from treewright.pages.page import Page
from treewright.tree.format import mean_text, name_text, rows_text, share_text
from treewright.tree.tree import Tree

# Rows that two models answer differently.


_LISTED_ROWS = 10
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
            return f"by {mean_text(float(size.mean()))} on average, {mean_text(float(size.max()))} at most"
        said = [f"{name_text(a)} → {name_text(b)} {n:,}" for a, b, n in self.kinds[:_LISTED_ROWS]]
        return ", ".join(said) + (" …" if len(self.kinds) > _LISTED_ROWS else "")

    def _which(self) -> str:
        shown = [f"{place + 1:,}" for place in self.changed[:_LISTED_ROWS].tolist()]
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


_LISTED = 60  # lines of a table; larger trees tell how many there are


class Diff(Page):
    """How model b differs from model a. Print it, or take it apart.

    Made by `tw.diff(a, b)`.

    Attributes
    ----------
    splits : TreeDiff or None
        Which nodes belong together; None where a model is no single tree.
    rows : RowChanges or None
        Which rows change their answer, if a table was given.
    targets_differ : bool
        Whether the two were trained to predict different columns.
    is_same : bool
        Whether nothing differs: no target, no split, no leaf, and no row if rows were given.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_restaurant(return_X_y=True)
    >>> a, b = (tw.DecisionTreeClassifier(max_depth=depth).fit(X, y) for depth in (2, 3))
    >>> print(tw.diff(a, b, X))
    2 splits are the same, 0 moved, 0 lost, 1 new.
    <BLANKLINE>
      split  in a                    in b                    rows in a  rows in b
      same   Pat: Full, None | Some  Pat: Full, None | Some         12         12
      same   Hun: F | T              Hun: F | T                      8          8
      new                            Fri: F | T                                 4
    <BLANKLINE>
    3 of 12 rows change their answer (25 %): F → T 3. They are rows 4, 10, 12.
    """

    def __init__(self, a: Any, b: Any, X: Any = None, names: tuple[str, str] = ("a", "b")) -> None:
        self.a, self.b = _tree_of(a), _tree_of(b)
        self.names = tuple(map(name_text, names))
        self.targets = _target_of(a), _target_of(b)
        self._classes = _classes_of(a), _classes_of(b)
        if X is None and (self.a is None or self.b is None):
            raise DataError(
                "Only single trees have splits to compare; others need a table to answer: tw.diff(a, b, X)."
            )
        if X is not None and not (hasattr(a, "predict") and hasattr(b, "predict")):
            raise DataError("A tree alone does not answer tables. Pass the models to tw.diff, or leave out X.")
        both = self.a is not None and self.b is not None
        self.splits: TreeDiff | None = compare_trees(self.a, self.b) if both else None  # type: ignore[arg-type]
        self.rows: RowChanges | None = None if X is None else compare_answers(answers_of(a, X), answers_of(b, X))

    @cached_property
    def leaf_answers(self) -> list[tuple[int, int]]:
        """Leaves at the same place that answer differently."""
        if self.splits is None or self.a is None or self.b is None:
            return []
        a, b = self.a, self.b
        return [(i, j) for i, j in self.splits.leaves if a.node(i).prediction != b.node(j).prediction]

    @property
    def targets_differ(self) -> bool:
        """Whether both models name their target, and not the same one; or whether they have no class in common."""
        first, second = self.targets
        ours, theirs = self._classes
        return (first != second and None not in self.targets) or set(ours or [None]).isdisjoint(theirs or [None])

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        splits = self.splits
        if self.targets_differ:
            return False
        differs = splits is not None and (splits.moved_cut or splits.moved_place or splits.lost or splits.new)
        return not differs and not self.leaf_answers and (self.rows is None or not len(self.rows.changed))

    # ---------------------------------------------------------------- as a page
    @property
    def title(self) -> str:
        """The heading of the page."""
        a, b = self.names
        return "Two models side by side" if (a, b) == ("a", "b") else f"{a} and {b} side by side"

    def blocks(self) -> Iterator[Block]:
        """Give the comparison as blocks, whatever it will be written as."""
        a, b = self.names
        if (a, b) != ("a", "b"):
            yield Paragraph(f"From {a} to {b}.")
        if self.targets_differ:
            first, second = (f"'{target}'" for target in self.targets)
            if first == second:  # columns of one name, which their classes tell apart
                told = ("numbers" if known is None else _listed([*map(name_text, known)]) for known in self._classes)
                first, second = (f"{first} ({what})" for what in told)
            yield Paragraph(
                f"The targets differ: {a} predicts {first}, {b} predicts {second}. Their answers cannot be compared, "
                "only what they ask for."
            )
        yield from self._column_lines()
        if self.splits is not None:
            yield Paragraph(self._summary())
            lines = list(self._split_lines())
            if lines:
                yield Table(
                    ("split", f"in {a}", f"in {b}", f"rows in {a}", f"rows in {b}"),
                    tuple(lines[:_LISTED]),
                    frozenset({3, 4}),
                )
            if len(lines) > _LISTED:
                yield Paragraph(f"… and {len(lines) - _LISTED:,} splits more; to_dict() has all of them.")
            yield from self._leaf_lines()
        if self.rows is not None and not self.targets_differ:
            yield Paragraph(self.rows.text)

    def _summary(self) -> str:
        assert self.splits is not None
        same, moved = len(self.splits.same), len(self.splits.moved_cut) + len(self.splits.moved_place)
        are = "1 split is" if same == 1 else f"{same:,} splits are"
        return f"{are} the same, {moved:,} moved, {len(self.splits.lost):,} lost, {len(self.splits.new):,} new."

    def _column_lines(self) -> Iterator[Block]:
        if self.a is None or self.b is None:
            return
        for name, other, one in ((self.names[0], self.b, self.a), (self.names[1], self.a, self.b)):
            only = [column for column in one.schema.names if column not in other.schema.names]
            if only:
                yield Paragraph(f"Only {name} has the column{'s' if len(only) > 1 else ''} {_listed(only)}.")

    def _split_lines(self) -> Iterator[tuple[str, ...]]:
        assert self.splits is not None
        for word, pairs in self._pairs().items():
            for i, j in pairs:
                yield (word, *self._both(i, j))
        for i in self.splits.lost:
            yield ("lost", *self._both(i, None))
        for j in self.splits.new:
            yield ("new", *self._both(None, j))

    def _pairs(self) -> dict[str, list[tuple[int, int]]]:
        assert self.splits is not None
        return {"same": self.splits.same, "cut": self.splits.moved_cut, "place": self.splits.moved_place}

    def _both(self, i: int | None, j: int | None) -> tuple[str, ...]:
        sides = [(self.a, i), (self.b, j)]
        texts = [split_text(tree, node) if tree is not None and node is not None else "" for tree, node in sides]
        counts = [f"{tree.node(node).n:,}" if tree is not None and node is not None else "" for tree, node in sides]
        return (*texts, *counts)

    def _leaf_lines(self) -> Iterator[Block]:
        if not self.leaf_answers or self.targets_differ or self.a is None or self.b is None:
            return
        yield Paragraph(f"Leaves at the same place that answer differently: {len(self.leaf_answers):,}.")
        rows = []
        for i, j in self.leaf_answers[:_LISTED]:
            where = " and ".join(condition.text() for condition in conditions_of(self.a, i)) or "anything"
            sides = ((self.a, i), (self.b, j))
            answers = (answer_text(tree.node(leaf).prediction, tree.classes is not None) for tree, leaf in sides)
            rows.append((where, *answers))
        yield Table(("leaf", f"in {self.names[0]}", f"in {self.names[1]}"), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Give the comparison as plain values; nodes are named by their numbers."""
        plain: dict[str, Any] = {"is_same": self.is_same, "models": list(self.names), "targets": list(self.targets)}
        if self.splits is not None:
            keys = ("split", "a", "b", "rows_a", "rows_b")
            plain["splits"] = [dict(zip(keys, line, strict=True)) for line in self._split_lines()]
            plain["nodes"] = {word: [list(pair) for pair in pairs] for word, pairs in self._pairs().items()}
            plain["nodes"] |= {"lost": self.splits.lost, "new": self.splits.new}
            plain["leaves_that_answer_differently"] = [list(pair) for pair in self.leaf_answers]
        plain["rows"] = None if self.rows is None else self.rows.to_dict()
        return plain

    def __repr__(self) -> str:
        return f"<Diff: {self._summary() if self.splits is not None else self.rows.text if self.rows else ''}>"


def diff(a: Any, b: Any, X: Any = None, *, names: tuple[str, str] = ("a", "b")) -> Diff:
    """Compare two models: same, moved, new and lost splits, and the rows that change their answer.

    Parameters
    ----------
    a, b : fitted models, or trees
        Models that are no single tree are compared by their answers only, so they need X.
    X : table, optional
        Rows to be answered by both.
    names : pair of str, default ("a", "b")
        What the models are called in what is written, such as the names of their files.

    Returns
    -------
    Diff
        Print it, or use `splits`, `rows`, `is_same`, `to_dict()`, `to_html()`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> a = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> diff(a, a, X).is_same
    True
    """
    return Diff(a, b, X, names)


def _tree_of(model: Any) -> Tree | None:
    if isinstance(model, Tree):
        return model
    tree = getattr(model, "tree_", None)
    if isinstance(tree, Tree):
        return tree
    if hasattr(model, "predict"):
        return None
    raise DataError(f"tw.diff compares fitted models or trees. Got {model!r} instead.")


def _target_of(model: Any) -> str | None:
    tree = _tree_of(model)
    schema = tree.schema if tree is not None else getattr(model, "schema_", None)
    target = getattr(schema, "target", None)
    return None if target is None else name_text(target)


def _classes_of(model: Any) -> list[Any] | None:
    """Give the classes that a model tells apart; None of numbers."""
    tree = _tree_of(model)
    classes = tree.classes if tree is not None else getattr(model, "classes_", None)
    several = classes is not None and any(isinstance(label, np.ndarray) for label in classes)  # targets
    return None if classes is None or several else list(classes)


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(name_text, names[:10]))
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10:,} more"

"""The SHAP values of some rows for one answer of a model, with the cells that they belong to: what pictures show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest
from treewright.inspection.decision_path import value_text
from treewright.table.schema import Column, Schema
from treewright.tree.format import largest_first

Floats = NDArray[np.float64]
_LOG_LINKS = ("poisson", "gamma")


@dataclass(frozen=True)
class ShapRows:
    """What each column did to the answer to each row: `expected + values.sum(axis=1)` are the answers."""

    columns: tuple[Column, ...]
    values: Floats  # rows × columns
    cells: Floats  # rows × columns: numbers, or the numbers of levels; NaN where missing
    expected: float
    answer: str  # what is explained, such as "probability of yes"

    def by_size(self) -> list[int]:
        """The columns, largest mean size of their values first."""
        return [int(j) for j in largest_first(np.abs(self.values).mean(axis=0))]

    def that_move(self) -> list[int]:
        """The same without columns that did nothing to any row; the first of them where all are such."""
        order = self.by_size()
        return [j for j in order if self.values[:, j].any()] or order[:1]

    def cell(self, row: int, column: int) -> str:
        """Give a cell as it is written."""
        return value_text(self.columns[column], float(self.cells[row, column]))

    def number_of(self, name: str) -> int:
        """The place of a column."""
        names = [column.name for column in self.columns]
        if name not in names:
            raise DataError(f"The model has no column '{name}'. {nearest(name, names)}")
        return names.index(name)


def shap_rows(model: Any, X: Any, of_class: Any = None) -> ShapRows:
    """Explain the answers of a model of trees to some rows; of classes one, by default the last.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> rows = shap_rows(tw.DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y), X.head(3))
    >>> rows.answer, [rows.columns[j].name for j in rows.by_size()], rows.cell(0, 0)
    ('probability of yes', ['sex', 'age', 'passengerClass'], 'female')
    """
    if not hasattr(model, "shap_values"):
        raise DataError(
            f"SHAP values are told of trees and of models made of them, and {type(model).__name__} is none. "
            "tw.importance(model, X, y) tells how much columns matter to any model."
        )
    values, expected = model.shap_values(X), model.expected_value
    schema = _schema(model)
    if not hasattr(model, "classes_"):
        return ShapRows(schema.columns, values, _cells(model, X), float(expected), _name_of_number(model, schema))
    place = _class_number(model, of_class)
    name = f"{model.classes_[place]}"
    if values.ndim == 2:  # one score for two classes, that of the second
        sign = 1.0 if place == 1 else -1.0
        return ShapRows(schema.columns, sign * values, _cells(model, X), sign * float(expected), f"score of {name}")
    # Probabilities add up to 1 when nothing is known, too; raw scores of boosting do not.
    is_share = bool((expected >= 0).all() and abs(expected.sum() - 1) < 1e-9)
    answer = f"{'probability' if is_share else 'score'} of {name}"
    return ShapRows(schema.columns, values[:, :, place], _cells(model, X), float(expected[place]), answer)


def _schema(model: Any) -> Schema:
    tree = model.trees_[0] if hasattr(model, "trees_") else model.tree_
    schema: Schema = tree.schema
    return schema


def _name_of_number(model: Any, schema: Schema) -> str:
    name = schema.target or "answer"
    return f"logarithm of {name}" if getattr(model, "loss", None) in _LOG_LINKS else name


def _class_number(model: Any, of_class: Any) -> int:
    classes = model.classes_.tolist()
    if of_class is None:
        return len(classes) - 1
    if of_class not in classes:
        raise DataError(f"The model has no class {of_class!r}. {nearest(str(of_class), map(str, classes))}")
    return int(classes.index(of_class))


def _cells(model: Any, X: Any) -> Floats:
    rows = model._lookup.encode(model._rows(X))
    if rows.matrix is not None:
        return np.asarray(rows.matrix, dtype=np.float64)
    cells = np.empty((rows.n_rows, len(rows.parts)))
    for j, (kind, values, mask) in enumerate(rows.parts):
        cells[:, j] = values
        cells[_holes(kind, values, mask), j] = np.nan
    return cells


def _holes(kind: str, values: NDArray[Any], mask: Any) -> NDArray[np.bool_]:
    if kind == "levels":
        return np.asarray(values == 0)
    return np.zeros(len(values), dtype=np.bool_) if mask is None else np.asarray(mask) != 0


def parts_of_column(rows: ShapRows, j: int, n_parts: int, most_levels: int) -> list[tuple[str, Floats]]:
    """The SHAP values of a column by its values: by level, or by parts of numbers with about as many rows each.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> rows = shap_rows(tw.DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y), X)
    >>> [(text, len(values)) for text, values in parts_of_column(rows, rows.number_of("sex"), 5, 20)]
    [('female', 466), ('male', 843)]
    """
    column, cells, values = rows.columns[j], rows.cells[:, j], rows.values[:, j]
    missing = np.isnan(cells)
    if column.kind == "numeric":
        shares = np.linspace(0, 1, n_parts + 1)[1:] if not missing.all() else np.empty(0)
        tops = np.unique(np.quantile(cells[~missing], shares, method="higher")) if len(shares) else np.empty(0)
        place = np.searchsorted(tops, np.where(missing, np.inf, cells))
        masks = [(f"<= {value_text(column, float(top))}", (place == i) & ~missing) for i, top in enumerate(tops)]
    else:
        counts = np.bincount(cells[~missing].astype(np.int64), minlength=len(column.levels) + 1)
        often = sorted(int(code) for code in largest_first(counts)[:most_levels])
        masks = [(column.show(code), cells == code) for code in often]
        masks.append(("other levels", ~missing & ~np.isin(cells, often)))
    return [(text, values[mask]) for text, mask in [*masks, ("missing", missing)] if mask.any()]

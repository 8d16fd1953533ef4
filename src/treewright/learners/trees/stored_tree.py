"""A tree out of a model file, every part of it checked: for the estimators, and for a model that is only asked."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from treewright import _core
from treewright.errors import ModelFileError
from treewright.save.tree_header import Label, check_tree_header, check_tree_tests, count_in
from treewright.table.schema import Schema


def read_tree(
    header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str
) -> tuple[_core.Tree, Schema, list[Label] | None]:
    """Give the tree that a header and arrays describe, its columns, and its classes (None for numbers).

    Examples
    --------
    >>> read_tree({"n_columns": 1, "n_classes": 0}, {}, "m.tw")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: m.tw is damaged: ...
    """
    try:
        core = _core.Tree(arrays, count_in(header, "n_columns"), count_in(header, "n_classes"))
    except (ValueError, TypeError, OverflowError) as problem:
        raise ModelFileError(f"{source} is damaged: {problem}. Copy it again from where it was made.") from None
    schema, classes = check_tree_header(header, core.n_columns, core.n_classes, source)
    check_tree_tests(schema, core.arrays(), source)
    return core, schema, classes

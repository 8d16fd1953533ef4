"""What a tree model has to say beyond JSON and numbers, and many trees in one file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.save.header import damaged
from treewright.table.schema import Schema

# What a tree model has to say beyond JSON and numbers: columns, classes and tests that fit each other.


Label = str | int | float | bool
_MOST_ROWS = 2**53  # above it not every number of rows is a double, and shares of them are more than all


def check_tree_header(
    header: dict[str, Any], n_columns: int, n_classes: int, source: str = "<bytes>"
) -> tuple[Schema, list[Label] | None]:
    """Check the columns and classes in a tree model's header against its tree, and give both back.

    Parameters
    ----------
    header : dict
        Its "schema" is what `Schema.to_json` gave; its "classes" the class labels in order, None for a regression.
    n_columns, n_classes : int
        How many the stored tree has; n_classes is 0 for a regression.
    source : str, default "<bytes>"
        What error messages call the file.

    Examples
    --------
    >>> from treewright.table.schema import Column, Schema
    >>> header = {"schema": Schema((Column("age", "numeric"),), "risk").to_json(), "classes": ["low", "high"]}
    >>> schema, classes = check_tree_header(header, n_columns=1, n_classes=2)
    >>> schema.columns[0].name, classes
    ('age', ['low', 'high'])
    >>> check_tree_header(header, n_columns=1, n_classes=3, source="m.tw")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: m.tw is damaged: it names 2 classes and its tree has 3. Copy it again ...
    """
    schema = _schema(header.get("schema"), source)
    if len(schema.columns) != n_columns:
        raise ModelFileError(
            damaged(source, f"it describes {len(schema.columns)} columns and its tree is made for {n_columns}")
        )
    classes = header.get("classes")
    if classes is None and n_classes == 0:
        return schema, None
    return schema, _classes(classes, n_classes, source)


def _schema(saved: Any, source: str) -> Schema:
    try:
        return Schema.from_json(saved)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as problem:
        raise ModelFileError(damaged(source, f"its description of the columns is wrong ({problem})")) from None


def _classes(classes: Any, n_classes: int, source: str) -> list[Label]:
    if not isinstance(classes, list) or not all(isinstance(label, Label) for label in classes):
        raise ModelFileError(damaged(source, "its classes are not a list of texts, numbers or truth values"))
    if not classes:
        raise ModelFileError(damaged(source, "it has classes, and names none"))
    if len(classes) != n_classes:
        raise ModelFileError(damaged(source, f"it names {len(classes)} classes and its tree has {n_classes}"))
    if len({json.dumps(label) for label in classes}) < len(classes):
        raise ModelFileError(damaged(source, "it names a class twice"))
    return classes


def check_tree_tests(schema: Schema, arrays: Mapping[str, NDArray[Any]], source: str = "<bytes>") -> None:
    """Check that every test of a tree fits its column: levels that exist, thresholds on ordered columns only.

    Call it with arrays that the core has accepted: they are not checked again here.

    Examples
    --------
    >>> from treewright.table.schema import Column
    >>> columns = (Column("job", "nominal", "text", ("clerk", "cook")),)
    >>> arrays = {"kind": np.array([2]), "column": np.array([0]), "threshold": np.array([np.nan])}
    >>> arrays |= {"level_start": np.array([0, 2]), "level": np.array([1, 3])}
    >>> check_tree_tests(Schema(columns, "risk"), arrays, "m.tw")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: m.tw is damaged: a node asks for level 3 of column 'job', which has 2. Copy ...
    """
    if "n_rows" in arrays and arrays["n_rows"].max() > _MOST_ROWS:
        raise ModelFileError(damaged(source, f"a node has {arrays['n_rows'].max()} rows"))
    n_levels, unordered = _levels_of(schema)
    asked = np.repeat(arrays["column"], np.diff(arrays["level_start"]))
    wrong = np.flatnonzero((arrays["level"] < 1) | (arrays["level"] > n_levels[asked]))
    if len(wrong):
        code, column = int(arrays["level"][wrong[0]]), int(asked[wrong[0]])
        what = f"a node asks for level {code} of column '{schema.columns[column].name}', which has {n_levels[column]}"
        raise ModelFileError(damaged(source, what))
    cuts = np.flatnonzero(((arrays["kind"] == 1) & np.isfinite(arrays["threshold"])) | (arrays["kind"] == 4))
    wrong = cuts[unordered[arrays["column"][cuts]]]
    if len(wrong):
        name = schema.columns[int(arrays["column"][wrong[0]])].name
        raise ModelFileError(damaged(source, f"node {wrong[0]} cuts column '{name}', whose levels have no order"))
    for name in ("term", "equation"):
        _check_terms(name, schema, arrays, source)
    for name in ("surrogate", "candidate"):
        _check_list_of_tests(name, schema, arrays, source)


def _check_terms(name: str, schema: Schema, arrays: Mapping[str, NDArray[Any]], source: str) -> None:
    if f"{name}_column" not in arrays:
        return
    column, level = arrays[f"{name}_column"].astype(np.int64), arrays[f"{name}_level"]
    n_levels, unordered = _levels_of(schema)
    wrong = np.flatnonzero((unordered[column] & (level == 0)) | (level > n_levels[column]))
    if len(wrong):
        asked = schema.columns[column[wrong[0]]].name
        raise ModelFileError(damaged(source, f"a weighted sum takes level {level[wrong[0]]:.0f} of column '{asked}'"))


def _check_list_of_tests(name: str, schema: Schema, arrays: Mapping[str, NDArray[Any]], source: str) -> None:
    """Surrogates and candidates: a cut of an ordered column, or levels that a column without order has."""
    if f"{name}_column" not in arrays:
        return
    column, threshold = arrays[f"{name}_column"].astype(np.int64), arrays[f"{name}_threshold"]
    n_levels, unordered = _levels_of(schema)
    wrong = np.flatnonzero(unordered[column] != np.isnan(threshold))
    if not len(wrong) and f"{name}_level_level" in arrays:
        per_node = np.diff(arrays[f"{name}_level_start"])
        place = np.repeat(arrays[f"{name}_start"][:-1], per_node) + arrays[f"{name}_level_which"].astype(np.int64)
        wrong = place[arrays[f"{name}_level_level"] > n_levels[column[place]]]
    if len(wrong):
        asked = schema.columns[column[wrong[0]]].name
        raise ModelFileError(damaged(source, f"a {name} asks column '{asked}' in a way that it cannot"))
    if name == "candidate":
        of_test = np.repeat(arrays["improvement"], np.diff(arrays["candidate_start"]))
        if (np.isnan(arrays["candidate_improvement"]) & ~np.isnan(of_test)).any():
            raise ModelFileError(damaged(source, "a candidate is not compared with the test that was taken"))


def _levels_of(schema: Schema) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """How many levels each column has, and whether it has no order."""
    n_levels = np.array([len(column.levels) for column in schema.columns], dtype=np.int64)
    return n_levels, np.array([column.kind == "nominal" for column in schema.columns], dtype=bool)


# Many trees in one file: the arrays of the same name one after the other, and how long each tree's part is.


SIZES = "sizes"  # tree by tree the length of each array, in the order of the names; -1 where the tree has none
_PREFIX = "tree_"
_FEW_TREES, _BYTES_A_TREE = 15_000, 400

Arrays = Mapping[str, NDArray[Any]]


def pack_trees(trees: Sequence[Arrays], order: Sequence[str] = ()) -> tuple[list[str], dict[str, NDArray[Any]]]:
    """Put the arrays of all trees end to end; gives the names, those of `order` first, and the arrays with their sizes.

    Examples
    --------
    >>> names, packed = pack_trees([{"kind": np.array([1, 0, 0])}, {"kind": np.array([0]), "value": np.array([7.5])}])
    >>> names, packed["tree_kind"].tolist(), packed["sizes"].tolist()
    (['kind', 'value'], [1, 0, 0, 0], [3, -1, 1, 1])
    """
    there = dict.fromkeys(name for tree in trees for name in tree)
    names = list(dict.fromkeys([*(name for name in order if name in there), *there]))
    sizes = np.array([len(tree[name]) if name in tree else -1 for tree in trees for name in names], dtype=np.int64)
    packed = {_PREFIX + name: np.concatenate([tree[name] for tree in trees if name in tree]) for name in names}
    return names, {SIZES: sizes, **packed}


def unpack_trees(names: Any, packed: Arrays) -> Iterator[dict[str, NDArray[Any]]]:
    """Take the arrays of each tree out again; ValueError if names, sizes and arrays do not belong together.

    Examples
    --------
    >>> list(unpack_trees(*pack_trees([{"kind": np.array([1, 0, 0])}, {"kind": np.array([0])}])))
    [{'kind': array([1, 0, 0])}, {'kind': array([0])}]
    """
    _check_names(names, packed)
    by_tree = _read_sizes(packed[SIZES], len(names))
    refuse_tiny_trees(len(by_tree), packed, _FEW_TREES, _BYTES_A_TREE)
    ends = np.cumsum(np.maximum(by_tree, 0), axis=0)
    for name, end in zip(names, ends[-1], strict=True):
        if packed[_PREFIX + name].ndim != 1 or end != len(packed[_PREFIX + name]):
            raise ValueError(f"the sizes of its trees do not add up to its {name!r}")
    arrays = [packed[_PREFIX + name] for name in names]

    def tree(lengths: NDArray[np.int64], ended: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        parts = zip(names, arrays, lengths.tolist(), ended.tolist(), strict=True)
        return {name: array[end - length : end] for name, array, length, end in parts if length >= 0}

    return map(tree, by_tree, ends)  # one after the other: views of all would take more than the trees


def refuse_tiny_trees(n_trees: int, arrays: Arrays, few: int, bytes_a_tree: int) -> None:
    """A tree takes some hundred bytes of memory, however small it is in a file: a million lone leaves are no model.

    >>> refuse_tiny_trees(2_000_000, {"test": np.zeros(2_000_000, dtype=np.uint8)}, 50_000, 50)
    Traceback (most recent call last):
    ValueError: it has 2,000,000 trees, and most of them have not even one test
    """
    if n_trees > few + sum(array.nbytes for array in arrays.values()) // bytes_a_tree:
        raise ValueError(f"it has {n_trees:,} trees, and most of them have not even one test")


def _check_names(names: Any, packed: Arrays) -> None:
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError("the names of its trees' arrays are not names")
    if set(packed) != {SIZES, *(_PREFIX + name for name in names)} or len(set(names)) < len(names):
        raise ValueError("the arrays of its trees are not those that it names")


def _read_sizes(sizes: NDArray[Any], n_names: int) -> NDArray[np.int64]:
    """Give the sizes as trees × names."""
    if sizes.ndim != 1 or sizes.dtype != np.int64 or len(sizes) == 0 or len(sizes) % n_names:
        raise ValueError("the sizes of its trees are not one whole number for each array of each tree")
    if (sizes < -1).any() or (sizes > 2**40).any():
        raise ValueError("the sizes of its trees are not possible")
    return sizes.reshape(-1, n_names)


# Numbers and classes in the header of any model.


def count_in(header: dict[str, Any], name: str) -> int:
    value = header.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise ValueError(f"its {name} is {value!r}")
    return value


_MOST_SPARE = 16 * 2**20  # bytes that an array of classes may take beyond what its labels need


def class_array(classes: list[Any], dtype: Any, source: str) -> NDArray[Any]:
    try:
        wanted = np.dtype(dtype)
        widest = max((len(label) for label in classes if isinstance(label, str)), default=1)
        # A type far wider than the widest class would take memory that the file does not account for.
        is_too_wide = wanted.itemsize > 4 * widest and wanted.itemsize * len(classes) > _MOST_SPARE
        if wanted.kind not in "biufUO" or (wanted.kind == "U" and is_too_wide):
            raise ValueError(dtype)
        array = np.array(classes, dtype=wanted)
        same = zip(array.tolist(), classes, strict=True)
        if array.shape != (len(classes),) or not all(type(a) is type(b) and a == b for a, b in same):
            raise ValueError(dtype)
    except (TypeError, ValueError, OverflowError):
        raise ModelFileError(f"{source} is damaged: its classes do not fit their type {dtype!r}.") from None
    return array

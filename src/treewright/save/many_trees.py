"""Many trees in one file: the arrays of the same name one after the other, and how long each tree's part is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZES = "sizes"  # tree by tree the length of each array, in the order of the names; -1 where the tree has none
_PREFIX = "tree_"

Arrays = Mapping[str, NDArray[Any]]


def pack_trees(trees: Sequence[Arrays]) -> tuple[list[str], dict[str, NDArray[Any]]]:
    """Put the arrays of all trees end to end; gives the names, and the arrays with their sizes.

    Examples
    --------
    >>> names, packed = pack_trees([{"kind": np.array([1, 0, 0])}, {"kind": np.array([0]), "value": np.array([7.5])}])
    >>> names, packed["tree_kind"].tolist(), packed["sizes"].tolist()
    (['kind', 'value'], [1, 0, 0, 0], [3, -1, 1, 1])
    """
    names = list(dict.fromkeys(name for tree in trees for name in tree))
    sizes = np.array([len(tree[name]) if name in tree else -1 for tree in trees for name in names], dtype=np.int64)
    packed = {_PREFIX + name: np.concatenate([tree[name] for tree in trees if name in tree]) for name in names}
    return names, {SIZES: sizes, **packed}


def unpack_trees(names: Any, packed: Arrays) -> list[dict[str, NDArray[Any]]]:
    """Take the arrays of each tree out again; ValueError if names, sizes and arrays do not belong together.

    Examples
    --------
    >>> unpack_trees(*pack_trees([{"kind": np.array([1, 0, 0])}, {"kind": np.array([0])}]))
    [{'kind': array([1, 0, 0])}, {'kind': array([0])}]
    """
    _check_names(names, packed)
    by_tree = _read_sizes(packed[SIZES], len(names))
    trees: list[dict[str, NDArray[Any]]] = [{} for _ in by_tree]
    for name, lengths in zip(names, by_tree.T, strict=True):
        whole = packed[_PREFIX + name]
        ends = np.cumsum(np.maximum(lengths, 0))
        if whole.ndim != 1 or ends[-1] != len(whole):
            raise ValueError(f"the sizes of its trees do not add up to its {name!r}")
        for tree, length, end in zip(trees, lengths.tolist(), ends.tolist(), strict=True):
            if length >= 0:
                tree[name] = whole[end - length : end]
    return trees


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

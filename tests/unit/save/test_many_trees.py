"""Many trees in one file: what comes out is what went in, and nothing that does not fit comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright.save.tree_header import pack_trees, unpack_trees


def some_trees() -> list[dict[str, np.ndarray]]:
    return [
        {"kind": np.array([1, 0, 0], dtype=np.uint8), "value": np.array([0.5, 1.0, 2.0])},
        {"kind": np.array([0], dtype=np.uint8), "value": np.array([7.0]), "p_value": np.array([0.1])},
        {"kind": np.array([0], dtype=np.uint8), "value": np.array([]), "p_value": np.array([])},
    ]


def test_trees_come_out_as_they_went_in() -> None:
    for before, after in zip(some_trees(), unpack_trees(*pack_trees(some_trees())), strict=True):
        assert list(before) == list(after)
        for name, array in before.items():
            assert after[name].dtype == array.dtype
            assert after[name].tolist() == array.tolist()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"sizes": np.zeros(9, dtype=np.int64)}, "do not add up"),
        ({"sizes": np.full(9, -5)}, "not possible"),
        ({"sizes": np.zeros(4, dtype=np.int64)}, "one whole number for each"),
        ({"sizes": np.zeros(0, dtype=np.int64)}, "one whole number for each"),
        ({"sizes": np.zeros(9)}, "one whole number for each"),
        ({"tree_kind": np.zeros((5, 1))}, "do not add up"),
        ({"tree_other": np.zeros(2)}, "not those that it names"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, Any], problem: str) -> None:
    names, packed = pack_trees(some_trees())
    with pytest.raises(ValueError, match=problem):
        unpack_trees(names, {**packed, **change})


@pytest.mark.parametrize("names", [None, [], [1, 2, 3], ["kind", "kind", "value"], "kind"])
def test_names_that_do_not_fit_are_refused(names: Any) -> None:
    with pytest.raises(ValueError, match="names"):
        unpack_trees(names, pack_trees(some_trees())[1])

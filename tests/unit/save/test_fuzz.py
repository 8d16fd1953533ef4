"""Damaged model files: a clean error or a whole tree, never anything else."""

from __future__ import annotations

import numpy as np
import pytest

from thorough import some
from treewright import _core
from treewright.errors import ModelFileError
from treewright.save import check_tree_header, check_tree_tests, from_bytes
from treewright.tree import Tree
from unit.save.model_pieces import credit_model
from unit.save.mutations import edges_in_the_length_fields, mutations, truncations

N_FILES = 17_000  # and about 3,000 systematic ones below
N_PARTS = 4


def open_tree(data: bytes) -> Tree:
    """Read a tree the way a model does: bytes, then arrays, then the meaning of both together."""
    header, arrays = from_bytes(data, "fuzz.tw")
    classes = header.get("classes")
    n_columns = header.get("n_columns")
    if not isinstance(n_columns, int) or not 0 <= n_columns < 2**31 or not isinstance(classes, list):
        raise ModelFileError("no columns or no classes")
    try:
        core = _core.Tree(arrays, n_columns, len(classes))
    except ValueError as problem:
        raise ModelFileError(str(problem)) from None
    schema, classes = check_tree_header(header, n_columns, len(classes), "fuzz.tw")
    check_tree_tests(schema, core.arrays(), "fuzz.tw")
    return Tree(core, schema, classes)


@pytest.mark.parametrize("seed", some(range(N_PARTS), 1))
def test_a_damaged_file_gives_a_clean_error_or_a_tree_that_can_be_shown(seed: int) -> None:
    read = refused = 0
    for data in mutations(credit_model(), N_FILES // N_PARTS, seed):
        try:
            tree = open_tree(data)
        except ModelFileError:
            refused += 1
            continue
        read += 1
        assert len(tree.to_text(max_depth=3, missing=True).splitlines()) <= tree.n_nodes
        assert tree.n_nodes == len(tree.to_dict()["nodes"])
    assert read > 100, "the damage never reaches past the checks, so it tests too little"
    assert refused > 1000


def test_a_file_cut_at_any_byte_is_refused() -> None:
    for data in truncations(credit_model()):
        with pytest.raises(ModelFileError):
            from_bytes(data)


def test_no_length_makes_the_reader_ask_for_memory() -> None:
    model = credit_model()
    header, arrays = from_bytes(model)
    for data in edges_in_the_length_fields(model):
        try:
            again, arrays_again = from_bytes(data)
        except ModelFileError:
            continue
        assert again == header
        assert all(np.array_equal(arrays_again[k], arrays[k], equal_nan=True) for k in arrays)

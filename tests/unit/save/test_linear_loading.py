"""A hostile file is refused in a time and a memory that its length accounts for."""

from __future__ import annotations

import resource
from typing import Any

import pytest

import treewright as tw
from treewright.errors import ModelFileError
from treewright.save.header import read_header
from treewright.save.model_bytes import to_bytes
from treewright.save.persist import load_bytes

HEADERS: dict[str, bytes] = {
    "many names, the last one twice": b"{" + b",".join(b'"%d":0' % k for k in range(400_000)) + b',"399999":0}',
    "a string without end after brackets": b"[" * 65 + b'"' + b'\\"' * 400_000,
    "brackets in a string": b'["' + b"[" * 4_000_000 + b'", ' + b"[" * 70,
    "lists side by side": b"[" + b"[]," * 500_000 + b"]",
    "backslashes": b'["' + b"\\" * 4_000_001 + b'"' + b"[" * 70,
}


# What was quadratic would take hours here, and what was exponential would not end: no clock is asked but that of the
# time limit of all tests.
@pytest.mark.parametrize("name", sorted(HEADERS))
def test_a_long_header_is_refused(name: str) -> None:
    with pytest.raises(ModelFileError):
        read_header(HEADERS[name], "m.tw")


def nested_recipes(depth: int) -> dict[str, Any]:
    recipe: dict[str, Any] = {"recipe": "DecisionTreeClassifier", "params": {}}
    for _ in range(depth):
        recipe = {"recipe": "BaggingTreesClassifier", "params": {"estimator": recipe}}
    return recipe


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_recipe_in_a_recipe_is_refused_at_once(wrapped: bool) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    header, arrays = tw.BaggingTreesClassifier(n_estimators=2).fit(X, y)._tw_state()
    inner = nested_recipes(25)
    recipe = {"recipe": "BaggingTreesClassifier", "params": {"estimator": {"list": [inner]} if wrapped else inner}}
    header["params"]["estimator"] = recipe
    with pytest.raises(ModelFileError, match="its recipe holds a recipe"):
        load_bytes(to_bytes(header, arrays))


def test_classes_of_a_type_far_too_wide_take_no_memory() -> None:
    X = [[float(k)] for k in range(3000)]
    header, arrays = tw.DecisionTreeClassifier(max_depth=1).fit(X, [str(k) for k in range(3000)])._tw_state()
    header["classes_dtype"] = "<U262144"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelFileError, match="its classes do not fit their type"):
        load_bytes(to_bytes(header, arrays))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB; it took 2.6 GB


def test_classes_of_a_type_wider_than_they_need_come_back() -> None:
    header, arrays = tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])._tw_state()
    header["classes_dtype"] = "<U50"
    assert load_bytes(to_bytes(header, arrays)).classes_.tolist() == ["a", "b"]

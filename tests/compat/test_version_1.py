"""Model files of format version 1 are read by every later treewright, and predict what they predicted."""

from __future__ import annotations

import json

import pytest

from compat.make_version_1 import FOLDER, expected_of, small_table
from treewright.save.persist import load, save


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_a_model_of_version_1_predicts_what_it_predicted(name: str) -> None:
    model = load(FOLDER / f"{name}.tw")
    expected = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert expected_of(model, small_table()[0]) == expected


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_the_golden_file_is_of_version_1(name: str) -> None:
    assert (FOLDER / f"{name}.tw").read_bytes()[:16] == b"\x89TWTREE\n\x01\0\0\0\x01\0\0\0"


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_a_model_of_version_1_can_be_saved_and_read_again(name: str, tmp_path: object) -> None:
    model = load(FOLDER / f"{name}.tw")
    save(model, f"{tmp_path}/again.tw")
    X = small_table()[0]
    assert expected_of(load(f"{tmp_path}/again.tw"), X) == expected_of(model, X)

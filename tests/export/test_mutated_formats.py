"""The proofs of all formats can fail: files with one cut, branch, level or answer changed are caught where they run.

A cut is moved by the least that the format can tell: one double; one float32 for trees and forests of scikit-learn,
which round rows to those. Scripts of R are in tests/r, rule books in `test_mutated_workbooks.py`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from export.mutated_files import c_files, javascript_modules, onnx_files, pmml_files, python_files, sql_statements
from export.mutated_models import estimators, json_documents
from thorough import THOROUGH

pytestmark = pytest.mark.timeout(3000)


@pytest.mark.random_examples
def test_nearly_every_mutation_of_a_python_file_is_caught(tmp_path: Path) -> None:
    outcome = python_files(800 if THOROUGH else 200, tmp_path)
    assert outcome.nearly_all, outcome.missed


if shutil.which("gcc"):

    @pytest.mark.random_examples
    def test_nearly_every_mutation_of_a_c_file_is_caught(tmp_path: Path) -> None:
        outcome = c_files(200 if THOROUGH else 12, tmp_path, one_of=1 if THOROUGH else 6)
        assert outcome.nearly_all, outcome.missed


if shutil.which("node"):

    @pytest.mark.random_examples
    def test_nearly_every_mutation_of_a_javascript_module_is_caught(tmp_path: Path) -> None:
        outcome = javascript_modules(200 if THOROUGH else 12, tmp_path, one_of=1 if THOROUGH else 6)
        assert outcome.nearly_all, outcome.missed


@pytest.mark.random_examples
def test_nearly_every_mutation_of_a_statement_is_caught(tmp_path: Path) -> None:
    outcome = sql_statements(200 if THOROUGH else 12, tmp_path, one_of=1 if THOROUGH else 6)
    assert outcome.nearly_all, outcome.missed


@pytest.mark.random_examples
def test_nearly_every_mutation_of_an_onnx_file_is_caught(tmp_path: Path) -> None:
    outcome = onnx_files(600 if THOROUGH else 48, tmp_path, one_of=1 if THOROUGH else 6)
    assert outcome.nearly_all, outcome.missed


if shutil.which("java"):

    @pytest.mark.random_examples
    def test_nearly_every_mutation_of_a_pmml_file_is_caught(tmp_path: Path) -> None:
        outcome = pmml_files(200 if THOROUGH else 24, tmp_path, one_of=1 if THOROUGH else 4)
        assert outcome.nearly_all, outcome.missed


@pytest.mark.random_examples
def test_every_mutation_of_json_is_caught_by_its_checksum(tmp_path: Path) -> None:
    outcome = json_documents(600 if THOROUGH else 24, tmp_path, one_of=1 if THOROUGH else 6)
    assert not outcome.missed, outcome.missed


@pytest.mark.random_examples
def test_nearly_every_mutation_of_an_estimator_of_scikit_learn_is_caught(tmp_path: Path) -> None:
    outcome = estimators(400 if THOROUGH else 24, tmp_path)
    assert outcome.nearly_all, outcome.missed

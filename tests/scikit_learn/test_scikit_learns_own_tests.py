"""What is documented of scikit-learn's own tests on our estimators is true: these fail, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sklearn

from scikit_learn.run import DIFFERENCES, FILES, differences, run, table, untold, untrue

PAGE = Path(__file__).parents[2] / "docs" / "scikit_learn_tests.md"
VERSION = "1.9.1"  # of scikit-learn, whose tests the rows name


@pytest.mark.thorough
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("name", FILES)
def test_scikit_learns_tests_fail_where_that_is_documented_and_nowhere_else(name: str) -> None:
    outcome = run(name)
    assert outcome.passed, "none ran"
    passing = [test for test in untrue(name, outcome) if test in outcome.passed]
    assert not passing, "rows that are no longer true"
    if sklearn.__version__ == VERSION:  # another version has other tests
        assert untold(name, outcome) == []
        assert untrue(name, outcome) == []


def test_every_row_has_a_file_a_test_and_a_reason() -> None:
    rows = differences()
    assert {row.file for row in rows} <= set(FILES)
    assert all(row.tests and len(row.why) > 20 for row in rows)
    named = [(row.file, test) for row in rows for test in row.tests]
    assert len(set(named)) == len(named)
    assert json.loads(DIFFERENCES.read_text(encoding="utf-8")) is not None


def test_the_page_shows_the_rows() -> None:
    assert PAGE.read_text(encoding="utf-8").endswith(table())

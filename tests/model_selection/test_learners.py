"""tw.learners: the table of all learners."""

from __future__ import annotations

import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.learners.registry import LEARNERS


def test_every_algorithm_is_in_the_table_with_all_its_answers() -> None:
    frame = tw.learners().to_frame()
    assert list(frame.index) == list(LEARNERS)
    facts = frame.drop(columns=["classifier", "regressor"])
    assert (facts != "").all(axis=None)
    for name, record in LEARNERS.items():
        assert f"{name}: {', '.join(record.classes.values())}" in str(tw.learners())


def test_the_table_can_be_that_of_a_task() -> None:
    classes, numbers = tw.learners("classification").names, tw.learners("regression").names
    assert "id3" in classes
    assert "id3" not in numbers
    assert "model_tree" in numbers
    assert set(classes) | set(numbers) == set(LEARNERS)
    with pytest.raises(DataError, match="Did you mean 'regression'"):
        tw.learners("regresion")


def test_lines_keep_to_the_width() -> None:
    assert max(len(line) for line in tw.learners().to_text(70).splitlines()) <= 70
    assert "<table" in tw.learners()._repr_html_()

"""The measures that learners are compared by."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import comparing
from thorough import examples
from treewright.errors import DataError
from treewright.model_selection.measures import MEASURES, Answers, find_measure, measure_classes, measure_numbers

LABELS = st.sampled_from(["a", "b", "c"])


@st.composite
def judged(draw: st.DrawFn) -> tuple[list[str], list[str], list[str], np.ndarray]:
    n_rows = draw(st.integers(1, 12))
    classes = sorted(draw(st.sets(LABELS, min_size=1)))
    truth = draw(st.lists(LABELS, min_size=n_rows, max_size=n_rows))
    said = draw(st.lists(st.sampled_from(classes), min_size=n_rows, max_size=n_rows))
    weights = draw(st.lists(st.integers(1, 4), min_size=n_rows * len(classes), max_size=n_rows * len(classes)))
    scores = np.array(weights, dtype=float).reshape(n_rows, -1)
    return truth, said, classes, scores / scores.sum(axis=1, keepdims=True)


@settings(max_examples=examples(150), deadline=None)
@given(judged())
def test_area_and_f1_are_those_of_the_definition(case: tuple[list[str], list[str], list[str], np.ndarray]) -> None:
    truth, said, classes, scores = case
    found = measure_classes(truth, Answers(np.array(classes), np.array(said), scores))
    rows = [dict(zip(classes, row, strict=True)) for row in scores.tolist()]
    area = comparing.mean_area(truth, rows)
    assert found["auc"] == pytest.approx(float(area), abs=1e-12) if area is not None else math.isnan(found["auc"])
    assert found["f1"] == pytest.approx(float(comparing.macro_f1(truth, said)))
    for label in classes:
        positive = measure_classes(truth, Answers(np.array(classes), np.array(said), scores), positive=label)
        assert positive["f1"] == pytest.approx(float(comparing.f1(truth, said, label)))


def test_measures_are_those_of_scikit_learn() -> None:
    random = np.random.default_rng(3)
    truth, said = random.choice(["x", "y", "z"], 300), random.choice(["x", "y", "z"], 300)
    sure = random.dirichlet([1, 1, 1], 300)
    found = measure_classes(truth, Answers(np.array(["x", "y", "z"]), said, sure))
    assert found["auc"] == pytest.approx(sklearn.metrics.roc_auc_score(truth, sure, multi_class="ovr"))
    assert found["f1"] == pytest.approx(sklearn.metrics.f1_score(truth, said, average="macro"))
    assert found["log_loss"] == pytest.approx(sklearn.metrics.log_loss(truth, sure))
    two, margin = random.integers(0, 2, 200), random.normal(size=200)
    answers = Answers(np.array([0, 1]), (margin > 0).astype(int), scores=np.column_stack([-margin, margin]))
    found = measure_classes(two, answers, positive=1)
    assert found["auc"] == pytest.approx(sklearn.metrics.roc_auc_score(two, margin))
    assert found["f1"] == pytest.approx(sklearn.metrics.f1_score(two, margin > 0))
    assert math.isnan(found["log_loss"])


def test_numbers_have_three_measures() -> None:
    found = measure_numbers([1.0, 2.0, 4.0], [1.0, 2.0, 1.0])
    assert found == pytest.approx({"rmse": math.sqrt(3), "mae": 1.0, "r2": 1 - 9 / (14 / 3)})


@pytest.mark.parametrize(
    ("name", "task", "cure"),
    [
        ("acuracy", "classification", "Did you mean 'accuracy'?"),
        ("accuracy", "regression", "The names are: 'rmse', 'mae', 'r2'."),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_ones(name: str, task: str, cure: str) -> None:
    with pytest.raises(DataError, match="There is no measure") as wrong:
        find_measure(name, task)
    assert cure in str(wrong.value)


@pytest.mark.parametrize(("value", "text"), [(0.12345, "0.123"), (float("nan"), "-")])
def test_a_share_has_three_digits_and_no_value_a_dash(value: Any, text: str) -> None:
    assert MEASURES["auc"].show(value) == text

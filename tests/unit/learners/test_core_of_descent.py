"""The loops over rows refuse arrays that do not belong together, and give the same for any width of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import _core

ROWS, TARGETS, WEIGHTS = np.ones((3, 8)), np.array([0, 1, 0], dtype=np.int32), np.ones(3)
ORDER = np.arange(3, dtype=np.uint32)
RULES = {"unit": "log_loss", "rate": 0.1, "penalty": 0.0, "seen": 0}


def descend(**changed: Any) -> float:
    """Call with everything right but what is changed."""
    given: dict[str, Any] = {
        "rows": ROWS, "targets": TARGETS.astype(float), "row_weights": WEIGHTS, "order": ORDER,
        "weights": np.zeros((1, 8)), "sums": None, "shrunk": np.zeros(8), "rules": RULES,
    }  # fmt: skip
    return _core.descend(**{**given, **changed})


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"rows": np.ones((3, 7))}, "multiple of 8"),
        ({"row_weights": np.ones(2)}, "one weight and one visit a row"),
        ({"order": np.array([0, 1, 3], dtype=np.uint32)}, "a visit to a row that is not there"),
        ({"weights": np.zeros((1, 16))}, "as long as a row"),
        ({"weights": np.zeros((2, 8))}, "one target a row"),
        ({"shrunk": np.zeros(7)}, "one penalty a weight"),
        ({"sums": np.zeros((2, 8))}, "sums of the shape of the weights"),
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        descend(**changed)


def test_classes_that_are_none_are_refused() -> None:
    perceptron = _core.PerceptronWeights(np.zeros((1, 8)), False, True)
    with pytest.raises(ValueError, match="a target that is no class"):
        perceptron.learn(ROWS, TARGETS + 1, WEIGHTS, ORDER, 1.0, False)
    with pytest.raises(ValueError, match="two units or more"):
        _core.descend_softmax(ROWS, TARGETS, WEIGHTS, ORDER, np.zeros((1, 8)), None, np.zeros(8), RULES)
    with pytest.raises(ValueError, match="one coefficient a column"):
        _core.logistic_slopes(ROWS, TARGETS, None, None, None, True, np.zeros(8), False)
    with pytest.raises(ValueError, match="a square matrix"):
        _core.soft_descent(np.ones((2, 3)), np.ones(2), np.ones(2), np.ones(2), 1e-9, 10)
    with pytest.raises(ValueError, match="a row that is not there"):
        _core.gathered_rows(ROWS, np.array([3]), None, None, True)


@pytest.mark.parametrize("columns", [1, 7, 8, 15, 23, 24, 31, 40])
def test_rows_of_few_columns_learn_the_same_as_rows_with_room_to_spare(columns: int) -> None:
    """Up to 32 numbers weights stay in registers: zeros at the end, which take another way, must change nothing."""
    rng = np.random.default_rng(columns)
    X, y = rng.integers(-4, 5, size=(200, columns)).astype(float), rng.integers(0, 2, 200).astype(np.int32)
    every = np.arange(200)
    narrow = _core.gathered_rows(X, every, None, None, True)
    wide = np.hstack([narrow, np.zeros((200, 48 - narrow.shape[1]))])
    learnt = []
    for rows in (narrow, wide):
        perceptron = _core.PerceptronWeights(np.zeros((1, rows.shape[1])), True, True)
        for number in range(1, 4):
            perceptron.learn(rows, y, np.ones(200), _core.shuffled(200, 0, number), 1.0, False)
        learnt.append([array[0, : columns + 1] for array in (perceptron.weights, perceptron.sums, perceptron.pocket)])
    np.testing.assert_array_equal(*learnt)


def test_long_tables_look_into_the_pocket_too() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12_000, 3))
    y = (X[:, 0] + rng.standard_normal(12_000) > 0).astype(np.int32)
    rows = _core.gathered_rows(X, np.arange(len(X)), None, None, True)
    perceptron = _core.PerceptronWeights(np.zeros((1, 8)), False, True)
    perceptron.learn(rows, y, np.ones(len(X)), _core.shuffled(len(X), 0, 1), 1.0, False)
    sums = rows @ perceptron.pocket[0]
    assert perceptron.pocket_errors == ((sums > 0) != (y == 1)).sum()
    assert perceptron.pocket_errors < perceptron.errors(rows, y, np.ones(len(X)))

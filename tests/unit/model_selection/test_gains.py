"""The gains table counts what it says."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from treewright.errors import DataError


def test_rows_with_the_same_score_are_one_group() -> None:
    table = tw.gains_table(["no", "yes", "yes", "no"], [0.9, 0.9, 0.4, 0.1])
    assert table["score"].tolist() == [0.9, 0.4, 0.1]
    assert table["positives"].tolist() == [1, 1, 0]
    assert table["gain"].tolist() == [0.5, 1.0, 1.0]
    assert table["lift"].tolist() == [1.0, 2.0, 0.0]


def test_groups_of_equal_size_share_out_rows_of_the_same_score() -> None:
    table = tw.gains_table([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5], groups=2)
    assert table["rows"].tolist() == [2, 2]
    assert table["positives"].tolist() == [1, 1]


def test_profit_is_what_the_positive_rows_earn_less_what_reaching_rows_costs() -> None:
    table = tw.gains_table([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.2], benefit=10, cost=4)
    assert table["profit"].tolist() == [6, 12, 8, 4]


def test_weights_count_rows() -> None:
    doubled = tw.gains_table([1, 1, 0], [0.9, 0.9, 0.3])
    weighted = tw.gains_table([1, 0, 1], [0.9, 0.3, 0.1], sample_weight=[2, 1, 0])
    assert np.allclose(doubled, weighted)


@pytest.mark.parametrize(
    ("truth", "scores", "words"),
    [
        ([0, 1], [[0.1, 0.9], [0.2, 0.8]], "one score for each row"),
        ([0, 1], [0.1, np.nan], "finite"),
        ([0, 1], [0.1, 0.2], "No row is of the class 'yes'"),
    ],
)
def test_what_is_no_score_is_refused(truth: list[int], scores: object, words: str) -> None:
    positive = "yes" if "yes" in words else None
    with pytest.raises(DataError, match=words):
        tw.gains_table(truth, scores, positive=positive)

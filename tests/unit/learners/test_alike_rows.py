"""Rows are joined where they are alike, never because their words are."""

from __future__ import annotations

import numpy as np

from treewright.learners.base.deduplicate_rows import one_of_each


def test_rows_of_one_word_that_are_not_alike_stay_apart() -> None:
    words = np.array([5, 5, 5], dtype=np.uint64)
    values = np.array([[1.0, np.nan], [1.0, np.nan], [2.0, 0.0]])
    kept, joint = one_of_each(words, [values, np.zeros(3)], np.array([1.0, 2.0, 4.0]))
    assert (kept.tolist(), joint.tolist()) == ([0, 2], [3.0, 4.0])
    kept, joint = one_of_each(words[:2], [values[:2], np.array([0, 1])], None)
    assert (sorted(kept.tolist()), joint.tolist()) == ([0, 1], [1.0, 1.0])

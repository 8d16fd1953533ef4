"""Intervals and sets are those of the definitions, whatever ties, folds and weights there are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracle.conformal import interval, is_in_set
from treewright.learners.base.conformal import keep_scores

_JUDGED = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 8), st.integers(1, 3)), min_size=1, max_size=25)
_COVERAGE = st.sampled_from([Fraction(k, 20) for k in range(1, 20)])


def _kept(judged: list[tuple[int, float, int]], n_folds: int) -> object:
    folds = []
    for fold in range(n_folds):
        rows = [(score, count) for own, score, count in judged if own == fold]
        folds.append((np.array([s for s, _ in rows], dtype=float), np.array([c for _, c in rows], dtype=float)))
    return keep_scores("cross", folds, [None] * n_folds)


@given(_JUDGED, st.lists(st.integers(-5, 5), min_size=3, max_size=3), _COVERAGE, st.booleans())
def test_intervals_are_those_of_the_definition(
    judged: list[tuple[int, int, int]], answers: list[int], coverage: Fraction, one_each: bool
) -> None:
    rows = [(fold, score / 4, 1 if one_each else count) for fold, score, count in judged]
    found = _kept(rows, 3).intervals(np.array([answers], dtype=float), float(coverage))
    assert tuple(found[0]) == interval([float(a) for a in answers], rows, coverage)


@given(_JUDGED, st.integers(-5, 5), _COVERAGE)
def test_with_one_fold_intervals_are_those_of_split_conformal(
    judged: list[tuple[int, int, int]], answer: int, coverage: Fraction
) -> None:
    rows = [(0, score / 4, count) for _, score, count in judged]
    found = _kept(rows, 1).intervals(np.array([[float(answer)]]), float(coverage))
    assert tuple(found[0]) == interval([float(answer)], rows, coverage)


@given(_JUDGED, st.lists(st.tuples(*[st.integers(0, 8)] * 3), min_size=2, max_size=4), _COVERAGE)
def test_sets_are_those_of_the_definition(
    judged: list[tuple[int, int, int]], shares: list[tuple[int, int, int]], coverage: Fraction
) -> None:
    rows = [(fold, score / 8, count) for fold, score, count in judged]
    given_by = [np.array([[each[fold] / 8 for each in shares]]) for fold in range(3)]
    found = _kept(rows, 3).sets(given_by, float(coverage))
    assert found[0].tolist() == [is_in_set([each[fold] / 8 for fold in range(3)], rows, coverage) for each in shares]


@given(_JUDGED, _COVERAGE)
def test_a_row_that_counts_twice_is_the_same_as_two_rows(
    judged: list[tuple[int, int, int]], coverage: Fraction
) -> None:
    rows = [(fold, score / 4, count) for fold, score, count in judged]
    written_out = [(fold, score, 1) for fold, score, count in rows for _ in range(count)]
    answers = np.array([[0.0, 1.0, 0.5]])
    one, other = (_kept(each, 3).intervals(answers, float(coverage)) for each in (rows, written_out))
    assert one.tolist() == other.tolist()

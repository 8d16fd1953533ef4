"""The corrected resampled t-test of Nadeau and Bengio."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.comparing import corrected_t, two_sided_p
from thorough import examples
from treewright.model_selection.comparison import corrected_error, corrected_interval, corrected_p_value

SCORES = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)


def test_three_folds_by_hand() -> None:
    # Differences .1 .2 .1: mean .4/3, variance .01/3; (1/3 + 1/2) · .01/3 = .05/18; t = (.4/3) / sqrt(.05/18) = 2.5298.
    # With two degrees of freedom p = 1 - t / sqrt(2 + t²) = 0.12713.
    t = (0.4 / 3) / sqrt(0.05 / 18)
    assert corrected_p_value([0.8, 0.9, 0.7], [0.7, 0.7, 0.6], 0.5) == pytest.approx(1 - t / sqrt(2 + t * t))
    assert round(1 - t / sqrt(2 + t * t), 5) == 0.12713


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=12), st.integers(1, 50), st.integers(1, 50))
def test_the_p_value_is_that_of_the_definition(pairs: list[tuple[float, float]], n_test: int, n_training: int) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    p = corrected_p_value(first, second, n_test / n_training)
    differences = {round(a - b, 9) for a, b in pairs}
    if len(differences) == 1:
        assert p == (1.0 if differences == {0.0} else pytest.approx(0.0, abs=1e-6))
        return
    t = corrected_t(first, second, n_test, n_training)
    if abs(t) < 50:  # beyond, Simpson's rule has no digits left
        assert p == pytest.approx(two_sided_p(t, len(pairs) - 1), abs=1e-6)
    assert corrected_p_value(second, first, n_test / n_training) == p


def test_it_is_more_careful_than_the_usual_test() -> None:
    from scipy.stats import ttest_rel

    first, second = [0.8, 0.82, 0.79, 0.85, 0.81], [0.78, 0.8, 0.8, 0.8, 0.79]
    usual = ttest_rel(first, second).pvalue
    assert corrected_p_value(first, second, 0.25) > usual
    assert corrected_p_value(first, second, 0.0) == pytest.approx(usual)


def test_the_interval_holds_what_the_test_does_not_reject() -> None:
    scores = [0.71, 0.74, 0.69, 0.77]
    for bound in corrected_interval(scores, 1 / 3):
        assert corrected_p_value(scores, [bound] * 4, 1 / 3) == pytest.approx(0.05)
    assert corrected_error([0.5, 0.5], 1.0) == 0.0

"""The logarithms of upper tails in the core, beside decimals of 50 digits and beside scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from oracle import tails as slow
from treewright import _core

SHARES = [1e-12, 1e-6, 0.01, 0.3, 0.9, 0.999, 1.001, 1.1, 2, 5, 30, 400, 5000]


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 7, 10, 31, 100, 301, 1000])
def test_a_chi_square_tail_is_right_to_ten_digits_from_one_to_far_below_the_smallest_double(df):
    for share in SHARES:
        statistic = share * df
        expected = slow.log_chi_square_tail(statistic, df)
        assert _core.log_chi_square_tail(statistic, df) == pytest.approx(expected, rel=1e-10, abs=1e-48)


@pytest.mark.parametrize("df_between", [1, 2, 3, 8, 25])
@pytest.mark.parametrize("df_within", [1, 2, 5, 30, 301, 2000])
def test_an_f_tail_is_right_to_ten_digits_from_one_to_far_below_the_smallest_double(df_between, df_within):
    for statistic in [0.9, 0.999, 1.001, 1.5, 3, 20, 400, 1e5, 1e9]:
        expected = slow.log_f_tail(statistic, df_between, df_within)
        assert _core.log_f_tail(statistic, df_between, df_within) == pytest.approx(expected, rel=1e-10)


def test_tails_agree_with_scipy_where_scipy_does_not_underflow():
    random = np.random.default_rng(7)
    compared = 0
    for _ in range(500):
        df, within = float(random.integers(1, 3000)) / 2, float(random.integers(1, 400_000)) / 2
        x, f = stats.chi2.isf(10 ** -random.uniform(0, 290), df), stats.f.isf(10 ** -random.uniform(0, 12), df, within)
        assert _core.log_chi_square_tail(x, df) == pytest.approx(math.log(stats.chi2.sf(x, df)), rel=1e-9, abs=1e-11)
        if (tail := stats.f.sf(f, df, within)) > 0:  # older versions of SciPy give an infinite f here and there
            compared += 1
            assert _core.log_f_tail(f, df, within) == pytest.approx(math.log(tail), rel=1e-8, abs=1e-9)
    assert compared > 490


def test_near_one_the_logarithm_of_a_tail_is_minus_the_lower_tail():
    assert _core.log_chi_square_tail(1e-20, 4) == pytest.approx(-(1e-20**2) / 8, rel=1e-12)
    assert _core.log_f_tail(1e-20, 2, 7) == pytest.approx(-1e-20, rel=1e-10)


def test_huge_statistics_and_degrees_of_freedom_keep_their_digits():
    # One degree of freedom: the tail is erfc(z), close to exp(-z²) / (z √π) for a large z.
    z = math.sqrt(5e8)
    assert _core.log_chi_square_tail(1e9, 1) == pytest.approx(-5e8 - math.log(z * math.sqrt(math.pi)), rel=1e-15)
    assert _core.log_chi_square_tail(1e6, 1e6) == pytest.approx(math.log(stats.chi2.sf(1e6, 1e6)), rel=1e-10)
    assert _core.log_f_tail(50, 1, 2e6) == pytest.approx(math.log(stats.t.sf(math.sqrt(50), 2e6) * 2), rel=1e-10)


def test_a_tail_at_zero_or_without_degrees_of_freedom_is_one_and_at_infinity_none():
    assert _core.log_chi_square_tail(0, 3) == 0
    assert _core.log_chi_square_tail(5, 0) == 0
    assert _core.log_f_tail(0, 2, 5) == 0
    assert _core.log_f_tail(5, 0, 5) == 0
    assert _core.log_f_tail(5, 2, 0) == 0
    assert _core.log_chi_square_tail(math.inf, 3) == -math.inf
    assert _core.log_f_tail(math.inf, 2, 5) == -math.inf

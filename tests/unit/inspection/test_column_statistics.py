"""What is in a column, counted by hand."""

import datetime

import numpy as np
import pandas as pd
import pytest

from treewright.inspection.column_statistics import column_statistics


@pytest.mark.parametrize("seed", range(5))
def test_numbers_have_the_quantiles_mean_and_bins_of_numpy(seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=37).round(2) * 1000
    found = column_statistics(pd.Series([*values, np.nan, np.inf]))
    assert found.quantiles == tuple(np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
    assert found.mean == pytest.approx(values.mean())
    assert sum(found.histogram) == 37
    assert len(found.histogram) == 8
    assert found.text() == column_statistics(pd.Series([*values[::-1], np.inf, np.nan])).text()


def test_levels_come_by_their_frequency_and_then_by_name() -> None:
    found = column_statistics(pd.Series(["b", "a", "c", "c", "d", None]))
    assert found.top == (("c", 2), ("a", 1), ("b", 1))
    assert found.text() == "c 40 %, a 20 %, b 20 %, 1 more"
    assert column_statistics(pd.Series([1, 2, 2]), "nominal").top == ((2, 2), (1, 1))
    assert column_statistics(pd.Series([True, False, True])).text() == "True 67 %, False 33 %"


def test_dates_are_told_as_dates() -> None:
    days = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-03", None, "2020-01-11"]))
    found = column_statistics(days)
    assert found.text().startswith("2020-01-01 | ")
    assert "| 2020-01-11, mean 2020-01-05" in found.text()
    assert sum(found.histogram) == 3
    assert found.to_dict()["min"] == "2020-01-01 00:00:00"


def test_an_empty_and_a_constant_column_have_something_to_say_or_nothing() -> None:
    assert column_statistics(pd.Series([], dtype=float)).text() == ""
    assert column_statistics(pd.Series([np.nan, np.inf])).text() == ""
    assert column_statistics(pd.Series([7, 7])).text() == "7 | 7 7 7 | 7, mean 7  █"
    assert "█" not in column_statistics(pd.Series([7, 7])).text(ascii=True)


def test_times_of_day_and_lengths_of_time_are_told_as_numbers_are() -> None:
    clock = pd.Series([datetime.time(2, 17), datetime.time(10, 0, 30), None, datetime.time(23, 59)], dtype=object)
    lengths = pd.Series(pd.to_timedelta([2 * 3600 + 17 * 60, 10 * 3600 + 30, None, 24 * 3600 - 60], unit="s"))
    for times in (clock, lengths):
        found = column_statistics(times)
        assert found.text().startswith("02:17:00 | 02:17:00 10:00:30 23:59:00 | 23:59:00, mean 12:05:30  ")
        assert sum(found.histogram) == 3
        assert found.to_dict()["min"] == "0 days 02:17:00"
    assert column_statistics(clock, "nominal").n_levels == 3


def test_moments_of_one_day_are_told_to_the_second() -> None:
    moments = pd.Series(pd.to_datetime(["2020-01-01 08:00:00", "2020-01-01 10:00:30", "2020-01-01 12:00:00"]))
    assert "| 2020-01-01 12:00:00, mean 2020-01-01 10:00:10" in column_statistics(moments).text()
    assert column_statistics(pd.Series(pd.to_datetime(["2020-01-01"] * 2))).text().startswith("2020-01-01 | 2020")


def test_the_mean_of_a_centred_column_is_zero_and_not_what_rounding_leaves() -> None:
    centred = pd.Series([0.1, 0.2, 0.7, 4.3, -1.9])
    centred -= centred.mean()
    assert 0 < abs(centred.mean()) < 1e-15 or centred.mean() == 0
    assert ", mean 0 " in column_statistics(centred).text()
    assert ", mean 1e-09 " in column_statistics(pd.Series([0.0, 2e-9])).text()

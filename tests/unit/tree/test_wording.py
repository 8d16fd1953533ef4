"""Numbers, shares and names as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.tree.format import cells, clip, name_text, number_text, share_text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_seventeen_digits_give_back_the_same_number(value: float) -> None:
    assert float(number_text(value, digits=17)) == value


@given(st.integers(-(10**14), 10**14))
def test_a_threshold_between_two_whole_numbers_stays_between_them(whole: int) -> None:
    assert whole < float(number_text(whole + 0.5)) < whole + 1


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_six_digits_are_close(value: float) -> None:
    assert float(number_text(value)) == pytest.approx(value, rel=1e-5, abs=5e-324)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.0, "0"), (1e6, "1000000"), (123456.789, "123456.8"), (1e300, "1e+300"), (5e-324, "4.94066e-324")],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number_text(value) == text


@given(st.floats(0, 1))
def test_a_share_is_all_or_nothing_only_when_it_is(share: float) -> None:
    assert (share_text(share) == "100 %") == (share == 1)
    assert (share_text(share) == "0 %") == (share == 0)


@given(st.text())
def test_a_name_never_breaks_a_line(name: str) -> None:
    assert name_text(name).isprintable()
    assert name_text(name).strip() == name_text(name) != ""


@given(st.text(), st.integers(3, 60))
def test_clipped_text_fits(text: str, limit: int) -> None:
    assert len(clip(text, limit)) <= max(limit, 3)


def test_wide_characters_fill_two_cells_and_accents_none() -> None:
    assert [cells(text) for text in ("│ →…", "東京", "e\u0301", "한국")] == [4, 4, 1, 4]

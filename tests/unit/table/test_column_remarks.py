"""What is odd about a column, and what is not."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import pandas as pd
import pytest

from treewright.table.column_remarks import column_remarks


def _remarks(values: list[object], kind: str = "nominal", written: bool = False) -> list[str]:
    return column_remarks("c", nw.from_native(pd.Series(values), series_only=True), kind, written)


def test_texts_that_seldom_come_again_are_told_with_the_way_to_leave_them_out() -> None:
    tickets: list[object] = [f"ticket {i * 3 // 4}" for i in range(200)]
    assert _remarks(tickets) == [
        "150 different texts in 200 rows that have one: as levels they tell little about new rows; "
        "drop(columns='c') leaves it out"
    ]
    with_holes: list[object] = [f"name {i}" if i % 3 else None for i in range(90)]
    assert "60 different texts in 60 rows" in _remarks(with_holes)[0]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([f"town {i // 2}" for i in range(200)], "nominal"),  # half as many as rows: every town comes again
        ([f"level {i}" for i in range(15)], "nominal"),  # a handful
        (list(pd.date_range("2020-01-01", periods=200)), "numeric"),
        ([1000 + 37 * i + 0.5 for i in range(200)], "numeric"),
        ([500 + int(1.04**i) + i for i in range(200)], "numeric"),  # inhabitants: many small towns, a few large ones
    ],
    ids=["towns", "few", "days", "amounts", "inhabitants"],
)
def test_nothing_is_told_of_columns_that_come_again_of_days_and_of_amounts_and_counts(
    values: list[object], kind: str
) -> None:
    assert _remarks(values, kind) == []


def test_counts_of_a_few_rows_that_differ_by_chance_are_no_identifier() -> None:
    votes = [2481, 2525, 3348, 1734, 4770, 5962, 2369, 1932, 332, 6591, 1546, 2426]
    votes += [3529, 4014, 871, 2707, 3001, 1269, 5150, 3883]
    assert not identifiers("Coderre", votes)
    assert identifiers("district_id", votes)
    assert identifiers("districtID", votes)
    assert identifiers("Coderre", sorted(votes))
    assert identifiers("customer", [vote * 1_000 + 7 for vote in votes])
    assert identifiers("x", [2 * (7 * i % 20) for i in range(20)])  # so few numbers would not all differ by chance


def identifiers(name: str, values: list[int]) -> bool:
    column = nw.from_native(pd.Series(values), series_only=True)
    return any("identifier" in remark for remark in column_remarks(name, column, "numeric"))

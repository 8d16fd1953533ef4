"""Columns of a pandas frame that go the short way are learnt from as they would be through narwhals."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import example, given
from hypothesis import strategies as st

from treewright.table.encode import LaidOutTable, lay_out
from treewright.table.frame import InputFrame, open_frame
from treewright.table.plain_columns import plain_column

FLOATS = st.sampled_from([0.0, -0.0, 1.5, 2.0, -3.25, 1e300, float("nan"), float("inf"), float("-inf")])
WHOLE = st.sampled_from([0, 1, 2, 7, 100, 20_201_231, 20_200_101])
TEXTS = st.sampled_from(["a", "b", "10", "9", "1.5", "", "true", "ü"])


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(1, 30))
    times = draw(st.sampled_from([1, 60]))  # more rows than are looked at first
    columns: dict[str, Any] = {}
    for j in range(draw(st.integers(1, 4))):
        columns[f"c{j}"] = draw(st.sampled_from([_float, _whole, _category]))(draw, rows)
    frame = pd.DataFrame(columns)
    return pd.concat([frame] * times, ignore_index=True) if times > 1 else frame


def _float(draw: st.DrawFn, rows: int) -> Any:
    cells = draw(st.lists(FLOATS, min_size=rows, max_size=rows))
    with np.errstate(over="ignore"):
        return np.array(cells).astype(draw(st.sampled_from(["f2", "f4", "f8", ">f8"])))


def _whole(draw: st.DrawFn, rows: int) -> Any:
    cells = draw(st.one_of(st.lists(WHOLE, min_size=rows, max_size=rows), st.just(list(range(rows)))))
    return np.array(cells).astype(draw(st.sampled_from(["i1", "u2", "i4", "u8", "i8", ">i4"])))


def _category(draw: st.DrawFn, rows: int) -> Any:
    listed = draw(st.lists(TEXTS, min_size=1, unique=True))
    codes = draw(st.lists(st.integers(-1, len(listed) - 1), min_size=rows, max_size=rows))
    return pd.Categorical.from_codes(codes, listed, ordered=draw(st.booleans()))


def _through_narwhals(frame: InputFrame) -> InputFrame:
    return dataclasses.replace(frame, columns=tuple(frame.columns))


def _learnt(frame: InputFrame) -> tuple[LaidOutTable, list[str]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        return lay_out(frame), [str(warning.message) for warning in told]


@given(frames())
@example(pd.DataFrame({"c0": [1.0] * 1001 + [2.0]}))
@example(pd.DataFrame({"c0": [7] * 1001 + [8]}))
@example(pd.DataFrame({"c0": np.zeros(20, ">i4"), "c1": np.arange(20.0).astype(">f8")}))
def test_the_short_way_gives_what_narwhals_gives(table: pd.DataFrame) -> None:
    frame = open_frame(table)
    ours, told = _learnt(frame)
    slow, told_slowly = _learnt(_through_narwhals(frame))
    assert told == told_slowly
    assert [c.to_json() for c in ours.schema.columns] == [c.to_json() for c in slow.schema.columns]
    for (kind, values, beside), (kind_slow, values_slow, beside_slow) in zip(
        ours.rows.parts, slow.rows.parts, strict=True
    ):
        assert kind == kind_slow
        assert values.dtype == values_slow.dtype
        np.testing.assert_array_equal(values, values_slow)
        assert beside is beside_slow if beside is None else beside == beside_slow


def test_common_types_go_the_short_way_and_others_do_not() -> None:
    moments = pd.to_datetime(["2024-01-01", "2024-01-02"])
    table = pd.DataFrame({"f": [1.5, None], "i": [1, 2], "t": ["a", "b"], "b": [True, False], "d": moments})
    table["c"] = table["t"].astype("category")
    table["o"] = pd.Categorical(["a", "b"], ordered=True)
    frame = open_frame(table)
    short = [name for j, name in enumerate(frame.names) if plain_column(frame, j) is not None]
    assert short == ["f", "i", "c"]

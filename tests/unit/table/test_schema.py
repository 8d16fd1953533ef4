"""A schema says what it means, survives saving, and refuses what makes no sense."""

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright.errors import DataError
from treewright.table.encode import encode_table
from treewright.table.frame import open_frame
from treewright.table.schema import Column, Schema


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (Column("x", "numeric"), 41.5, "41.5"),
        (Column("x", "numeric"), 3.0, "3"),
        (Column("x", "numeric"), 0.1 + 0.2, "0.30000000000000004"),
        (Column("x", "numeric"), 1e16, "1e+16"),
        (Column("x", "numeric"), float("inf"), "inf"),
        (Column("x", "numeric"), float("nan"), "missing"),
        (Column("x", "numeric", "date"), 19723, "2024-01-01"),
        (Column("x", "numeric", "date"), 19723.5, "2024-01-01"),
        (Column("x", "numeric", "date"), -0.5, "1969-12-31"),
        (Column("x", "numeric", "datetime"), 1704103200000000, "2024-01-01 10:00:00"),
        (Column("x", "numeric", "datetime"), 1704103200500000, "2024-01-01 10:00:00.5"),
        (Column("x", "numeric", "time"), 36000000000, "10:00:00"),
        (Column("x", "numeric", "time"), 36000250000, "10:00:00.25"),
        (Column("x", "numeric", "duration"), 180000000000, "50:00:00"),
        (Column("x", "numeric", "duration"), -1000000, "-00:00:01"),
        (Column("x", "nominal", "text", ("low", "high")), 2, "high"),
        (Column("x", "ordinal", "text", ("low", "high")), 1.5, "low"),
        (Column("x", "nominal", "boolean", (False, True)), 2, "True"),
        (Column("x", "nominal", "number", (1.0, 2.5)), 1, "1"),
        (Column("x", "nominal", "text", ("low",)), 0, "missing"),
    ],
)
def test_a_value_is_shown_as_the_columns_values_look(column: Column, value: float, text: str) -> None:
    assert column.show(value) == text


def test_a_code_without_a_level_is_refused() -> None:
    with pytest.raises(DataError, match="no level of code 2"):
        Column("x", "nominal", "text", ("low",)).show(2)


def test_a_schema_survives_json() -> None:
    levels = ("a", 1, False, 2.5, float("inf"), 2**70)
    schema = Schema((Column("ü\n", "nominal", "text", levels), Column("d", "numeric", "date")), "y")
    again = Schema.from_json(json.loads(json.dumps(schema.to_json(), allow_nan=False)))
    assert again == schema
    assert [type(level) for level in again.columns[0].levels] == [type(level) for level in levels]


def test_the_range_of_a_column_is_kept_and_may_be_absent() -> None:
    column = Column("x", "numeric", range=(-1.5, 3.0))
    assert Column.from_json(json.loads(json.dumps(column.to_json()))).range == (-1.5, 3.0)
    assert Column.from_json(Column("x", "numeric").to_json()).range is None
    assert "range" not in Column("x", "numeric").to_json()


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ([3, 1, 2], (1.0, 3.0)),
        (pd.array([3, None, 7], dtype="Int64"), (3.0, 7.0)),
        ([2.5, None, math.inf], (2.5, 2.5)),
        ([None, math.nan], None),
        (np.array([0.0, -0.0]), (0.0, 0.0)),
        (pd.to_datetime(["1970-01-03", None, "1970-01-02"]), (1.0, 2.0)),
    ],
)
def test_a_frame_tells_the_range_of_its_numbers_whatever_their_order(cells: Any, found: Any) -> None:
    frame = pd.DataFrame({"x": pd.Series(cells)})
    for rows in (frame, frame[::-1]):
        column = encode_table(open_frame(rows)).schema.columns[0]
        assert column.range == found
        assert repr(column.range) == repr(found)  # 0 and -0 are equal


def test_levels_of_numpy_become_levels_of_python() -> None:
    column = Column("x", "nominal", "number", (np.int64(1), np.float64(2.5), np.str_("a"), np.False_))
    assert [type(level) for level in column.levels] == [int, float, str, bool]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((7, "numeric"), "must be text"),
        (("x", "number"), "The kinds are: numeric, nominal, ordinal"),
        (("x", "numeric", "colour"), "The types are"),
        (("x", "numeric", "text"), "is numeric, so it has no levels"),
        (("x", "numeric", "number", ("a",)), "is numeric, so it has no levels"),
        (("x", "nominal", "text", ("a", "a")), "has the level 'a' twice"),
        (("x", "nominal", "text", (None,)), "a level must be text"),
        (("x", "nominal", "text", (float("nan"),)), "a level must be text"),
    ],
)
def test_a_column_that_makes_no_sense_is_refused(fields: tuple[Any, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Column(*fields)


def test_a_name_twice_is_refused() -> None:
    with pytest.raises(DataError, match="2 columns named 'x'"):
        Schema((Column("x", "numeric"), Column("x", "numeric")))


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        {"columns": []},
        {"columns": {}, "target": None},
        {"columns": [], "target": 5},
        {"columns": [{}], "target": None},
        {"columns": [{"name": "x", "kind": [], "face": "number", "levels": []}], "target": None},
        {"columns": [{"name": "x", "kind": "nominal", "face": "text", "levels": "ab"}], "target": None},
        {"columns": [{"name": "x", "kind": "nominal", "face": "text", "levels": [{"float": "1"}]}], "target": None},
        {"columns": [{"name": "x", "kind": "nominal", "face": "text", "levels": [[1]]}], "target": None},
        *(
            {"columns": [{"name": "x", "kind": "numeric", "face": "number", "levels": [], "range": bad}], "target": "y"}
            for bad in (None, 5, [], [1], [1, 2, 3], [2, 1], ["1", "2"], [True, True], [math.nan, 1], [0, math.inf])
        ),
        {
            "columns": [{"name": "x", "kind": "numeric", "face": "number", "levels": [], "range": [0, 10**400]}],
            "target": None,
        },
        {
            "columns": [{"name": "x", "kind": "nominal", "face": "text", "levels": ["a"], "range": [0, 1]}],
            "target": None,
        },
    ],
)
def test_a_stored_schema_that_is_wrong_is_refused_with_a_sentence(stored: Any) -> None:
    with pytest.raises(DataError):
        Schema.from_json(stored)

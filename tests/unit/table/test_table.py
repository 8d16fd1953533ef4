"""Tables for growing and rows for answering."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from treewright.errors import DataError
from treewright.table.encode import RowEncoder, encode_table
from treewright.table.frame import open_frame
from treewright.table.schema import Column, Schema

FRAME = pd.DataFrame({"age": [20, 30, 40], "job": ["cook", None, "smith"], "code": [1, 2, 1]})


def test_wishes_override_the_guess() -> None:
    schema = encode_table(open_frame(FRAME), {"code": "nominal", "age": "ordinal"}, "y").schema
    assert [(c.kind, c.levels) for c in schema.columns] == [
        ("ordinal", (20, 30, 40)),
        ("nominal", ("cook", "smith")),
        ("nominal", (1, 2)),
    ]
    assert schema.target == "y"


def test_text_can_be_asked_to_be_numeric() -> None:
    schema = encode_table(open_frame(pd.DataFrame({"t": ["1", "2"]})), {"t": "numeric"}).schema
    assert schema.columns == (Column("t", "numeric", "number"),)


def test_a_wish_for_an_unknown_column_is_refused() -> None:
    with pytest.raises(DataError, match="Did you mean 'job'"):
        encode_table(open_frame(FRAME), {"jop": "nominal"})


def test_rows_are_laid_out_by_the_schema() -> None:
    schema = encode_table(open_frame(FRAME)).schema
    rows = RowEncoder(schema).encode(open_frame(pd.DataFrame({"age": [1.5], "job": ["king"], "code": [None]})))
    assert [part[1].tolist() for part in rows.parts[:2]] == [[1.5], [0]]
    assert [rows.first_missing(j) for j in range(3)] == [None, 0, 0]


def test_a_matrix_is_used_as_it_is_where_all_columns_are_numbers() -> None:
    X = np.array([[1.0, 2.0], [3.0, np.nan]])
    schema = Schema((Column("x0", "numeric"), Column("x1", "numeric")))
    rows = RowEncoder(schema).encode(open_frame(X))
    assert rows.matrix is X
    assert [rows.first_missing(j) for j in range(2)] == [None, 1]
    mixed = Schema((Column("x0", "numeric"), Column("x1", "nominal", "number", (2, 5))))
    assert RowEncoder(mixed).encode(open_frame(X)).parts[1][1].tolist() == [1, 0]

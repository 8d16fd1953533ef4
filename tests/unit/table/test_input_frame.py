"""Opening tables without copying them."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from treewright.errors import DataError
from treewright.table.frame import is_frame, open_frame, to_native_numbers, to_table

CELLS = {"a": [1, 2], "b": ["x", None]}


@pytest.mark.parametrize("table", [pd.DataFrame(CELLS), pl.DataFrame(CELLS), pa.table(CELLS)], ids=["pd", "pl", "pa"])
def test_a_frame_is_opened_with_its_names(table: object) -> None:
    assert is_frame(table)
    frame = open_frame(table)
    assert (frame.n_rows, frame.n_columns, frame.names) == (2, 2, ("a", "b"))
    assert frame.column(1).to_list()[0] == "x"


def test_a_duckdb_relation_and_a_lazy_frame_are_computed() -> None:
    assert open_frame(to_table(duckdb.sql("select 1 as a, date '2024-01-01' as b"))).names == ("a", "b")
    assert open_frame(to_table(pl.LazyFrame(CELLS))).names == ("a", "b")


def test_an_interval_of_duckdb_is_a_length_of_time() -> None:
    table = to_table(duckdb.sql("select interval 1 day as long union all select null"))
    assert table.schema.field("long").type == pa.duration("us")


def test_integer_names_of_pandas_become_text() -> None:
    assert open_frame(pd.DataFrame(np.zeros((2, 3)))).names == ("0", "1", "2")


def test_a_matrix_of_numbers_stays_where_it_is() -> None:
    X = np.zeros((4, 3), dtype=np.float32)
    frame = open_frame(X)
    assert frame.matrix is X
    assert frame.names == ("x0", "x1", "x2")
    assert frame.column(2).to_list() == [0, 0, 0, 0]


def test_a_wide_frame_of_one_type_is_a_matrix() -> None:
    wide = pd.DataFrame(np.zeros((2, 1500)), columns=[f"c{j}" for j in range(1500)])
    assert open_frame(wide).matrix is not None
    assert open_frame(wide.assign(text="a")).matrix is None


def test_names_that_become_equal_as_text_are_refused() -> None:
    with pytest.raises(DataError, match="Two columns have the name '1'"):
        open_frame(pd.DataFrame([[1, 2]], columns=[1, "1"]))


def test_rows_keep_the_types_of_their_values() -> None:
    table = to_table([[1, "a"], [2.5, None]])
    assert table.tolist() == [[1, "a"], [2.5, None]]
    assert to_table([[1, 2], [3, 4]]).dtype.kind == "i"


def test_types_that_the_core_does_not_read_become_the_nearest() -> None:
    assert to_native_numbers(np.zeros(2, dtype=np.float16)).dtype == np.float32
    assert to_native_numbers(np.zeros(2, dtype=np.longdouble)).dtype == np.float64
    assert to_native_numbers(np.zeros(2, dtype=">i2")).dtype == np.dtype("=i2")

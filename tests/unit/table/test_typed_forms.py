"""Tables that come with types keep their text, unless the order of its dates is said."""

import sqlite3
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from treewright.errors import ReadingWarning
from treewright.table.column_kinds import guess_kinds
from treewright.table.reading.read import read

TEXTS = pd.DataFrame(
    {
        "european": ["31.12.2020", "01.02.2020", "05.06.2020"] * 10,
        "american": ["12/31/2020", "01/02/2020", "05/06/2020"] * 10,
        "either": ["01/02/2020", "03/04/2020", "05/06/2020"] * 10,
        "moment": ["2020-12-31T10:00Z", "2020-01-02T10:00Z", "2020-06-05T10:00Z"] * 10,
        "clock": ["10:00", "11:30", "9:15"] * 10,
        "count": ["1", "2", "10"] * 10,
    }
)


def written(folder: Path, form: str) -> dict[str, Any]:
    if form == "sqlite":
        with sqlite3.connect(folder / "t.sqlite") as connection:
            TEXTS.to_sql("t", connection, index=False)
        connection.close()
        return {"source": "t", "db": str(folder / "t.sqlite")}
    path = folder / f"t.{form}"
    if form == "parquet":
        TEXTS.to_parquet(path)
    else:
        TEXTS.to_json(path, orient="records", lines=True)
    return {"source": path}


@pytest.mark.parametrize("form", ["parquet", "jsonl", "sqlite"])
@pytest.mark.filterwarnings("ignore::treewright.errors.ReadingWarning")
def test_dates_written_as_text_are_dates_where_their_order_is_said(tmp_path: Path, form: str) -> None:
    where = written(tmp_path, form)
    assert read(**where)["european"].dtype == "str"
    frame = read(**where, date_order="dmy")
    first = {name: str(frame[name].iloc[0]) for name in TEXTS.columns}
    assert first == {
        "european": "2020-12-31 00:00:00",
        "american": "2020-12-31 00:00:00",
        "either": "2020-02-01 00:00:00",
        "moment": "2020-12-31 10:00:00+00:00",
        "clock": "10:00:00",
        "count": "1",
    }
    assert frame["count"].dtype == "str"


def test_the_cure_for_dates_in_a_typed_form_is_one_that_works(tmp_path: Path) -> None:
    remark = guess_kinds(read(**written(tmp_path, "parquet")))[0].remarks[0]
    assert remark.endswith("every one counts as a level. tw.read(file, date_order='dmy') reads them as dates")


@pytest.mark.parametrize("option", [{"decimal": ","}, {"delimiter": ";"}, {"encoding": "latin-1"}, {"sheet": "one"}])
def test_options_that_say_nothing_of_a_table_with_types_are_told_of(tmp_path: Path, option: dict[str, str]) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read(**written(tmp_path, "parquet"), **option)
    assert [each.category for each in told] == [ReadingWarning]
    assert "says nothing of it" in str(told[0].message)

"""Delimited text that is wrong: each fault is an error with the file, the line and what to do; never a wrong table."""

import gzip
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from thorough import examples
from treewright.errors import DataError
from treewright.table.reading.read import read

# name of the fault: (bytes, start of the message after the file name, a part of the cure)
FAULTS = {
    "too few cells": (
        b"a,b,c\n1,2,3\n4,5\n",
        ":3: this row has 2 cells, but the header names 3",
        "Add the missing cells",
    ),
    "too many cells": (b"a,b\n1,2\n3,4,5\n", ":3: this row has 3 cells, but the header names 2", "in double quotes"),
    "a comma too many at the end": (b"a,b\n1,2,\n3,4,\n", ":2: this row has 3 cells", "ends with a comma too many"),
    "that, beside an empty quoted cell": (
        b'a,b\n1,""\n3,4,\n',
        ":3: this row has 3 cells",
        "ends with a comma too many",
    ),
    "that, at the end of the file": (b"a,b\n1,2\n3,4,", ":3: this row has 3 cells", "ends with a comma too many"),
    "a row of one cell": (b"a,b\n1,2\nx\n", ":3: this row has 1 cell,", "remove the row"),
    "a fault after a cell of two lines": (b'a,b\n"x\ny",2\n3\n', ":4: this row has 1 cell,", "remove the row"),
    "a quote never closed": (b'a,b\n1,2\n3,"4\n5,6\n', ":3: a double quote is opened", "Close it"),
    "text after a quote": (b'a,b\n1,"2"x\n', ":2: text follows a closing double quote", "twice"),
    "a quote closed by the next one": (b'a,b\n1,"x\n2,"y"\n', ":3: text follows", "opened as early as line 2"),
    "a name twice": (b"a,b,a\n1,2,3\n", ":1: the name 'a' is given to columns 1 and 3", "Rename"),
    "a name that is empty": (b"a,,b\n0,1,2\n", ":1: column 2 of 3 has no name", "Write a name"),
    "a header that ends in a comma": (b"a,b,\n1,2,\n", ":1: column 3 of 3 has no name", "ends in a delimiter"),
    "a title above the header": (
        b"Sales,,\na,b,c\n1,2,3\n",
        ":1: column 2 of 3 has no name",
        "a title above the header",
    ),
    "a hint for Excel": (b"sep=;\na;b\n1;2\n", ":1: this line ('sep=;') is a hint for Excel", "Remove it"),
    "values instead of names": (b"5.1,3.5,a\n4.9,3.0,b\n", ":1: this line holds values ('5.1')", "above it"),
    "a comment above the header": (b"# made by me\na,b\n1,2\n", ":2: the rows hold a comma", "title or comment"),
    "a blank before a quote": (b'a,b\n1, "x, y"\n', ":2: this row has 3 cells", "remove the blank"),
    "a web page": (b"<!DOCTYPE html>\n<html>\n", ": this is a web page", "failed download"),
    "ARFF": (b"@RELATION x\n@data\n1\n", ": this is an ARFF file", ".arff"),
    "JSON": (b'{"a": 1, "b": 2}\n{"a": 2, "b": 3}\n', ": this is JSON", ".jsonl"),
    "a quote open in the header": (b'"a,b\n1,2\n', ":1: a quote in the header is never closed", "close every quote"),
    "a NUL byte": (b"a,b\n1,x\x00y\n", ":2: there is a NUL byte (byte 8", "get it again"),
    "nothing": (b"", ": the file is empty", "names of the columns"),
    "blank lines only": (b"\n \n", ": the file is empty", "names of the columns"),
    "a blank first line": (b"\na,b\n1,2\n", ":1: the first line is empty", "Remove it"),
    "columns split by spaces": (b"a b c\n1 2 3\n4 5 6\n", ":1: the columns seem to be split by spaces", "commas"),
    "one name, rows of two cells": (b"data\n1,2\n3,4\n", ":2: the rows hold a comma", "names of all columns"),
    "one name, rows with semicolons": (b"data\n1;2\n3;4\n", ":2: the rows hold a semicolon", "names of all columns"),
    "a zip archive": (b"PK\x03\x04 and so on", ": this is a zip archive", "save the sheet as CSV"),
    "a Parquet file": (b"PAR1 and so on", ": this is a Parquet file", ".parquet"),
    "an SQLite database": (b"SQLite format 3\x00...", ": this is an SQLite database", "db="),
    "a damaged gzip file": (gzip.compress(b"a,b\n" * 100)[:20], ": the gzip file is damaged", "again"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_its_place_and_its_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    content, start, cure = FAULTS[fault]
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_bytes(content)
    with pytest.raises(DataError) as caught:
        read("table.csv")
    assert str(caught.value).startswith("table.csv" + start)
    assert cure in str(caught.value)


def test_names_that_look_like_values_are_names_if_one_is_quoted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('"400.5",401.0\n1,2\n')
    assert list(read(tmp_path / "t.csv").columns) == ["400.5", "401.0"]


def test_years_are_names(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("2023,2024\n1,2\n")
    assert list(read(tmp_path / "t.csv").columns) == ["2023", "2024"]


def test_a_tsv_file_without_tabs_is_no_table_of_one_column(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"t\.tsv:1: a \.tsv file is split at tabs, but the header has a comma"):
        read(tmp_path / "t.tsv")


def test_a_table_of_one_column_may_hold_blanks_and_quoted_commas(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for text in ("full name\nAnn Lee\nBob Ray\n", 'remark\n"a, b"\n"c, d"\n', '"a b"\n1 2\n3 4\n', "a\n\n\n"):
        path.write_text(text)
        assert read(path).shape == (2, 1)


def test_a_fault_far_down_a_long_file_has_the_right_line(tmp_path: Path) -> None:
    rows = ["a,b"] + [f"{i},x" for i in range(300_000)]
    rows[250_000] = "1,2,3"
    path = tmp_path / "t.csv"
    path.write_text("\n".join(rows))
    with pytest.raises(DataError, match=r"t\.csv:250001: this row has 3 cells"):
        read(path)


def test_a_file_that_does_not_exist_names_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "credit.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"there is no such file in .* Did you mean 'credit\.csv'\?"):
        read(tmp_path / "credits.csv")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (".", "this is a folder"),
        ("no/such/folder/t.csv", "no folder 'no/such/folder' either"),
        ("https://example.org/t.csv", "Download it first"),
        ("SELECT * FROM t", "Say which database"),
    ],
)
def test_what_is_no_file_is_told_apart(source: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(source)


def test_a_frame_needs_no_reading() -> None:
    with pytest.raises(DataError, match="need no reading"):
        read({"a": [1]})  # type: ignore[arg-type]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.booleans())
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_ragged_table_is_never_read(tmp_path: Path, widths: list[int], empty_cells: bool) -> None:
    cell = "" if empty_cells else "x"
    rows = [",".join("abc")] + [",".join([cell] * width) for width in widths]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    # One empty cell is an empty line, which is passed over.
    counted = [width for width in widths if not (empty_cells and width == 1)]
    if all(width == 3 for width in counted):
        assert len(read(tmp_path / "t.csv")) == len(counted)
    else:
        with pytest.raises(DataError, match="the header names 3 columns"):
            read(tmp_path / "t.csv")

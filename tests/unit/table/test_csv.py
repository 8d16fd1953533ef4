"""Delimited text that is right, in all the forms in which people write it."""

import gzip
import io
import sys
from pathlib import Path

import pandas as pd
import pytest

from treewright.errors import DataError
from treewright.table.reading.read import read


def written(folder: Path, text: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_header_fixes_the_delimiter(tmp_path: Path, delimiter: str) -> None:
    frame = read(written(tmp_path, f"a{delimiter}b\n1{delimiter}x\n"))
    assert frame.to_dict("list") == {"a": [1], "b": ["x"]}


def test_a_delimiter_inside_a_quoted_name_does_not_count(tmp_path: Path) -> None:
    frame = read(written(tmp_path, '"a,b,c";d\n1;2\n'))
    assert list(frame.columns) == ["a,b,c", "d"]


def test_a_tsv_file_is_split_at_tabs_whatever_its_header_holds(tmp_path: Path) -> None:
    frame = read(written(tmp_path, "a,b\tc\n1\t2\n", "table.tsv"))
    assert list(frame.columns) == ["a,b", "c"]


def test_names_and_their_order_are_kept_but_for_blanks_around_them(tmp_path: Path) -> None:
    names = ["b", "a", "B", "straße", 'the "best"', "two\nlines", " padded ", "名前", "x" * 10_240]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    frame = read(written(tmp_path, f"{header}\n{','.join('123456789')}\n"))
    assert list(frame.columns) == [name.strip() for name in names]
    assert frame.iloc[0].tolist() == list(range(1, 10))


def test_single_quotes_around_every_name_are_no_part_of_the_names(tmp_path: Path) -> None:
    assert list(read(written(tmp_path, "'age'\t'PID'\n1\t2\n")).columns) == ["age", "PID"]
    assert list(read(written(tmp_path, "'age',PID\n1,2\n")).columns) == ["'age'", "PID"]


def test_quoted_cells_may_hold_delimiters_quotes_and_line_ends(tmp_path: Path) -> None:
    frame = read(written(tmp_path, 'a,b\n"x, y","say ""hi"""\n"two\nlines",z\n'))
    assert frame["a"].tolist() == ["x, y", "two\nlines"]
    assert frame["b"].tolist() == ['say "hi"', "z"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_is_read(tmp_path: Path, end: str) -> None:
    frame = read(written(tmp_path, end.join(["a,b", "1,2", "3,4", ""])))
    assert frame.to_dict("list") == {"a": [1, 3], "b": [2, 4]}


def test_mixed_line_ends_are_read(tmp_path: Path) -> None:
    frame = read(written(tmp_path, "a,b\r\n1,2\n3,4\r\n"))
    assert frame.to_dict("list") == {"a": [1, 3], "b": [2, 4]}


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    frame = read(written(tmp_path, b'\xef\xbb\xbf"a,x",b\n1,2\n'))
    assert list(frame.columns) == ["a,x", "b"]


def test_an_empty_line_is_passed_over_in_a_wide_table_and_missing_in_a_narrow_one(tmp_path: Path) -> None:
    assert len(read(written(tmp_path, "a,b\n1,2\n\n3,4\n"))) == 2
    narrow = read(written(tmp_path, "a\n1\n\n3\n"))
    assert narrow["a"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("text", ["a,b", "a,b\n", "a,b\r\n\r\n", "a,b\r"])
def test_a_header_without_rows_is_a_table_without_rows(tmp_path: Path, text: str) -> None:
    frame = read(written(tmp_path, text), column_kinds={"a": "nominal"})
    assert frame.shape == (0, 2)


def test_empty_lines_of_a_classic_mac_are_passed_over(tmp_path: Path) -> None:
    frame = read(written(tmp_path, "a,b\r,1\r\r,2\r"))
    assert frame["b"].tolist() == [1, 2]


def test_a_quote_inside_a_bare_cell_is_a_letter(tmp_path: Path) -> None:
    assert read(written(tmp_path, 'a,b\n6" pipe,1\nx,2\n'))["a"].tolist() == ['6" pipe', "x"]


def test_a_table_of_many_columns_keeps_each_in_its_place(tmp_path: Path) -> None:
    names = [f"x{i}" for i in range(20_000)]
    rows = [[str((i * 7 + row) % 100) for i in range(20_000)] for row in range(2)]
    rows[1][12_345] = "007"
    frame = read(written(tmp_path, "\n".join(",".join(line) for line in [names, *rows])))
    assert list(frame.columns) == names
    assert frame["x12345"].tolist() == [rows[0][12_345], "007"]
    assert frame.drop(columns="x12345").iloc[0].tolist() == [int(c) for i, c in enumerate(rows[0]) if i != 12_345]


def test_an_empty_last_cell_is_no_ragged_row(tmp_path: Path) -> None:
    frame = read(written(tmp_path, 'a,b\n1,\n2,""\n3,4\n'))
    assert frame["b"].isna().tolist() == [True, True, False]


def test_a_cell_that_ends_in_a_comma_and_a_line_end_is_no_ragged_row(tmp_path: Path) -> None:
    frame = read(written(tmp_path, 'a,b\n"one,\ntwo",2\n'))
    assert frame["a"].tolist() == ["one,\ntwo"]


def test_a_cell_of_megabytes_is_read(tmp_path: Path) -> None:
    frame = read(written(tmp_path, f"a,b\n1,{'x' * 3_000_000}\n2,y\n"))
    assert frame["b"].str.len().tolist() == [3_000_000, 1]


@pytest.mark.parametrize("name", ["table.csv.gz", "table.csv", "table.gz"])
def test_gzipped_files_are_known_by_their_bytes(tmp_path: Path, name: str) -> None:
    assert read(written(tmp_path, gzip.compress(b"a,b\n1,2\n"), name)).shape == (1, 2)


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    assert read("-").to_dict("list") == {"a": [1], "b": [2]}


def test_an_error_on_standard_input_names_it_and_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1\n")))
    with pytest.raises(DataError, match=r"^<stdin>:2: this row has 1 cell,"):
        read("-")


@pytest.mark.parametrize("name", ["odd [1] name*.csv", "it's.csv", "täble?.csv"])
def test_letters_that_mean_something_to_the_engine_are_plain_letters_in_file_names(tmp_path: Path, name: str) -> None:
    written(tmp_path, "a,b\n9,9\n", "odd 1 name1.csv")
    assert read(written(tmp_path, "a,b\n1,2\n", name)).to_dict("list") == {"a": [1], "b": [2]}


def test_a_wide_table_is_read_like_a_narrow_one(tmp_path: Path) -> None:
    cells = {"i": "7", "f": "2.5", "t": "x", "d": "2024-01-02", "b": "true", "m": "?"}
    names = [f"{kind}{k}" for k in range(60) for kind in cells]
    rows = [[cells[name[0]] for name in names]] * 3
    wide = read(written(tmp_path, "\n".join(",".join(line) for line in [names, *rows])))
    narrow = read(written(tmp_path, "\n".join(",".join(line[:6]) for line in [names, *rows])))
    assert wide.shape == (3, 360)
    pd.testing.assert_frame_equal(wide.iloc[:, :6], narrow)
    pd.testing.assert_frame_equal(wide.iloc[:, -6:].set_axis(narrow.columns, axis=1), narrow)


def test_rows_keep_their_order_in_a_file_of_many_blocks(tmp_path: Path) -> None:
    n = 400_000
    frame = read(written(tmp_path, "row,text\n" + "".join(f"{i},level {i % 7}\n" for i in range(n))))
    assert frame["row"].tolist() == list(range(n))
    assert frame["text"].iloc[-1] == f"level {(n - 1) % 7}"

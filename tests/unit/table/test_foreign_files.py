"""Files of other programs and other alphabets: read with a note, or refused with a sentence that tells what to do."""

import gzip
import sys
import warnings
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pandas as pd
import pyreadstat
import pytest

from treewright.errors import DataError, ReadingWarning
from treewright.table.reading.read import read


def told(path: Path, **options: Any) -> tuple[pd.DataFrame, str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = read(path, **options)
    assert all(each.category is ReadingWarning for each in caught)
    return frame, " ".join(str(each.message) for each in caught)


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("latin-1", "byte 0xE9 is not UTF-8, so the file is read as windows-1252"),
        ("utf-16", "read as UTF-16"),
        ("utf-16-le", "read as UTF-16-LE"),
        ("utf-16-be", "read as UTF-16-BE"),
    ],
)
def test_text_that_is_not_utf_8_is_read_with_a_note(tmp_path: Path, encoding: str, said: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("name,n\nété,1\nx,2\n".encode(encoding))
    frame, note = told(path)
    assert frame.to_dict("list") == {"name": ["été", "x"], "n": [1, 2]}
    assert said in note


def test_bytes_that_windows_1252_lacks_are_latin_1(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,b\n\x81\xe9,1\n")
    assert told(tmp_path / "t.csv")[0]["a"].tolist() == ["\x81é"]


def test_an_encoding_that_is_asked_for_is_used_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("a,b\né,1\n".encode("mac-roman"))
    frame, note = told(tmp_path / "t.csv", encoding="mac-roman")
    assert (frame["a"].tolist(), note) == (["é"], "")
    with pytest.raises(DataError, match=r"There is no encoding 'utf-88'\. Did you mean 'utf-8'\?"):
        read(tmp_path / "t.csv", encoding="utf-88")
    with pytest.raises(DataError, match="no text in the encoding ascii"):
        read(tmp_path / "t.csv", encoding="ascii")


@pytest.mark.parametrize(
    ("text", "columns", "said"),
    [
        (",a,b\n0,1,x\n1,2,y\n", ["a", "b"], "holds a row index (0, 1 …): it is left out"),
        ('"","a","b"\n"Mazda",1,"x"\n"Fiat",2,"y"\n', ["a", "b"], "(Mazda, Fiat …)"),
        ('"a","b"\n"1",1,"x"\n"2",2,"y"\n', ["a", "b"], "(1, 2 …)"),
        ("Unnamed: 0,a,b\n0,1,x\n1,2,y\n", ["a", "b"], "is called 'Unnamed: 0'"),
        (",a,b\n7,1,x\n7,2,y\n", ["column_1", "a", "b"], "it is called 'column_1'"),
        ("Unnamed: 0,a,b\n5,1,x\n3,2,y\n", ["Unnamed: 0", "a", "b"], ""),
        (" a , b\t\n1,x\n2,y\n", ["a", "b"], ""),
    ],
)
def test_an_index_without_a_name_is_left_out_and_names_are_trimmed(
    tmp_path: Path, text: str, columns: list[str], said: str
) -> None:
    (tmp_path / "t.csv").write_text(text)
    frame, note = told(tmp_path / "t.csv")
    assert list(frame.columns) == columns
    assert frame[["a", "b"]].to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}
    assert said in note
    assert bool(said) == bool(note)


def workbook(path: Path, **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_sheet_of_a_workbook_is_a_table(tmp_path: Path) -> None:
    rows = [
        ["id", "price", "day", "age", "zip"],
        [1, "$1,200", pd.Timestamp("2020-12-31"), 41, "007"],
        [2, "$950", None, "#N/A", "12"],
    ]
    frame, note = told(workbook(tmp_path / "t.xlsx", one=rows, two=[["a"], [1]]))
    assert frame["price"].tolist() == [1200, 950]
    assert frame["zip"].tolist() == ["007", "12"]
    assert frame["day"].dtype.kind == "M"
    assert frame["age"].isna().tolist() == [False, True]
    assert "has 2 sheets; the first, 'one', is read" in note
    assert "sheet='two'" in note
    assert told(tmp_path / "t.xlsx", sheet="two")[0].to_dict("list") == {"a": [1]}
    assert told(tmp_path / "t.xlsx", sheet=2)[0].to_dict("list") == {"a": [1]}
    with pytest.raises(DataError, match=r"there is no sheet 'tow'\. Did you mean 'two'\?"):
        read(tmp_path / "t.xlsx", sheet="tow")


def test_a_workbook_that_is_wrong_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="the sheet is empty"):
        read(workbook(tmp_path / "t.xlsx", one=[]))
    with pytest.raises(DataError, match="column 2 has no name"):
        read(workbook(tmp_path / "t.xlsx", one=[["a", None], [1, 2]]))
    with pytest.raises(DataError, match="2 columns are named 'a'"):
        read(workbook(tmp_path / "t.xlsx", one=[["a", "a"], [1, 2]]))
    (tmp_path / "b.xlsx").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(DataError, match="no whole Excel workbook"):
        read(tmp_path / "b.xlsx")
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0 and so on")
    with pytest.raises(DataError, match=r"an old Excel workbook \(\.xls\)\. Save it as \.xlsx"):
        read(tmp_path / "old.xls")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(DataError, match="pip install openpyxl"):
        read(tmp_path / "t.xlsx")


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_labels_of_a_statistics_program_become_levels(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame({"sex": [2.0, 1.0, None], "age": [41.0, 23.5, None]})
    write = pyreadstat.write_sav if ending == ".sav" else pyreadstat.write_dta
    # 23.5 has no label, so ages stay numbers
    labels = {"sex": {1: "male", 2: "female"}, "age": {41: "forty-one"}}
    write(
        frame,
        str(tmp_path / f"t{ending}"),
        variable_value_labels=labels if ending == ".sav" else {"sex": labels["sex"]},
    )
    found = read(tmp_path / f"t{ending}")
    assert found["sex"].tolist()[:2] == ["female", "male"]
    assert found["sex"].cat.categories.tolist() == ["male", "female"]
    assert found["age"].tolist()[:2] == [41.0, 23.5]


def test_whole_numbers_with_holes_are_numbers_in_files_of_statistics_programs(tmp_path: Path) -> None:
    """Stata has integers, of which pyreadstat makes Python's own where some are missing."""
    frame = pd.DataFrame({"n": pd.array([260, None, 448], dtype="Int32"), "name": ["a", "b", "c"]})
    pyreadstat.write_dta(frame, str(tmp_path / "t.dta"))
    found = read(tmp_path / "t.dta")
    assert found["n"].dtype == "float64"
    assert found["n"].isna().tolist() == [False, True, False]
    assert found["name"].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("head", ['"height" "begin of flowering"', '"a ""b""" "c"'])
def test_a_table_as_write_table_of_r_writes_it_is_split_at_blanks(tmp_path: Path, head: str) -> None:
    (tmp_path / "t.txt").write_text(f'{head}\n"Aceca" 7 "early in spring"\n"Agrca" 2 "late"\n')
    frame, note = told(tmp_path / "t.txt")
    assert frame.to_numpy().tolist() == [[7, "early in spring"], [2, "late"]]
    assert "(Aceca, Agrca …): it is left out" in note


@pytest.mark.parametrize("rows", ["1 106.9 high\n2 99 low\n", "106.9 high\n99 low\n"])
def test_words_split_by_blanks_are_refused_with_the_option_that_reads_them(tmp_path: Path, rows: str) -> None:
    (tmp_path / "t.txt").write_text("v c\n" + rows)
    with pytest.raises(DataError, match=r"seem to be split by spaces\. Say delimiter='space', or put commas"):
        read(tmp_path / "t.txt")
    assert told(tmp_path / "t.txt", delimiter="space")[0].to_dict("list") == {"v": [106.9, 99], "c": ["high", "low"]}


def test_a_real_file_of_sas_is_read_with_its_types_and_compressed_too(tmp_path: Path) -> None:
    """The examples of R's package haven have iris as SAS wrote it."""
    packed = Path(__file__).with_name("files") / "iris.sas7bdat.gz"
    (tmp_path / "iris.sas7bdat").write_bytes(gzip.decompress(packed.read_bytes()))
    for path in (packed, tmp_path / "iris.sas7bdat"):
        frame = read(path)
        assert list(frame.columns) == ["Sepal_Length", "Sepal_Width", "Petal_Length", "Petal_Width", "Species"]
        assert frame.iloc[0].tolist() == [5.1, 3.5, 1.4, 0.2, "setosa"]
        assert frame["Species"].value_counts().to_dict() == {"setosa": 50, "versic": 50, "virgin": 50}
        assert frame.drop(columns="Species").to_numpy().sum().round(1) == 2078.7


def test_a_transport_file_of_sas_is_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"CITY": ["Bern", "Oslo", ""], "AGE": [41.0, 23.5, None]})
    pyreadstat.write_xport(frame, str(tmp_path / "t.xpt"))
    found = read(tmp_path / "t.xpt")
    assert found["CITY"].tolist()[:2] == ["Bern", "Oslo"]
    assert found["AGE"].tolist()[:2] == [41.0, 23.5]
    assert found["AGE"].isna().tolist() == [False, False, True]


@pytest.mark.parametrize("text", ["name,size\nZoë,1\nRené", "name,size\nRené", "name,price\nx,3 €"])
def test_utf_8_that_ends_inside_a_letter_is_not_taken_for_another_encoding(tmp_path: Path, text: str) -> None:
    (tmp_path / "cut.csv").write_bytes(text.encode()[:-1])
    with pytest.raises(DataError, match=r"cut\.csv:\d: the file ends inside a letter of UTF-8, so its end was cut off"):
        read(tmp_path / "cut.csv")


def test_utf_8_with_a_damaged_byte_is_not_taken_for_another_encoding(tmp_path: Path) -> None:
    rows = "name,y\nZoë,1\nJosé,2\nÅsa,3\n".encode()
    (tmp_path / "bad.csv").write_bytes(rows.replace(b",2", b"\xff,2"))
    with pytest.raises(
        DataError, match=r"bad\.csv:3: byte 0xFF \(byte 20 of the file\) is not UTF-8, though 3 of the 4"
    ):
        read(tmp_path / "bad.csv")
    assert read(tmp_path / "bad.csv", encoding="windows-1252")["name"].tolist() == ["ZoÃ«", "JosÃ©ÿ", "Ã…sa"]


def test_a_letter_of_latin_1_at_the_very_end_is_read(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes("size,name\n1,Zoë\n2,René".encode("latin-1"))
    with pytest.warns(ReadingWarning, match="read as windows-1252"):
        assert read(tmp_path / "old.csv")["name"].tolist() == ["Zoë", "René"]


def test_a_file_of_sas_that_is_none_is_refused_and_so_is_a_missing_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.sas7bdat").write_bytes(b"not SAS")
    with pytest.raises(DataError, match="no whole file of SAS"):
        read(tmp_path / "t.sas7bdat")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(DataError, match=r"pip install 'treewright\[stats\]'"):
        read(tmp_path / "t.sas7bdat")


def test_a_feather_file_keeps_its_types(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2], "t": ["x", None], "d": pd.to_datetime(["2024-01-02", None])})
    frame.to_feather(tmp_path / "t.feather")
    pd.testing.assert_frame_equal(read(tmp_path / "t.feather"), frame)
    (tmp_path / "t.feather").write_bytes(b"ARROW1 and so on")
    with pytest.raises(DataError, match="no whole Feather file"):
        read(tmp_path / "t.feather")


def test_a_duckdb_file_is_read_by_table_or_query(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE sales AS SELECT 9.5::DOUBLE AS price, DATE '2024-01-02' AS day")
    path = tmp_path / "shop.duckdb"
    assert read("sales", db=path)["price"].tolist() == [9.5]
    assert read("SELECT price * 2 AS twice FROM sales;", db=path)["twice"].tolist() == [19.0]
    with pytest.raises(DataError, match=r"there is no table 'sale'\. Did you mean 'sales'\?"):
        read("sale", db=path)
    with pytest.raises(DataError, match="the query failed"):
        read("SELECT nothing FROM sales", db=path)
    with pytest.raises(DataError, match="the query failed"):
        read("SELECT * FROM (DROP TABLE sales)", db=path)


def test_a_duckdb_file_in_the_place_of_a_table_is_told_from_damaged_text(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE sales AS SELECT 1 AS price")
    with pytest.raises(DataError, match=r"this is a DuckDB database\. Pass it as db="):
        read(tmp_path / "shop.duckdb")


def test_many_files_and_addresses_are_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a table is one file"):
        read(tmp_path / "*.csv")
    with pytest.raises(DataError, match="Many files are read one by one"):
        read([tmp_path / "a.csv", tmp_path / "b.csv"])  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"nothing goes to the network\. Download it first"):
        read("https://example.org/t.csv")


def test_columns_of_fixed_width_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("name    age  city\nAnn      41  Ulm\nBob Ray  23  Wien\n")
    with pytest.raises(DataError, match="fixed width"):
        read(tmp_path / "t.txt")


def test_a_database_that_is_not_known_is_refused_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="mysql://ann@host/x") as caught:
        read("t", db="mysql://ann:secret@host/x")
    assert "secret" not in str(caught.value)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(
        DataError, match=r"pip install 'treewright\[postgres\]'|psycopg, which is not installed"
    ) as caught:
        read("t", db="postgresql://ann:secret@host/x")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("t.rds", r"this is a file of R. In R write the table as CSV, write\.csv"),
        ("t.RData", r"with the levels of its factors as Feather, arrow::write_feather"),
        ("t.pkl", r"this is a pickle, which may run code when it is opened. In Python write the table as Parquet"),
        ("t.h5", r"this is an HDF5 file\."),
        ("t.npy", r"this is a file of numpy\. .* pass the frame itself"),
        ("t.orc", r"this is a file of Hadoop\."),
        ("t.ods", r"this is a workbook of LibreOffice. Save it as \.xlsx"),
    ],
)
def test_files_of_other_programs_are_refused_with_how_to_write_the_table(
    tmp_path: Path, name: str, sentence: str
) -> None:
    (tmp_path / name).write_bytes(b"\0packed\0")
    with pytest.raises(DataError, match=sentence):
        read(tmp_path / name)

"""ARFF: the header is the law, and what breaks it is named with its line."""

from pathlib import Path

import pandas as pd
import pytest

from treewright.errors import DataError
from treewright.table.reading import read_arff as arff
from treewright.table.reading.read import read

HEADER = "@relation r\n@attribute x numeric\n@attribute c {u,v}\n@data\n"


def written(folder: Path, text: str) -> Path:
    (folder / "t.arff").write_text(text, "utf-8")
    return folder / "t.arff"


def test_every_kind_of_attribute_is_read(tmp_path: Path) -> None:
    frame = read(
        written(
            tmp_path,
            "% a comment\n@RELATION 'a b'\n\n@ATTRIBUTE 'my name' {low, 'very high', \"it's\"}\n@attribute n INTEGER\n"
            '@attribute r real\n@attribute s string\n@attribute d date "dd.MM.yyyy"\n@attribute t date\n@DATA\n% more\n'
            "'very high',1,1.5,'hello, \\'w\\'',24.12.2024,2024-01-02T10:00:00\nlow,2,?,?,?,?\n",
        )
    )
    assert list(frame.columns) == ["my name", "n", "r", "s", "d", "t"]
    assert list(frame["my name"].cat.categories) == ["low", "very high", "it's"]
    assert not frame["my name"].cat.ordered
    assert frame["my name"].tolist() == ["very high", "low"]
    assert frame["n"].dtype == "int64"
    assert frame["s"].iloc[0] == "hello, 'w'"
    assert frame["d"].iloc[0] == pd.Timestamp("2024-12-24")
    assert frame["t"].iloc[0] == pd.Timestamp("2024-01-02 10:00")
    assert frame.iloc[1].isna().tolist() == [False, False, True, True, True, True]


def test_a_quoted_question_mark_is_a_value(tmp_path: Path) -> None:
    frame = read(written(tmp_path, "@relation r\n@attribute s string\n@data\n'?'\n?\n"))
    assert frame["s"].isna().tolist() == [False, True]


def test_rows_come_together_from_several_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arff, "ROWS_AT_ONCE", 2)
    frame = read(written(tmp_path, HEADER + "".join(f"{i},{'uv'[i % 2]}\n" for i in range(5))))
    assert frame["x"].tolist() == [0, 1, 2, 3, 4]
    assert frame["c"].tolist() == ["u", "v", "u", "v", "u"]


def test_a_file_without_rows_has_its_columns(tmp_path: Path) -> None:
    assert read(written(tmp_path, HEADER)).shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "{0 1}\n", "t.arff:5: this is a sparse row"),
        (HEADER + "1\n", "t.arff:5: cells in this row: 1; attributes declared: 2"),
        (HEADER + "1,u\n1,w\n", "t.arff:6: attribute 'c' must hold one of {u,v}, but here is 'w'"),
        (HEADER + "one,u\n", "t.arff:5: attribute 'x' must hold a number, but here is 'one'"),
        (HEADER + "1_0,u\n", "t.arff:5: attribute 'x' must hold a number, but here is '1_0'"),
        (HEADER + "1,'u\n", "t.arff:5:3: a quote is not closed"),
        ("@relation r\n@attribute x numeric\n", "t.arff: there is no @data line"),
        ("@relation r\n@data\n", "t.arff:2: @data comes before any @attribute"),
        ("@relation r\n@attribute x relational\n@data\n", "t.arff:2: the type 'relational' of attribute 'x'"),
        ("@attribute x real\n@attribute x real\n@data\n", "t.arff:2: the attribute 'x' is declared twice"),
        ("@attribute x {a,a}\n@data\n", "t.arff:1: attribute 'x' declares a level twice"),
        ("@attribute x date 'qq'\n@data\n", "t.arff:1: the date pattern 'qq'"),
        ("@attribute x date 'yyyy'\n@data\n20x4\n", "t.arff:3: attribute 'x' must hold a date like 'yyyy'"),
        ("hello\n", "t.arff:1: expected '@attribute name type'"),
    ],
)
def test_what_breaks_the_form_is_told_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, text)
    with pytest.raises(DataError) as caught:
        read("t.arff")
    assert str(caught.value).startswith(message)

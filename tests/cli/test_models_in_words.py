"""What the command line says of models without trees, of encodings, delimiters and strange targets is in its words."""

from pathlib import Path

import pytest

from treewright.cli.main import main

LEVELS = [f"c{i:02}" for i in range(40)]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def wide_table() -> None:
    rows = [f"{i % 7},{LEVELS[i % 40]},{'a' if i % 7 + i % 3 > 4 else 'b'}" for i in range(400)]
    Path("wide.csv").write_text("\n".join(["x,code,y", *rows]) + "\n")


@pytest.mark.parametrize("algorithm", ["logistic", "naive_bayes", "perceptron"])
def test_train_prints_the_strongest_part_and_show_prints_all(
    algorithm: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wide_table()
    words = ["train", "wide.csv", "--target", "y", "--cv", "0", "--algorithm", algorithm, "--out", "m.tw"]
    with pytest.raises(SystemExit):
        main(words)
    told = capsys.readouterr().out
    assert "more" in told
    assert "treewright show m.tw" in told
    assert "model." not in told
    with pytest.raises(SystemExit):
        main(["show", "m.tw"])
    shown = capsys.readouterr().out
    assert "more" not in shown
    assert sum(level in shown for level in LEVELS) > 20  # those of a perceptron whose weight is 0 have no line


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    assert left.value.code in (2, 3)
    return capsys.readouterr().err


def test_a_file_that_is_not_in_the_encoding_asked_for_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("west.csv").write_bytes("größe,y\n1,2\n".encode("latin-1"))
    told = refused(capsys, "profile", "west.csv", "--encoding", "utf-8")
    assert "west.csv:1: byte 0xF6 is not UTF-8, as was asked for. Say its encoding, such as --encoding windows" in told


def test_a_delimiter_that_the_header_does_not_have_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("comma.csv").write_text("a,b\n1,2\n")
    told = refused(capsys, "profile", "comma.csv", "--delimiter", ";")
    assert "the header has a comma and not a semicolon, which --delimiter ';' asks for" in told


def test_classes_of_numbers_with_fractions_are_refused_in_options(capsys: pytest.CaptureFixture[str]) -> None:
    Path("n.csv").write_text("x,y\n" + "".join(f"{i},{i / 4}\n" for i in range(30)))
    told = refused(capsys, "train", "n.csv", "--target", "y", "--task", "classification")
    assert "Leave out --task classification, or write it as text or as whole numbers." in told


def test_a_target_of_very_many_classes_is_told_before_the_work_and_once(capsys: pytest.CaptureFixture[str]) -> None:
    Path("many.csv").write_text("x,y\n" + "".join(f"{i * 7 % 80},n{i}\n" for i in range(80)))
    with pytest.raises(SystemExit):
        main(["train", "many.csv", "--target", "y", "--cv", "0", "--json"])
    captured = capsys.readouterr()
    assert captured.err.count("80 classes in 80 rows") == 1
    assert captured.out.count("80 classes in 80 rows") == 1

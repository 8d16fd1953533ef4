"""A small command-line user: runs a verb in this process and keeps what it said."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import treewright as tw
from cli.terminal import Outcome, Run
from treewright.cli.main import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Give `run("train", "a.csv", …, stdin=b"…")`; it works in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as leaving:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.err or "--debug" in arguments
        return Outcome(leaving.value.code, said.out, said.err)

    return run


@pytest.fixture
def titanic(tmp_path: Path) -> Path:
    """Give the table of 1,309 passengers, as a CSV file."""
    path = tmp_path / "titanic.csv"
    path.write_bytes(tw.datasets.path("titanic").read_bytes())
    return path


@pytest.fixture
def cars(tmp_path: Path) -> Path:
    """Give a table with a number to learn."""
    path = tmp_path / "cars.csv"
    path.write_bytes(tw.datasets.path("auto_mpg").read_bytes())
    return path


@pytest.fixture
def model(titanic: Path, tmp_path: Path) -> Path:
    """Give a model file: a small tree that predicts who survived."""
    frame = tw.read(titanic)
    path = tmp_path / "model.tw"
    tw.save(tw.DecisionTreeClassifier(max_depth=3).fit(frame.drop(columns="survived"), frame["survived"]), path)
    return path


@pytest.fixture
def regressor(cars: Path, tmp_path: Path) -> Path:
    """Give a model file that predicts a number."""
    frame = tw.read(cars)
    target = frame.columns[-1]
    path = tmp_path / "regressor.tw"
    tw.save(tw.DecisionTreeRegressor(max_depth=3).fit(frame.drop(columns=target), frame[target]), path)
    return path

"""A new learner is one folder and one record: everything that lists learners then knows it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import treewright as tw

MADE_UP = '''
import numpy as np
from treewright.learners.base.matrix_model import MatrixClassifier, MatrixModel
from treewright.learners.base.parameters import parameter, whole
from treewright.learners.record import LearnerRecord
from treewright.learners.registry import LEARNERS


class MajorityClassifier(MatrixClassifier, MatrixModel):
    """Answers the most frequent class."""

    least: int = parameter(default=0, takes=whole(0), doc="Not used.")
    _learnt_arrays = ("shares_",)

    def _learn_from(self, columns, truth):
        return {"shares_": np.bincount(truth.values) / len(truth.values)}

    def _probabilities(self, columns):
        return np.tile(self.shares_, (columns.n_rows, 1))


LEARNERS["majority"] = LearnerRecord(
    name="majority", module="made_up", classifier="MajorityClassifier", model="one class for all", scoring="none",
    optimisation="counting", columns="any", missing="ignored", cost="n", grid={"least": [0, 5]},
)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a learner that the library has never heard of, and a table to learn from."""
    (tmp_path / "made_up.py").write_text(MADE_UP, encoding="utf-8")
    rows = [f"{'sun' if i % 3 else 'rain'},{i},{'yes' if i % 4 else 'no'}" for i in range(40)]
    (tmp_path / "days.csv").write_text("\n".join(["sky,wind,play", *rows]), encoding="utf-8")
    return tmp_path


def said_with_the_record(folder: Path, script: str) -> str:
    """What a process of its own says where the made-up learner has its record."""
    ran = subprocess.run(
        [sys.executable, "-c", f"import made_up, treewright as tw\n{script}"],
        cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_table_of_learners_has_it(folder: Path) -> None:
    assert "majority" not in tw.learners().names
    said = said_with_the_record(folder, "print(tw.learners('classification'))")
    assert "majority: MajorityClassifier\n  one class for all. Scored by none." in said


def test_it_can_be_compared_and_tuned(folder: Path) -> None:
    script = """
    t = tw.read("days.csv")
    X, y = t[["sky", "wind"]], t["play"]
    print(tw.compare(X, y, ["majority", "cart"], cv=2).to_frame())
    print(tw.tune(X, y, "majority", seconds=None, cv=2))
    """.replace("\n    ", "\n")
    said = said_with_the_record(folder, script)
    assert said.count("majority") == 3  # in the comparison, and with both values of its grid
    assert "least=5" in said


@pytest.mark.parametrize("verb", ["train", "compare", "curve"])
def test_the_command_line_offers_it(folder: Path, verb: str) -> None:
    run = f"from treewright.cli.main import main\nmain(['{verb}', '--help'])"
    assert "majority" in said_with_the_record(folder, run)


def test_the_command_line_trains_it(folder: Path) -> None:
    words = ["train", "days.csv", "--target", "play", "--algorithm", "majority", "--set", "least=3", "--cv", "2"]
    run = f"from treewright.cli.main import main\nmain({words})"
    assert "MajorityClassifier" in said_with_the_record(folder, run)

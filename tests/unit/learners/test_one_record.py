"""A new learner is one folder and one record: everything that lists learners then knows it."""

from __future__ import annotations

import json
import subprocess
import sys

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


# What a user would type where the learner has its record; the process is a new one, but one for all.
QUESTIONS = {
    "learners": "print(tw.learners('classification'))",
    "compare": "print(tw.compare(X, y, ['majority', 'cart'], cv=2).to_frame())",
    "tune": "print(tw.tune(X, y, 'majority', seconds=None, cv=2))",
    **{f"{verb} --help": f"run('{verb}', '--help')" for verb in ("train", "compare", "curve")},
    "train": "run(*'train days.csv --target play --algorithm majority --set least=3 --cv 2'.split())",
}
START = """
import json, sys
import made_up, treewright as tw
from contextlib import redirect_stdout
from io import StringIO
from treewright.cli.main import main

def run(*words):
    try:
        main(words)
    except SystemExit as end:
        assert not end.code, end

table = tw.read("days.csv")
X, y = table[["sky", "wind"]], table["play"]
said = {}
for name, question in json.loads(sys.argv[1]).items():
    with redirect_stdout(StringIO()) as out:
        exec(question)
    said[name] = out.getvalue()
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a process says that has a learner of which the library has never heard, and a table to learn from."""
    folder = tmp_path_factory.mktemp("made_up")
    (folder / "made_up.py").write_text(MADE_UP, encoding="utf-8")
    rows = [f"{'sun' if i % 3 else 'rain'},{i},{'yes' if i % 4 else 'no'}" for i in range(40)]
    (folder / "days.csv").write_text("\n".join(["sky,wind,play", *rows]), encoding="utf-8")
    command = [sys.executable, "-c", START, json.dumps(QUESTIONS)]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stderr
    answers: dict[str, str] = json.loads(ran.stdout)
    return answers


def test_the_table_of_learners_has_it(said: dict[str, str]) -> None:
    assert "majority" not in tw.learners().names
    assert "majority: MajorityClassifier\n  one class for all. Scored by none." in said["learners"]


def test_it_can_be_compared_and_tuned(said: dict[str, str]) -> None:
    assert said["compare"].count("majority") == 1
    assert said["tune"].count("majority") == 2  # with both values of its grid
    assert "least=5" in said["tune"]


@pytest.mark.parametrize("verb", ["train", "compare", "curve"])
def test_the_command_line_offers_it(said: dict[str, str], verb: str) -> None:
    assert "majority" in said[f"{verb} --help"]


def test_the_command_line_trains_it(said: dict[str, str]) -> None:
    assert "MajorityClassifier" in said["train"]

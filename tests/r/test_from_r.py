"""Trees of rpart that were brought in answer as R does: at the cuts, beside them, and where values are missing."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from thorough import THOROUGH
from treewright.converters.r_script import SCRIPT

HERE = Path(__file__).parent
LEVELS = ["red", "it's", 'say "no"', "Ünïcode 🌳", "back\\slash", "blue"]
CONTROLS = [
    "",
    ", usesurrogate = 1",
    ", usesurrogate = 0",
    ", surrogatestyle = 1",
    ", maxsurrogate = 2",
    ", maxcompete = 0, maxdepth = 3",
]
METHODS = ["class", "anova", "poisson", "class, priors", "class, losses", "anova, weights"]
CALLS = {
    "class": 'rpart(target_class ~ ., train, method = "class", control = control)',
    "anova": 'rpart(target_y ~ ., train, method = "anova", control = control)',
    "poisson": 'rpart(target_events ~ ., train, method = "poisson", control = control)',
    "class, priors": "rpart(target_class ~ ., train, parms = list(prior = c(.5, .2, .3)), control = control)",
    "class, losses": "rpart(target_class ~ ., train, parms = list(loss = LOSSES), control = control)",
    "anova, weights": "rpart(target_y ~ ., train, weights = seq_len(nrow(train)) %% 3 + .5, control = control)",
}


@dataclass(frozen=True)
class Case:
    """A fit of R in a folder: its rows, its answers, and the tree as JSON."""

    folder: Path
    ask: pd.DataFrame

    def answers(self) -> list[list[str]]:
        """Of each row: rpart's number of the node, the class, and the numbers in hexadecimal."""
        return [line.split() for line in (self.folder / "answers.txt").read_text().splitlines()]


def table(seed: int, rows: int) -> pd.DataFrame:
    """Columns of every kind that rpart takes, with holes and ties."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a_number": rng.normal(size=rows).round(1),
            "b c_number": rng.integers(0, 8, rows).astype(float),
            "d_level": rng.choice(LEVELS, rows),
            "e_text": rng.choice(LEVELS[:4], rows),
            "f_order": rng.choice(LEVELS, rows),
            "g_flag": rng.random(rows) < 0.5,
        }
    ).astype(object)
    return frame.mask(rng.random(frame.shape) < 0.15)


def targets(frame: pd.DataFrame, seed: int) -> dict[str, Any]:
    """Targets that depend on the columns; a hole counts as 0."""
    rng = np.random.default_rng(seed + 1000)
    codes = {level: code for code, level in enumerate(LEVELS)}
    score = (
        pd.to_numeric(frame["a_number"]).fillna(0)
        + 0.4 * pd.to_numeric(frame["b c_number"]).fillna(0)
        + frame["d_level"].map(codes).fillna(0) % 3
        - 0.5 * frame["f_order"].map(codes).fillna(0)
        + frame["g_flag"].isin([True]) * 1.5
        + rng.normal(scale=0.5, size=len(frame))
    )
    names = np.array(["no", "perhaps", "yes"])
    return {
        "class": names[np.digitize(score, np.quantile(score, [0.4, 0.7]))],
        "y": score.round(3),
        "events": rng.poisson(np.exp(score / 4)),
    }


def make_case(folder: Path, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    method = METHODS[seed % len(METHODS)]
    train, ask = table(seed, 150), table(seed + 500, 300)
    kind = CALLS[method].partition("target_")[2].partition(" ")[0]
    train[f"target_{kind}"] = targets(train, seed)[kind]
    cuts = np.arange(-3.0, 3.0, 0.05).round(2)  # the middle between two values of one digit
    beside = np.concatenate([cuts, np.nextafter(cuts, 9), np.nextafter(cuts, -9)])
    beside = np.concatenate([beside, [np.inf, -np.inf, 0.0, -0.0]])
    ask["a_number"] = np.where(rng.random(300) < 0.7, rng.choice(beside, 300), pd.to_numeric(ask["a_number"]))
    folder.mkdir()
    for name, frame in (("train", train), ("ask", ask)):
        frame.to_csv(folder / f"{name}.csv", index=False, na_rep="NA", float_format=lambda x: repr(float(x)))
    levels = ", ".join(json.dumps(level, ensure_ascii=False) for level in LEVELS)
    (folder / "levels.R").write_text(f"LEVELS <- c({levels})", encoding="utf-8")
    control = f"minsplit = 6, cp = 0.002, xval = 0{CONTROLS[seed // len(METHODS) % len(CONTROLS)]}"
    (folder / "case.R").write_text(f"control <- rpart.control({control})\nfit <- {CALLS[method]}\n")
    return Case(folder, ask)


def run(cases: list[Case]) -> None:
    command = [str(shutil.which("Rscript")), "--vanilla", str(HERE / "fit_and_ask.R"), str(SCRIPT)]
    subprocess.run([*command, *(str(case.folder) for case in cases)], check=True, timeout=600)


def assert_same(case: Case) -> None:
    ours, theirs = tw.from_r(case.folder / "tree.json"), case.answers()
    nodes: dict[str, set[int]] = {}
    for row, node in zip(theirs, ours.apply(case.ask), strict=True):
        nodes.setdefault(row[0], set()).add(int(node))
    assert all(len(found) == 1 for found in nodes.values())
    assert len({node for found in nodes.values() for node in found}) == len(nodes)
    numbers = np.array([[float.fromhex(number) for number in row[2:]] for row in theirs])
    if hasattr(ours, "classes_"):
        assert ours.predict(case.ask).tolist() == [row[1] for row in theirs]
        np.testing.assert_array_max_ulp(ours.predict_proba(case.ask), numbers, 4)
    else:
        assert (ours.predict(case.ask) == numbers[:, 0]).all()


@pytest.mark.random_examples
def test_every_row_is_answered_as_by_rpart(tmp_path: Path) -> None:
    cases = [make_case(tmp_path / str(seed), seed) for seed in range(360 if THOROUGH else 12)]
    run(cases)
    for case in cases:
        assert_same(case)

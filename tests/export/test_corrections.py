"""Models whose probabilities `tw.calibrate` corrected: exports give the corrected ones, and the same classes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from export.exported import classes, table
from thorough import some
from treewright.errors import DataError
from treewright.export.correction import correct, correction_of, correction_slack
from treewright.export.export import export

KINDS: dict[str, Callable[[], Any]] = {
    "forest": lambda: tw.RandomForestClassifier(4, max_depth=3, random_state=0),
    "tree": lambda: tw.DecisionTreeClassifier(max_depth=4),
    "boosting": lambda: tw.GradientBoostingClassifier(
        n_estimators=3, max_leaf_nodes=4, min_samples_leaf=5, early_stopping=False
    ),
    "rows in pieces": lambda: tw.C45Classifier(),
    "adaboost": lambda: tw.AdaBoostClassifier(n_estimators=3),
    "logistic": lambda: tw.LogisticRegression(),
    "bayes": lambda: tw.NaiveBayesClassifier(),
    "kernel bayes": lambda: tw.NaiveBayesClassifier(numeric="kernel"),
    "network": lambda: tw.MLPClassifier((4,), "tanh", max_iter=200),
}
FIRST = ("forest", "logistic")
FILES = [("m.py", ""), ("m.c", ""), ("m.mjs", ""), ("m.sql", "sqlite"), ("m.onnx", ""), ("m.sql", "duckdb")]


def calibrated(kind: str, method: str, n_classes: int) -> Any:
    frame, score = table(0)
    target = classes(score) if n_classes == 3 else np.where(score > np.median(score), "yes", "no")
    return tw.calibrate(KINDS[kind]().fit(frame, target), frame, target, method=method, cv=3)


@pytest.mark.parametrize("kind", some(["forest", "logistic", *(name for name in KINDS if name not in FIRST)], 2))
@pytest.mark.parametrize("how", some([("isotonic", 3), ("sigmoid", 2), ("temperature", 3), ("isotonic", 2)], 2))
@pytest.mark.parametrize("place", some(FILES, 5))
def test_corrected_probabilities_are_proven(
    kind: str, how: tuple[str, int], place: tuple[str, str], tmp_path: Path
) -> None:
    model, (file, dialect) = calibrated(kind, *how), place
    verdict = export(model, tmp_path / file, **({"dialect": dialect} if dialect else {}))
    assert verdict.proven or (file == "m.mjs" and shutil.which("node") is None), verdict.text


@pytest.mark.parametrize("method", ["temperature", "sigmoid", "isotonic"])
def test_the_slow_correction_is_that_of_the_model_within_its_bound(method: str) -> None:
    model = calibrated("forest", method, 3)
    shares = np.random.default_rng(1).dirichlet([0.3, 0.3, 0.3], 300)
    shares[0], shares[1] = [1.0, 0.0, 0.0], [0.5, 0.5, 0.0]
    expected = model.calibration_.apply(shares)
    found = np.array([correct(correction_of(model.calibration_), row) for row in shares.tolist()])
    slack = correction_slack(model.calibration_, shares, True)
    if slack is None:
        assert (found == expected).all()
    else:
        assert (np.abs(found - expected) <= slack).all()
        assert (slack < 1e-11).all()


def test_what_has_no_words_for_a_correction_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no rule for a correction of probabilities"):
        calibrated("forest", "isotonic", 2).export(tmp_path / "m.pmml")
    with pytest.raises(DataError, match="has probabilities corrected by"):
        calibrated("forest", "isotonic", 2).export(tmp_path / "m.R")
    with pytest.raises(DataError, match="is calibrated"):
        tw.to_sklearn(calibrated("tree", "isotonic", 2))
    frame, score = table(0)
    logistic = tw.LogisticRegression().fit(frame[["count"]], score > 1)
    corrected = tw.calibrate(logistic, frame[["count"]], score > 1, method="isotonic", cv=3)
    with pytest.raises(DataError, match="PMML is written for models with trees"):
        corrected.export(tmp_path / "m.pmml")

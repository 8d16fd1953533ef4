"""The proofs of all formats can fail: files with one cut, branch, level or answer changed are caught where they run.

A cut is moved by the least that the format can tell: one double; one float32 for trees and forests of scikit-learn,
which round rows to those. Scripts of R are in tests/r, rule books in `test_mutated_workbooks.py`.
"""

from __future__ import annotations

import copy
import json
import math
import random
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from export.exported import fitted_models
from export.mutations import Known, Step, assert_caught, known_model, models_for, mutants_of, shares
from thorough import THOROUGH
from treewright.errors import DataError, ModelFileError
from treewright.export import scikit_learn
from treewright.export.model_program import program_of
from treewright.export.onnx.model import onnx_bytes
from treewright.export.onnx.runtime import OnnxRuntime
from treewright.export.pmml.document import pmml_text, refuse_what_pmml_cannot_say
from treewright.export.pmml.runtime import JpmmlRuntime
from treewright.export.program import Program

pytestmark = pytest.mark.timeout(3000)


@pytest.mark.random_examples
def test_nearly_every_mutation_of_an_onnx_file_is_caught(tmp_path: Path) -> None:
    rng, tried, runtime, path = random.Random(1), [], OnnxRuntime(), tmp_path / "m.onnx"
    models = models_for()[:: 1 if THOROUGH else 6]
    for model, n in zip(models, shares(600 if THOROUGH else 48, len(models)), strict=True):
        known = known_model(model, 20_000)
        for mutant, what, file in mutants_of(known, n, rng, onnx_bytes):
            path.write_bytes(file)
            tried.append((known, mutant, what, known.differs(runtime.run(path, known.asked), OnnxRuntime)))
    assert_caught(tried)


if shutil.which("java"):

    @pytest.mark.random_examples
    def test_nearly_every_mutation_of_a_pmml_file_is_caught(tmp_path: Path) -> None:
        rng, tried, path = random.Random(2), [], tmp_path / "m.pmml"
        models = models_for(refuse_what_pmml_cannot_say)[:: 1 if THOROUGH else 4]
        for model, n in zip(models, shares(200 if THOROUGH else 24, len(models)), strict=True):
            known = known_model(model, 20_000)
            for mutant, what, file in mutants_of(known, n, rng, partial(_pmml, known)):
                path.write_text(file, encoding="utf-8")
                tried.append((known, mutant, what, _pmml_is_caught(known, path)))
        assert_caught(tried, by_nodes=lambda program: len(program.trees) == 1)


def _pmml(known: Known, program: Program) -> str:
    return pmml_text(program, known.asked.rows, known.expected)


def _pmml_is_caught(known: Known, path: Path) -> bool:
    try:
        return known.differs(JpmmlRuntime().run(path, known.asked), JpmmlRuntime)
    except DataError:  # the rows with known answers in the file itself
        return True


# ---------------------------------------------------------------- JSON


@pytest.mark.random_examples
def test_every_mutation_of_json_is_caught_by_its_checksum(tmp_path: Path) -> None:
    rng, path = random.Random(4), tmp_path / "m.json"
    models = [model for _, model in fitted_models()][:: 1 if THOROUGH else 6]
    for model, n in zip(models, shares(600 if THOROUGH else 24, len(models)), strict=True):
        model.export(path)
        document = json.loads(path.read_text())
        for _ in range(n):
            changed = copy.deepcopy(document)
            arrays = [array for array in changed["arrays"].values() if array["values"]]
            values = rng.choice(arrays)["values"]
            place = rng.randrange(len(values))
            values[place] = _another(values[place])
            path.write_text(json.dumps(changed))
            with pytest.raises(ModelFileError):
                tw.load(path)


def _another(value: Any) -> Any:
    if isinstance(value, str):  # a number that JSON has no word for
        return 0.0
    if isinstance(value, bool):
        return not value
    return math.nextafter(value, math.inf) if isinstance(value, float) else value + 1 if value < 255 else value - 1


# ---------------------------------------------------------------- estimators of scikit-learn


def _numeric_models() -> list[Any]:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200).round(2), rng.integers(0, 8, 200), np.exp(rng.normal(size=200) * 4)])
    X[rng.random(X.shape) < 0.1] = np.nan
    score = np.nan_to_num(X[:, 0]) + 0.3 * np.nan_to_num(X[:, 1]) + rng.normal(scale=0.4, size=200)
    classes = np.array(["low", "middle", "high"])[np.digitize(score, np.quantile(score, [0.4, 0.7]))]
    few = dict(n_estimators=4, max_leaf_nodes=6, min_samples_leaf=5, early_stopping=False)
    return [
        tw.DecisionTreeClassifier(max_depth=5).fit(X, classes),
        tw.DecisionTreeRegressor(max_depth=5).fit(X, score),
        tw.RandomForestClassifier(4, max_depth=4, random_state=0).fit(X, classes),
        tw.RandomForestRegressor(4, max_depth=4, random_state=0).fit(X, score),
        tw.GradientBoostingClassifier(**few).fit(X, classes),
        tw.GradientBoostingRegressor(**few).fit(X, score),
    ]


@pytest.mark.random_examples
def test_nearly_every_mutation_of_an_estimator_of_scikit_learn_is_caught() -> None:
    rng, tried, missed = random.Random(5), 0, []
    models = _numeric_models()
    for model, n in zip(models, shares(1_200 if THOROUGH else 24, len(models)), strict=True):
        program, whole = program_of(model), tw.to_sklearn(model)
        for _ in range(n):
            mutant, what = copy.deepcopy(whole), rng.choice(["cut", "branch", "answer", "missing"])
            _change_estimator(mutant, what, rng)
            tried += 1
            if not _estimator_is_caught(mutant, model, program) and _estimators_differ(whole, mutant, program, rng):
                missed.append((type(whole).__name__, what))
    assert len(missed) <= tried // 1000, missed


def _estimator_is_caught(mutant: Any, model: Any, program: Program) -> bool:
    try:
        scikit_learn._prove(mutant, model, program)
    except DataError:
        return True
    return False


def _change_estimator(mutant: Any, what: str, rng: random.Random) -> None:
    """Change one node of one tree in its arrays."""
    if hasattr(mutant, "_predictors"):
        nodes = rng.choice(rng.choice(mutant._predictors)).nodes
        names = {"cut": "num_threshold", "missing": "missing_go_to_left", "sides": ("left", "right")}
        answers, inner = nodes["value"][:, None], np.flatnonzero(~nodes["is_leaf"].astype(bool))
        _change_nodes(nodes, answers, inner, names, what, rng, math.nextafter)
        return
    tree = rng.choice(getattr(mutant, "estimators_", [mutant])).tree_
    state = tree.__getstate__()
    names = {"cut": "threshold", "missing": "missing_go_to_left", "sides": ("left_child", "right_child")}
    answers, inner = state["values"][:, 0, :], np.flatnonzero(state["nodes"]["left_child"] >= 0)
    _change_nodes(state["nodes"], answers, inner, names, what, rng, _step_of_float32)
    tree.__setstate__(state)


def _step_of_float32(cut: float, towards: float) -> float:
    near = np.float32(cut)
    return float(np.nextafter(near, np.float32(towards)))


def _change_nodes(
    nodes: Any,
    answers: Any,
    inner: Any,
    names: Any,
    what: str,
    rng: random.Random,
    step: Step,
) -> None:
    node = int(rng.choice(inner.tolist()))
    if what == "cut":
        nodes[names["cut"]][node] = step(float(nodes[names["cut"]][node]), rng.choice([-math.inf, math.inf]))
    elif what == "missing":
        nodes[names["missing"]][node] = 1 - nodes[names["missing"]][node]
    elif what == "branch":
        first, second = names["sides"]
        nodes[first][node], nodes[second][node] = nodes[second][node], nodes[first][node]
    else:
        leaf = rng.choice(sorted(set(range(len(nodes))) - set(inner.tolist())))
        answers[leaf, rng.randrange(answers.shape[1])] += 0.001


def _estimators_differ(whole: Any, mutant: Any, program: Program, rng: random.Random) -> bool:
    """Whether some of many random rows, at cuts and beside them, get another answer."""
    draw = np.random.default_rng(rng.randrange(2**32))
    rows = np.empty((20_000, len(program.columns)))
    for column in range(len(program.columns)):
        cuts = [
            number
            for tree in program.trees
            for asked, number in zip(tree.rule_column, tree.rule_number, strict=True)
            if asked == column and math.isfinite(number)
        ]
        single = np.array([0.0, *cuts], dtype=np.float32)
        pool = [single, np.nextafter(single, np.float32(-np.inf)), np.nextafter(single, np.float32(np.inf))]
        rows[:, column] = draw.choice(np.concatenate([*pool, cuts, [np.nan] * len(single)]), len(rows))
    ask = "predict_proba" if program.labels is not None else "predict"
    return bool((getattr(whole, ask)(rows) != getattr(mutant, ask)(rows)).any())

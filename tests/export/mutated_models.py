"""Changed models in the formats that hold a model itself: JSON, which has a checksum, and estimators of scikit-learn.

Trees and forests of scikit-learn round rows to float32, so that a cut is moved by one of those.
"""

from __future__ import annotations

import copy
import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from export.exported import fitted_models
from export.mutations import Outcome, Step, shares
from treewright.errors import DataError, ModelFileError
from treewright.export import scikit_learn
from treewright.export.model_program import program_of
from treewright.export.program import Program


def json_documents(n: int, folder: Path, one_of: int = 1) -> Outcome:
    """Change one number of one array."""
    rng, path, missed = random.Random(4), folder / "m.json", []
    models = list(fitted_models())[::one_of]
    for (name, model), of_it in zip(models, shares(n, len(models)), strict=True):
        model.export(path)
        document = json.loads(path.read_text())
        for _ in range(of_it):
            changed = copy.deepcopy(document)
            kind, array = rng.choice([one for one in changed["arrays"].items() if one[1]["values"]])
            place = rng.randrange(len(array["values"]))
            array["values"][place] = _another(array["values"][place])
            path.write_text(json.dumps(changed))
            try:
                tw.load(path)
                missed.append((name, kind))
            except ModelFileError:
                pass
    return Outcome(n, 0, missed)


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


def estimators(n: int, _folder: Path, one_of: int = 1) -> Outcome:
    """Change one node of one tree of an estimator of scikit-learn."""
    rng, none, missed = random.Random(5), 0, []
    models = _numeric_models()[::one_of]
    for model, of_it in zip(models, shares(n, len(models)), strict=True):
        program, whole = program_of(model), tw.to_sklearn(model)
        for _ in range(of_it):
            mutant, what = copy.deepcopy(whole), rng.choice(["cut", "branch", "answer", "missing"])
            _change_estimator(mutant, what, rng)
            if _estimator_is_caught(mutant, model, program):
                continue
            if _estimators_differ(whole, mutant, program, rng):
                missed.append((type(whole).__name__, what))
            else:
                none += 1
    return Outcome(n, none, missed)


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

"""The same rows, parameters and seed give the same model file: for any order of the rows, any number of threads, in any
process, however weights are written."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier

import treewright as tw
from properties.same_bytes import (
    ASKS_FOR_THE_ORDER,
    TABLES,
    Rows,
    bytes_of,
    estimators,
    fit,
    made,
    orders,
    settings_of,
    table,
)
from thorough import THOROUGH
from treewright.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore")  # rows in every bag, too few rounds: not what is asked here
PRUNED = [settings for settings in settings_of("DecisionTreeClassifier") if "prune" in settings]


def check_orders(name: str, settings: dict[str, Any], rows: Rows, how_many: int) -> bool:
    """Fit on every order and compare; False where the estimator takes no such table or settings."""
    first = None
    for order in orders(len(rows.X), how_many):
        part = rows.in_order(order)
        model = fit(name, settings, part)
        if model is None:
            assert first is None
            return False
        found = bytes_of(model, part)
        first = first or found
        assert found[0] == first[0], f"{name} {settings}"
        assert found[1] == first[1], f"{name} {settings}: arrays that belong to rows"
    return True


@pytest.mark.parametrize("name", estimators())
def test_any_order_of_the_rows_gives_the_same_bytes(name: str) -> None:
    kinds = TABLES if THOROUGH else TABLES[1:2] + TABLES[5:6]
    tried = [check_orders(name, {}, table(kind), 5 if THOROUGH else 3) for kind in kinds]
    assert any(tried)


@pytest.mark.parametrize("name", [name for name in estimators() if name != "ID3Classifier"])  # it takes no numbers
def test_zeros_of_either_sign_are_the_same_number(name: str) -> None:
    rng = np.random.default_rng(7)
    signs = np.where(rng.random((60, 3)) < 0.5, -1.0, 1.0)
    numbers = rng.integers(0, 3, 60) * signs[:, 0]
    X = pd.DataFrame(rng.integers(0, 3, (60, 2)) * signs[:, 1:], columns=["a", "b"])
    assert check_orders(name, {}, Rows(X, (numbers > 0).astype(int), numbers, None), 4)


@pytest.mark.parametrize("settings", PRUNED, ids=str)
def test_any_order_of_the_rows_gives_the_same_bytes_with_every_pruner(settings: dict[str, Any]) -> None:
    for kind in TABLES if THOROUGH else TABLES[1:2]:
        if str(settings["prune"]) == "price":  # looks at prices that CART does not store
            assert fit("DecisionTreeClassifier", settings, table(kind)) is None
        else:
            assert check_orders("DecisionTreeClassifier", settings, table(kind), 5 if THOROUGH else 3)


@pytest.mark.thorough
@pytest.mark.parametrize("name", estimators())
def test_any_order_of_the_rows_gives_the_same_bytes_with_every_option(name: str) -> None:
    for settings in settings_of(name):
        tried = [check_orders(name, settings, table(kind), 5) for kind in TABLES]
        assert any(tried) or settings, f"{name} takes none of the tables"


@pytest.mark.parametrize("name", ["RandomForestClassifier", "BaggingTreesRegressor", "GradientBoostingClassifier"])
def test_what_is_known_of_each_row_and_early_stopping_follow_the_rows(name: str) -> None:
    settings = {"early_stopping": True} if "Boosting" in name else {"oob_score": True}
    for kind in TABLES[:2]:
        assert check_orders(name, settings, table(kind), 5)


@pytest.mark.parametrize("task", ["Classifier", "Regressor"])
def test_rounds_that_are_judged_by_a_score_have_the_same_bytes_for_any_order_of_the_rows(task: str) -> None:
    for scoring in ("accuracy", "neg_log_loss") if task == "Classifier" else ("r2", "neg_mean_absolute_error"):
        settings = {"early_stopping": True, "scoring": scoring, "n_estimators": 8}
        assert check_orders(f"GradientBoosting{task}", settings, table(TABLES[1]), 5)


@pytest.mark.parametrize("name", [name for name in estimators() if getattr(tw, name)._fit_targets is not None])
def test_models_of_several_targets_have_the_same_bytes_for_any_order_and_any_number_of_threads(name: str) -> None:
    for kind in TABLES if THOROUGH else TABLES[1:2]:
        rows, found = table(kind), set()
        for number, order in enumerate(orders(len(rows.X), 3)):
            part = rows.in_order(order)
            model = made(name, {}, n_jobs=1 + number)
            second = part.numbers > np.median(part.numbers) if is_classifier(model) else part.numbers**2
            targets = np.column_stack([part.classes if is_classifier(model) else part.numbers, second])
            weights = () if part.weights is None else (part.weights,)
            try:
                model.fit(part.X, targets, *weights)
            except DataError:
                continue
            if name.startswith("KNeighbors"):  # their files number the rows by their place in the table
                found.add(str(model.predict(rows.X).tolist()))
            else:
                found.add(model.set_params(n_jobs=None)._tw_bytes())
        assert len(found) <= 1
        assert found or THOROUGH


@pytest.mark.parametrize("name", estimators())
def test_any_number_of_threads_gives_the_same_bytes(name: str) -> None:
    for kind in TABLES:
        models = [fit(name, {}, table(kind), n_jobs) for n_jobs in (1, 2, 3)]
        if models[0] is not None:
            assert len({model.set_params(n_jobs=None)._tw_bytes() for model in models}) == 1
            return
    pytest.fail(f"{name} takes none of the tables")


@pytest.mark.parametrize("name", estimators())
def test_weights_may_be_written_in_any_kind_of_number(name: str) -> None:
    rows = table(TABLES[5])
    model = made(name, {})
    target = rows.classes if is_classifier(model) else rows.numbers
    whole = np.random.default_rng(3).integers(0, 4, len(target))
    forms = (whole, whole.astype(float), whole.astype(np.float32), whole.astype(np.uint8), whole.tolist())
    if "sample_weight" in inspect.signature(model.fit).parameters:
        assert len({made(name, {}).fit(rows.X, target, sample_weight=form)._tw_bytes() for form in forms}) == 1
    else:
        with pytest.raises(TypeError, match="sample_weight"):
            model.fit(rows.X, target, sample_weight=whole)


def fingerprints() -> dict[str, str]:
    """What every estimator makes of the first table that it takes."""
    found = {}
    for name in estimators():
        models = (fit(name, {}, table(kind)) for kind in TABLES)
        found[name] = next(model.fingerprint() for model in models if model is not None)
    return found


def test_another_process_with_another_hash_seed_gives_the_same_bytes() -> None:
    tests = str(Path(__file__).parents[1])
    code = (
        "import json, warnings; warnings.simplefilter('ignore')\n"
        "from properties.test_same_bytes import fingerprints; print(json.dumps(fingerprints()))"
    )
    elsewhere = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": tests}
    told = subprocess.run([sys.executable, "-c", code], env=elsewhere, capture_output=True, text=True, check=True)
    assert json.loads(told.stdout) == fingerprints()


def test_only_those_who_ask_for_an_order_of_the_rows_depend_on_it() -> None:
    assert {("shuffle", False), ("ties", "first"), ("reduced_error", True)} == ASKS_FOR_THE_ORDER
    rows = table("numbers levels")
    asking = [
        ("Perceptron", {"shuffle": False}),
        ("KNeighborsClassifier", {"ties": "first"}),
        ("C45Classifier", {"reduced_error": True}),
    ]
    for name, settings in asking:
        found = {fit(name, settings, rows.in_order(order))._tw_bytes() for order in orders(len(rows.X), 3)}
        assert len(found) > 1, name


# Local fits are solved many at a time, padded to the most neighbours; an autoencoder answers with a table.
@pytest.mark.parametrize("name", [n for n in estimators() if n not in ("LocallyWeightedRegression", "Autoencoder")])
def test_one_row_is_answered_as_it_is_among_many(name: str) -> None:
    kind = next(kind for kind in TABLES if fit(name, {}, table(kind)) is not None)
    rows, model = table(kind), fit(name, {}, table(kind))
    many = model.predict(rows.X)
    shares = model.predict_proba(rows.X) if hasattr(model, "predict_proba") else None
    for place in range(0, len(rows.X), 7):
        alone = rows.X.iloc[place : place + 1]
        assert model.predict(alone)[0] == many[place]
        assert model.predict_one(alone.iloc[0].to_dict()) == many[place]
        if shares is not None:
            assert model.predict_proba(alone)[0].tolist() == shares[place].tolist()


def test_the_tables_have_what_they_are_named_after() -> None:
    rows = table(TABLES[1])
    assert rows.X.isna().any().sum() == len(rows.X.columns) - 1
    assert rows.X.assign(target=rows.classes).duplicated().any()
    assert min(np.unique(rows.classes, return_counts=True)[1]) < 20
    assert tw.DecisionTreeClassifier().fit(rows.X, rows.classes).get_n_leaves() > 10

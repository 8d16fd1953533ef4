"""Models without trees in every runtime that is here: the formula is the model, and exports of it are proven."""

from __future__ import annotations

import shutil
import sqlite3
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from export.exported import classes, table
from export.exported_formulas import fitted_formulas, narrow_bayes
from thorough import some
from treewright.errors import DataError
from treewright.export.export import export, verify_export
from treewright.export.formula import ALIKE, Formula, evaluate
from treewright.export.formula_probes import codes_of, formula_probes, score_slack
from treewright.export.model_formula import formula_of, scores_of

MODELS = {**dict(fitted_formulas()), "narrow bayes": narrow_bayes()}
FIRST = [
    "logistic of three classes",
    "bayes of three classes",
    "network of two classes",
    "linear with flags of numbers",
    "spline of numbers",
    "kernel bayes of three classes",
]
NAMES = [*FIRST, *(name for name in MODELS if name not in FIRST)]
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]


def slow_scores(formula: Formula, rows: np.ndarray) -> np.ndarray:
    found = np.array([evaluate(formula, row) for row in rows.tolist()])
    if formula.link != "bayes":
        return found
    highest = found.max(axis=1, keepdims=True)
    return np.where(found >= highest - ALIKE * np.abs(highest), highest, found)


@pytest.mark.parametrize("name", NAMES)
def test_the_slow_formula_adds_up_to_the_bits_of_the_model(name: str) -> None:
    model = MODELS[name]
    formula = formula_of(model)
    frame: Any = np.array([[1.0, 2.0], [np.nan, 1e130], [-1e130, 0.0]])
    if name != "narrow bayes":
        frame, _ = table(17, 80)
        far = 1e40 if "polynomials" in name else 1e130  # its third power is a number
        frame.iloc[0, 2], frame.iloc[1, 0], frame.iloc[2, 0] = "nobody knows", far, -1e-3 * far
        frame.iloc[3] = None
    cells = pd.DataFrame(frame).astype(object).where(pd.notna(frame), None).to_numpy().tolist()
    used = [[row[place] for place in formula.used] for row in cells]
    codes = codes_of(formula, used)
    expected, found = scores_of(model, frame), slow_scores(formula, codes)
    slack = score_slack(formula, codes)
    if slack is None:
        assert (expected == found).all()
    else:
        assert (np.abs(expected - found) <= slack).all()
        assert (slack <= 1e-11 * (1 + np.abs(expected))).all()


@pytest.mark.parametrize("name", some(NAMES, 6))
@pytest.mark.parametrize(("file", "dialect"), [("m.py", ""), ("m.sql", "sqlite"), ("m.sql", "duckdb"), ("m.onnx", "")])
def test_an_export_is_proven_where_it_runs(name: str, file: str, dialect: str, tmp_path: Path) -> None:
    verdict = export(MODELS[name], tmp_path / file, **({"dialect": dialect} if dialect else {}))
    assert verdict.proven, verdict.text
    if name == FIRST[0]:
        assert verify_export(tmp_path / file).proven


@pytest.mark.parametrize("name", some(NAMES, 3))
def test_c_compiles_without_a_warning_and_is_proven(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for compiler in COMPILERS:
        monkeypatch.setenv("CC", compiler)
        assert export(MODELS[name], tmp_path / "m.c").proven


@pytest.mark.parametrize("name", some(NAMES, 3))
def test_javascript_is_proven_where_node_is(name: str, tmp_path: Path) -> None:
    verdict = export(MODELS[name], tmp_path / "m.mjs")
    assert verdict.proven == (shutil.which("node") is not None), verdict.text


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "sqlserver", "mysql"])
def test_a_dialect_that_cannot_run_here_is_written_and_said_to_be_unproven(dialect: str, tmp_path: Path) -> None:
    for name in ("logistic of three classes", "bayes of three classes", "network of numbers"):
        assert "written, not proven" in export(MODELS[name], tmp_path / "m.sql", dialect=dialect).text


def hard_table() -> tuple[pd.DataFrame, np.ndarray]:
    """Dates, an ordinal column, truth values, numbers as levels, 60 levels, a constant, and ten classes."""
    rng = np.random.default_rng(3)
    n = 240
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.normal(50, 7, n).round(2)),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "top"], n), categories=["low", "mid", "top"], ordered=True
            ),
            "flag": pd.Series((rng.random(n) < 0.5).tolist(), dtype=object),
            "code": pd.Categorical(rng.choice([3, 7, 11], n)),
            "many": [f"L{i}" for i in rng.integers(0, 60, n)],
            "same": 1.0,
        }
    )
    score = frame["size"].fillna(50) / 7 + frame["grade"].cat.codes * 0.5 + rng.normal(0, 0.5, n)
    return frame, np.digitize(score, np.quantile(score, np.linspace(0.1, 0.9, 9)))


HARD = {
    "logistic": lambda: tw.LogisticRegression(max_iter=30),
    "bayes": lambda: tw.NaiveBayesClassifier(),
    "network": lambda: tw.MLPClassifier((12, 6), max_iter=3),
    "linear": lambda: tw.LinearRegression(missing="flag"),
}


@pytest.mark.parametrize("name", some(HARD, 1))
@pytest.mark.parametrize(
    ("file", "dialect"),
    [("m.sql", "sqlite"), ("m.py", ""), ("m.c", ""), ("m.mjs", ""), ("m.sql", "duckdb"), ("m.onnx", "")],
)
def test_dates_orders_and_ten_classes_are_proven(name: str, file: str, dialect: str, tmp_path: Path) -> None:
    frame, target = hard_table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HARD[name]().fit(frame, target)
    verdict = export(model, tmp_path / file, **({"dialect": dialect} if dialect else {}))
    assert verdict.proven or (file == "m.mjs" and shutil.which("node") is None), verdict.text


def test_trees_that_ask_for_dates_are_proven_in_databases(tmp_path: Path) -> None:
    frame, target = hard_table()
    model = tw.DecisionTreeClassifier(max_depth=5).fit(frame[["day"]], target)
    for dialect in ("sqlite", "duckdb"):
        assert model.export(tmp_path / "m.sql", dialect=dialect).proven


def test_a_kernel_density_that_a_statement_cannot_hold_is_refused_and_leaves_as_python(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1_300, 1)), rng.random(1_300) < 0.5
    model = tw.NaiveBayesClassifier(numeric="kernel").fit(X, y)
    with pytest.raises(DataError, match=r"a statement is written for 5,000 and 500\. Export C, JavaScript, Python or"):
        model.export(tmp_path / "m.sql")
    assert model.export(tmp_path / "m.c").proven


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_model_that_asks_for_no_column_is_a_statement(dialect: str, tmp_path: Path) -> None:
    frame, score = table(3)
    for model, target in (
        (tw.RegularizedRegression(alpha=1e9), score),
        (tw.LogisticRegression(), np.zeros(len(score))),
    ):
        assert model.fit(frame, target).export(tmp_path / "m.sql", dialect=dialect).proven
    assert tw.DecisionTreeRegressor().fit([[1], [2]], [5, 5]).export(tmp_path / "m.sql", dialect=dialect).proven


def test_impossible_levels_are_minus_infinity_where_a_language_has_it_and_refused_elsewhere(tmp_path: Path) -> None:
    X = pd.DataFrame({"level": list("aabbccab"), "x": [1.0, 2, 3, 4, 5, 6, 7, 8]})
    model = tw.NaiveBayesClassifier(alpha=0).fit(X, list("uuvvuuuv"))
    for file in ("m.py", "m.c"):
        assert model.export(tmp_path / file).proven
    for file in ("no.sql", "no.onnx"):
        with pytest.raises(DataError, match="holds a level or a class for impossible"):
            model.export(tmp_path / file)
        assert not (tmp_path / file).exists()


def test_what_rounding_leaves_of_the_centre_of_a_polynomial_is_no_number_of_a_file(tmp_path: Path) -> None:
    frame, score = table(0)
    model = tw.LinearRegression(basis="polynomial:3").fit(frame[["count"]], score)
    weights = [abs(weight) for unit in formula_of(model).units for _, weight in unit.terms]
    assert min(weights) > 1e-3
    assert model.export(tmp_path / "m.py").proven


def test_sql_tells_the_scores_and_a_column_without_weight_is_not_asked_for(tmp_path: Path) -> None:
    frame, score = table(5, 300)
    model = tw.LogisticRegression(penalty="l1", C=0.05).fit(frame, score > 0.8)
    used = [formula_of(model).columns[place].name for place in formula_of(model).used]
    assert 0 < len(used) < 4
    model.export(tmp_path / "m.sql", dialect="sqlite", table="people")
    with sqlite3.connect(":memory:") as base:
        frame[used].to_sql("people", base, index=False)
        told = pd.read_sql((tmp_path / "m.sql").read_text().rstrip().rstrip(";"), base)
    assert list(told.columns) == [*used, "score", "prediction", "probability of False", "probability of True"]
    assert sorted(told["score"]) == sorted(model.decision_function(frame))


@pytest.mark.parametrize(
    ("model", "file", "how", "words"),
    [
        (tw.LinearRegression(basis=np.abs), "m.py", {}, "has functions of yours in its basis"),
        (tw.Perceptron(), "m.py", {}, "threshold neurons answer with classes alone"),
        (tw.MLPClassifier(4, precision="single", max_iter=2), "m.py", {}, "computes with 32 bits"),
        (tw.MLPClassifier((250, 250), max_iter=1), "m.py", {}, "networks are written out up to 50,000"),
        (tw.MLPClassifier(4, "tanh", max_iter=2), "m.sql", {"dialect": "mysql"}, "which mysql does not have"),
        (tw.LogisticRegression(), "m.pmml", {}, "PMML is written for models with trees"),
        (tw.LogisticRegression(), "m.R", {}, "A script of R is written for models with trees"),
        (tw.LogisticRegression(), "m.xlsx", {}, "An Excel rule book is written for models with trees"),
        (tw.MLPRegressor((600,), max_iter=1), "m.sql", {}, "a statement is written for"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_cannot_be_exported_is_said_by_name(
    model: Any, file: str, how: dict[str, Any], words: str, tmp_path: Path
) -> None:
    frame, score = table(3)
    is_regressor = isinstance(model, tw.LinearRegression | tw.MLPRegressor)
    model.fit(frame[["count", 'odd "name" */']].fillna(0), score if is_regressor else classes(score))
    with pytest.raises(DataError, match=words):
        export(model, tmp_path / file, **how)
    assert list(tmp_path.iterdir()) == []


def test_several_targets_are_refused(tmp_path: Path) -> None:
    model = tw.LinearRegression().fit([[1], [2], [3]], [[1, 2], [2, 3], [3, 5]])
    with pytest.raises(DataError, match="predicts 2 targets"):
        model.export(tmp_path / "m.py")


def test_probes_have_every_level_and_every_cell_without_a_value() -> None:
    formula = formula_of(MODELS["logistic of three classes"])
    rows = formula_probes(formula)
    for at, place in enumerate(formula.used):
        cells = [row[at] for row in rows]
        assert None in cells
        assert set(formula.columns[place].levels) <= set(cells)
        if formula.columns[place].kind == "numeric":
            assert {1e100, -1e100, 1e-100} <= set(cells)
        else:
            assert formula.columns[place].value_type != "text" or "no such level" in cells

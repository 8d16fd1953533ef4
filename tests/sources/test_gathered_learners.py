"""Learners that need all rows in one place: gathered from a source, they are those of the same rows in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from sources.engines import ENGINES
from sources.random_learners import assert_same_outcome
from sources.random_tables import Case
from thorough import SEARCH, some
from treewright.errors import DataError

ALL = 10**6


@pytest.mark.parametrize("engine", list(ENGINES))
@pytest.mark.parametrize("block", some(range(10 * max(SEARCH, 1)), 1))
def test_a_random_learner_has_the_bytes_of_the_rows_in_memory(engine: str, block: int, tmp_path: Path) -> None:
    def open_source(case: Case, parts: list[np.ndarray]) -> Any:
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        return ENGINES[engine](case.arrow(), parts, ALL, folder)

    learnt = [assert_same_outcome(seed, open_source) for seed in range(20 * block, 20 * block + 20)]
    assert sum(learnt) >= 10


def wide_table(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"x{j}": np.round(rng.normal(size=n), 3) for j in range(4)})
    frame["c"] = rng.choice(["red", "green", "blue"], n)
    frame["y"] = np.where(frame.x3 + frame.x1 + rng.normal(size=n) > 0, "up", "down")
    return frame


def source_of(frame: pd.DataFrame, fetch_rows: int, folder: Path, engine: str = "parquet") -> Any:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return ENGINES[engine](table, np.array_split(np.arange(len(frame)), 3), fetch_rows, folder)


@pytest.mark.parametrize("engine", list(ENGINES))
def test_more_rows_than_may_be_fetched_are_refused_with_what_to_set(engine: str, tmp_path: Path) -> None:
    source = source_of(wide_table(), 199, tmp_path, engine)
    with pytest.raises(DataError, match=r"has 200, more than the 199 that may be fetched.*fetch_rows=200"):
        tw.RandomForestClassifier(n_estimators=2).fit(source, "y")
    if engine == "duckdb":
        assert source.queries == ['SELECT count(*) AS n FROM "rows"']


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (tw.KNeighborsClassifier(), "the rows are the model"),
        (tw.Perceptron(shuffle=False), "shuffle=False takes the rows in their order"),
        (tw.Perceptron(keep_trace=True), "keep_trace=True names rows by their place"),
        (tw.C45Classifier(reduced_error=True), "reduced_error=True keeps back rows by their place"),
        (tw.BaggingTreesClassifier(tw.C45Classifier(reduced_error=True)), "reduced_error=True"),
    ],
)
def test_what_the_order_of_rows_decides_is_refused_by_name(model: Any, named: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=named):
        model.fit(source_of(wide_table(), ALL, tmp_path), "y")


def test_estimators_of_others_are_refused(tmp_path: Path) -> None:
    from sklearn.linear_model import RidgeClassifier

    with pytest.raises(DataError, match="estimators of others take a table as it is given"):
        tw.BaggingTreesClassifier(RidgeClassifier()).fit(source_of(wide_table(), ALL, tmp_path), "y")


def test_groups_of_a_forest_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="takes a target and sample_weight, nothing beside them"):
        tw.RandomForestClassifier().fit(source_of(wide_table(), ALL, tmp_path), "y", groups="c")


def test_an_autoencoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="it has no target to name"):
        tw.Autoencoder().fit(source_of(wide_table(), ALL, tmp_path))


def test_a_column_that_is_left_out_is_not_learnt_from(tmp_path: Path) -> None:
    frame = wide_table()
    source = source_of(frame, ALL, tmp_path)
    source.left_out = frozenset({"x0"})
    found = tw.LogisticRegression().fit(source, "y")
    assert found._tw_bytes() == tw.LogisticRegression().fit(frame.drop(columns=["x0", "y"]), frame["y"])._tw_bytes()


@pytest.mark.parametrize(
    "values",
    [
        [2**53, 2**53 + 1, -(2**62), 0, 1, 2, None, 3],
        [0.1, 2.0**130, -0.0, 1e-46, np.inf, np.nan, None, 3.0],
        [127, 128, -128, -129, 32768, 0, 1, 2],
    ],
)
def test_narrow_numbers_are_the_numbers_that_they_were(values: list[Any], tmp_path: Path) -> None:
    table = pa.table({"x": pa.array(values), "y": list("aabbabab")})
    source = ENGINES["parquet"](table, [np.array([i]) for i in range(8)], ALL, tmp_path)
    model = tw.C45Classifier(min_samples_leaf=1, prune=False)
    expected = model.fit(table.select(["x"]), table["y"].to_pandas().rename("y"))._tw_bytes()
    found = tw.C45Classifier(min_samples_leaf=1, prune=False).fit(source, "y")
    assert found._tw_bytes() == expected


@pytest.mark.parametrize("ask", ["predict", "predict_proba", "decision_function"])
@pytest.mark.parametrize(
    "model",
    [
        tw.RandomForestClassifier(n_estimators=3),
        tw.BaggingTreesClassifier(n_estimators=3),
        tw.AdaBoostClassifier(n_estimators=3),
        tw.GradientBoostingClassifier(n_estimators=3),
        tw.LogisticRegression(),
        tw.Perceptron(neuron="sigmoid"),
    ],
)
def test_every_kind_of_model_answers_a_source(model: Any, ask: str, tmp_path: Path) -> None:
    frame = wide_table()
    X = frame.drop(columns="y")
    model.fit(X, frame["y"])
    if hasattr(model, ask):
        assert (getattr(model, ask)(source_of(frame, 50, tmp_path)) == getattr(model, ask)(X)).all()
    else:
        assert ask == "decision_function"

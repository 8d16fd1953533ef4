"""The one law: a model of rows that stay where they are is, byte for byte, that of the same rows in memory."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from sources.engines import ENGINES
from sources.random_tables import random_case
from thorough import SEARCH, some
from treewright.sources import profile, sisters, sql_profile, sql_text

CELLS = (3, 8, 64)  # few cells, so that stretches of values have to be opened


@pytest.mark.parametrize("engine", list(ENGINES))
@pytest.mark.parametrize("block", some(range(10 * max(SEARCH, 1)), 2))
def test_a_random_tree_has_the_bytes_of_the_rows_in_memory(
    engine: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(20 * block, 20 * block + 20):
        case = random_case(seed)
        monkeypatch.setattr(sql_profile, "CELLS", CELLS[seed % 3])
        monkeypatch.setattr(profile, "FEW_VALUES", CELLS[seed % 3])
        monkeypatch.setattr(sql_text, "_MOST_RANGES", (0, 100)[seed // 3 % 2])  # opened by a join, or by comparisons
        monkeypatch.setattr(sisters, "MOST_BYTES", (2**28, 20_000)[seed // 6 % 2])  # few tables of parents are kept
        folder = tmp_path / str(seed)
        folder.mkdir()
        source = ENGINES[engine](case.arrow(), case.parts, case.fetch_rows, folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tw.table.column_remarks.ColumnWarning)
            expected = case.in_memory()
        found = case.model().fit(source, "y", case.weight)
        assert found._tw_bytes() == expected._tw_bytes(), seed


def wide_table(n: int = 600, columns: int = 20) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"x{j}": np.round(rng.normal(size=n), 3) for j in range(columns)})
    frame["y"] = np.where(frame.x3 + frame.x7 * frame.x1 + rng.normal(size=n) > 0, "up", "down")
    return frame


def test_depth_8_of_20_columns_takes_at_most_20_statements() -> None:
    frame = wide_table()
    connection = duckdb.connect()
    connection.register("frame", pa.Table.from_pandas(frame, preserve_index=False))
    source = tw.source(connection, "frame", fetch_rows=1)
    model = tw.DecisionTreeClassifier(max_depth=8).fit(source, "y")
    assert model._tw_bytes() == tw.DecisionTreeClassifier(max_depth=8).fit(frame.drop(columns="y"), frame.y)._tw_bytes()
    assert len(source.queries) <= 20


@pytest.mark.parametrize("prune", [tw.ChiSquare(), tw.MinimumError(), tw.CostComplexity(cp=0.01), "merge_equal_leaves"])
@pytest.mark.parametrize("engine", ["parquet", "duckdb"])
def test_pruners_that_look_at_the_tree_alone_prune_as_in_memory(engine: str, prune: Any, tmp_path: Path) -> None:
    frame = wide_table(400, columns=8)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    source = ENGINES[engine](table, [np.arange(400)], 50, tmp_path)
    model = tw.DecisionTreeClassifier(prune=prune).fit(source, "y")
    expected = tw.DecisionTreeClassifier(prune=prune).fit(frame.drop(columns="y"), frame["y"])
    assert model._tw_bytes() == expected._tw_bytes()


@pytest.mark.parametrize("engine", ["parquet", "duckdb"])
def test_answers_and_measures_of_a_source_are_those_of_its_rows(engine: str, tmp_path: Path) -> None:
    frame = wide_table(500)
    X, y = frame.drop(columns="y"), frame["y"]
    model = tw.DecisionTreeClassifier(max_depth=4).fit(X, y)
    source = ENGINES[engine](pa.Table.from_pandas(frame, preserve_index=False), [np.arange(500)], 50, tmp_path)
    assert (model.predict(source) == model.predict(X)).all()
    assert (model.predict_proba(source) == model.predict_proba(X)).all()
    assert (model.apply(source) == model.apply(X)).all()
    assert str(tw.evaluate(model, source, "y")) == str(tw.evaluate(model, X, y))
    written = tmp_path / "answers.parquet"
    assert tw.write_predictions(model, source, written, keep=["x0"], proba=True) == 500
    answers = pd.read_parquet(written)
    assert list(answers.columns) == ["x0", "prediction", "probability_down", "probability_up"]
    assert (answers.prediction == model.predict(X)).all()

"""Exports to Spark's SQL are proven in a session of Spark on this machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from export.exported import fitted_models
from export.exported_formulas import fitted_formulas
from thorough import some
from treewright.export.export import export, verify_export
from treewright.export.sql import lists

MODELS = dict(fitted_models())
FORMULAS = dict(fitted_formulas())
FIRST = ["surrogates of classes", "fractional of classes"]  # a session takes longer to start than to answer


@pytest.mark.parametrize("name", some([*FIRST, *(name for name in MODELS if name not in FIRST)], len(FIRST)))
def test_an_export_is_proven_in_spark(name: str, tmp_path: Path) -> None:
    verdict = export(MODELS[name], tmp_path / "m.sql", dialect="spark")
    assert verdict.proven, verdict.text
    assert "proven in Spark" in verdict.text


def test_a_large_tree_is_lists_of_steps_in_spark(tmp_path: Path) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    tree = tw.DecisionTreeClassifier().fit(X, y)
    assert tree.tree_.node_count > 300
    assert export(tree, tmp_path / "m.sql", dialect="spark").proven
    text = (tmp_path / "m.sql").read_text()
    assert text.count("WHEN") < 20  # a CASE of all tests takes seconds to plan
    assert "aggregate(sequence(" in text


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODELS)
def test_a_tree_of_any_kind_is_proven_as_lists_of_steps(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "FEW_NODES", 0)
    assert export(MODELS[name], tmp_path / "m.sql", dialect="spark").proven


@pytest.mark.thorough
def test_a_table_in_a_schema_and_a_deep_tree_are_proven_in_spark(tmp_path: Path) -> None:
    chain = tw.DecisionTreeRegressor().fit([[i] for i in range(31)], [3.0**i for i in range(31)])
    assert chain.get_depth() == 30
    assert chain.export(tmp_path / "deep.sql", dialect="spark", table="sales.rows").proven
    assert verify_export(tmp_path / "deep.sql").proven
    from pyspark.sql import SparkSession

    # A session that is open already may have a table of that name, which is none of ours.
    assert not SparkSession.getActiveSession().catalog.databaseExists("sales")


@pytest.mark.thorough
def test_dates_are_proven_in_spark_and_moments_are_said_not_to_be(tmp_path: Path) -> None:
    days = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(60), unit="D"))
    of_days = tw.DecisionTreeRegressor(max_depth=3).fit(pd.DataFrame({"day": days.dt.date}), np.arange(60.0) % 7)
    assert of_days.export(tmp_path / "m.sql", dialect="spark").proven
    moments = pd.DataFrame({"at": days + pd.Timedelta(minutes=1)})
    verdict = (
        tw.DecisionTreeRegressor(max_depth=3)
        .fit(moments, np.arange(60.0) % 7)
        .export(tmp_path / "m.sql", dialect="spark")
    )
    assert "moments are not run in Spark" in verdict.text


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["logistic of three classes", "bayes of three classes", "network of numbers"])
def test_models_without_trees_are_proven_in_spark(name: str, tmp_path: Path) -> None:
    assert export(FORMULAS[name], tmp_path / "m.sql", dialect="spark").proven

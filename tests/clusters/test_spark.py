"""Spark: the bytes of a fit in memory whatever the partitions; lost Python workers and odd frames have a rule."""

from __future__ import annotations

import doctest
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from clusters.killed import a_python_worker_dies
from sources.random_bayes import assert_same_bayes
from sources.random_boosting import boosting_case
from sources.random_c45 import assert_same_c45
from sources.random_learners import assert_same_outcome
from sources.random_tables import random_case
from sources.random_trees import ONE_OF_EACH, assert_same_tree
from thorough import some
from treewright.errors import ColumnWarning, DataError
from treewright.sources import profile

pytestmark = pytest.mark.filterwarnings("ignore:.*pandas.*:FutureWarning", "ignore::DeprecationWarning")
PAGE = Path(__file__).parents[2] / "docs" / "sources" / "spark.md"
CELLS = (3, 8, 64)  # few cells, so that stretches of values have to be opened


def in_parts(spark: Any, table: pa.Table, parts: list[np.ndarray]) -> Any:
    """A frame whose partitions have these rows; some may be empty."""
    numbered = np.concatenate([np.full(len(rows), i) for i, rows in enumerate(parts)])
    given = table.take(np.concatenate(parts)).append_column("part", pa.array(numbered))
    frame = spark.createDataFrame(given)
    return frame.repartition(len(parts), "part").drop("part")


@pytest.mark.parametrize("block", some(range(6), 1))
def test_a_random_tree_has_the_bytes_of_the_rows_in_memory(
    block: int, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(3 * block, 3 * block + 3):
        case = random_case(seed)
        monkeypatch.setattr(profile, "FEW_VALUES", CELLS[seed % 3])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ColumnWarning)
            expected = case.in_memory()
        source = tw.source(in_parts(spark, case.arrow(), case.parts), fetch_rows=case.fetch_rows)
        assert case.model().fit(source, "y", case.weight)._tw_bytes() == expected._tw_bytes(), seed


@pytest.mark.parametrize("seeds", some([range(seed, seed + 1) for seed in (5, 2, 3, 9)], 1))
def test_a_random_tree_of_c45_is_counted_and_pruned_to_the_bytes_of_memory(
    seeds: Sequence[int], spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_source(table: pa.Table, parts: list[np.ndarray], fetch_rows: int) -> Any:
        return tw.source(in_parts(spark, table, parts), fetch_rows=max(fetch_rows, 20))

    for seed in seeds:
        assert_same_c45(seed, open_source, monkeypatch)


@pytest.mark.parametrize(
    "seeds", some([ONE_OF_EACH[1:2], ONE_OF_EACH, *(range(3 * i, 3 * i + 3) for i in range(3, 6))], 1)
)
def test_a_random_tree_of_tables_and_naive_bayes_are_counted_to_the_bytes_of_memory(
    seeds: Sequence[int], spark: Any
) -> None:
    def open_source(table: pa.Table, parts: list[np.ndarray]) -> Any:
        return tw.source(in_parts(spark, table, parts), fetch_rows=1)

    for seed in seeds:
        assert_same_tree(seed, open_source)
    assert_same_bayes(seeds[0], open_source)


@pytest.mark.parametrize("block", some(range(6), 1))
def test_a_random_learner_of_gathered_rows_has_the_bytes_of_those_in_memory(block: int, spark: Any) -> None:
    for seed in range(2 * block, 2 * block + 2):
        assert_same_outcome(seed, lambda case, parts: tw.source(in_parts(spark, case.arrow(), parts), fetch_rows=1000))


@pytest.mark.thorough
@pytest.mark.parametrize("partitions", [1, 3, 17, "shuffled"])
def test_partitions_change_no_byte(partitions: int | str, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(1000, 1005):
        case = random_case(seed)
        monkeypatch.setattr(profile, "FEW_VALUES", CELLS[seed % 3])
        order = np.random.default_rng(seed).permutation(len(case.frame))
        rows = order if partitions == "shuffled" else np.arange(len(case.frame))
        parts = np.array_split(rows, 5 if partitions == "shuffled" else int(partitions))
        source = tw.source(in_parts(spark, case.arrow(), parts), fetch_rows=case.fetch_rows)
        found = case.model().fit(source, "y", case.weight)
        assert found._tw_bytes() == case.in_memory()._tw_bytes(), (seed, partitions)


def long_table(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"x{j}": np.round(rng.normal(size=n), 3) for j in range(8)})
    frame["y"] = np.where(frame.x3 + frame.x7 * frame.x1 + rng.normal(size=n) > 0, "up", "down")
    return frame


@pytest.mark.thorough
@pytest.mark.parametrize("moment", range(5))
def test_a_python_worker_that_is_killed_changes_no_byte(moment: int, spark: Any) -> None:
    frame = long_table(2000)
    model = tw.DecisionTreeClassifier(max_depth=5)
    source = tw.source(
        in_parts(spark, pa.Table.from_pandas(frame, preserve_index=False), [np.arange(2000)]), fetch_rows=50
    )
    expected = tw.DecisionTreeClassifier(max_depth=5).fit(frame.drop(columns="y"), frame["y"])
    with a_python_worker_dies(0.3 * moment):
        found = model.fit(source, "y")
    assert found._tw_bytes() == expected._tw_bytes()


def test_answers_and_refusals_of_a_spark_frame(spark: Any) -> None:
    frame = long_table(300)
    X, y = frame.drop(columns="y"), frame["y"]
    table = pa.Table.from_pandas(frame.assign(id=range(300)), preserve_index=False)
    model = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    source = tw.source(in_parts(spark, table, [np.arange(100, 300), np.arange(0), np.arange(100)]))
    lazy = source.predictions(model, keep=["id"], proba=True)
    answers = lazy.toArrow().to_pandas().sort_values("id")
    assert (answers["prediction"].to_numpy() == model.predict(X)).all()
    assert (answers[["probability_down", "probability_up"]].to_numpy() == model.predict_proba(X)).all()
    assert str(tw.evaluate(model, source, "y")) == str(tw.evaluate(model, X, y))
    holes = tw.source(spark.createDataFrame(pa.table({"x": [1, 2, 3], "y": pa.array(["a", None, "b"])})))
    with pytest.raises(DataError, match=r"partition .: .*1 rows have no target value"):
        tw.DecisionTreeClassifier().fit(holes, "y")
    with pytest.raises(DataError, match="the Spark frame has no rows"):
        tw.DecisionTreeClassifier().fit(tw.source(spark.createDataFrame(table[:0])), "y")


@pytest.mark.thorough
def test_every_example_of_the_page_gives_what_it_says(spark: Any) -> None:
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted >= 9
    assert result.failed == 0


@pytest.mark.parametrize("block", some(range(6), 1))
def test_a_random_booster_has_the_bytes_of_the_rows_in_memory(block: int, spark: Any) -> None:
    for seed in range(3 * block, 3 * block + 3):
        case = boosting_case(seed, 60)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ColumnWarning)
            expected = case.in_memory()
        source = tw.source(in_parts(spark, case.arrow(), case.parts))
        assert case.model().fit(source, "y", case.weight)._tw_bytes() == expected._tw_bytes(), seed

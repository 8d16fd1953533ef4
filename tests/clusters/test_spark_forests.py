"""Forests over the executors of Spark: the bytes of a fit in memory, also where a Python worker dies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import treewright as tw
from clusters.killed import a_python_worker_dies
from clusters.test_spark import in_parts, long_table
from sources.random_forests import assert_same_forest
from treewright.errors import NotEnoughMemoryError
from treewright.sources.spark_crew import SparkCrew

pytestmark = pytest.mark.filterwarnings("ignore:.*pandas.*:FutureWarning", "ignore::DeprecationWarning")


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(6))
def test_a_random_forest_has_the_bytes_of_the_rows_in_memory(block: int, spark: Any) -> None:
    for seed in range(3 * block, 3 * block + 3):
        assert_same_forest(seed, lambda case: tw.source(in_parts(spark, case.arrow(), case.parts)), keeps_order=False)


def source_of(spark: Any, n: int) -> Any:
    parts = np.array_split(np.arange(n), 3)
    return tw.source(in_parts(spark, pa.Table.from_pandas(long_table(n), preserve_index=False), parts))


def test_the_executors_grow_the_trees(spark: Any, no_tree_is_grown_from_now_on: Callable[[], None]) -> None:
    frame = long_table(150)
    expected = tw.ExtraTreesClassifier(n_estimators=9).fit(frame.drop(columns="y"), frame["y"])
    no_tree_is_grown_from_now_on()
    found = tw.ExtraTreesClassifier(n_estimators=9).fit(source_of(spark, 150), "y")
    assert found._tw_bytes() == expected._tw_bytes()
    assert not spark.sparkContext._jsc.getPersistentRDDs()


@pytest.mark.thorough
def test_rows_that_do_not_fit_an_executor_are_refused_before_they_are_sent(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew = SparkCrew(spark, lambda job: job())
    assert crew.size == 2
    assert 2**20 < crew.free_memory()[0] < 2**50
    monkeypatch.setattr(SparkCrew, "free_memory", lambda crew: (1000, "elsewhere"))
    with pytest.raises(NotEnoughMemoryError, match=r"elsewhere has 1.0 kB. Give executors more memory outside Java"):
        tw.RandomForestClassifier(n_estimators=2).fit(source_of(spark, 100), "y")


@pytest.mark.thorough
@pytest.mark.parametrize("moment", range(5))
def test_a_python_worker_that_is_killed_changes_no_byte(moment: int, spark: Any) -> None:
    frame = long_table(3000)
    expected = tw.RandomForestClassifier(n_estimators=60).fit(frame.drop(columns="y"), frame["y"])
    source = source_of(spark, 3000)
    with a_python_worker_dies(0.4 * moment):
        found = tw.RandomForestClassifier(n_estimators=60).fit(source, "y")
    assert found._tw_bytes() == expected._tw_bytes()

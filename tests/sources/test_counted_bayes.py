"""Naive Bayes, added up where the rows are: the bytes of the same rows in memory, and no row leaves."""

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
from sources.random_bayes import assert_same_bayes
from thorough import some
from treewright.errors import DataError


@pytest.mark.parametrize("engine", list(ENGINES))
@pytest.mark.parametrize("block", some(range(10), 1))
def test_a_random_model_has_the_bytes_of_the_rows_in_memory(engine: str, block: int, tmp_path: Path) -> None:
    def open_source(table: pa.Table, parts: list[np.ndarray]) -> Any:
        return ENGINES[engine](table, parts, 1, Path(tempfile.mkdtemp(dir=tmp_path)))

    for seed in range(12 * block, 12 * block + 12):
        assert_same_bayes(seed, open_source)


def levels(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"s": rng.choice(list("abc"), n), "t": rng.choice(list("uv"), n)})
    return frame.assign(y=np.where((frame.s == "a") ^ (rng.random(n) < 0.2), "up", "down"))


def source_of(frame: pd.DataFrame, folder: Path) -> Any:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return ENGINES["duckdb"](table, [np.arange(len(frame))], 100, folder)


def test_four_statements_are_enough_and_no_row_leaves(tmp_path: Path) -> None:
    frame = levels()
    source = source_of(frame, tmp_path)
    found = tw.NaiveBayesClassifier().fit(source, "y")
    expected = tw.NaiveBayesClassifier().fit(frame.drop(columns="y"), frame["y"])
    assert found._tw_bytes() == expected._tw_bytes()
    assert len(source.queries) == 4  # how many rows, the first look, the levels, the counts
    assert not any("tw_node" in query for query in source.queries)


@pytest.mark.parametrize(
    ("added", "named"),
    [
        ({"w": np.full(300, 0.1)}, "weights that are no whole numbers"),
        ({"w": np.full(300, 2.0**50)}, "weights that are no whole numbers"),
    ],
)
def test_weights_that_sql_does_not_add_up_exactly_need_all_rows(
    added: dict[str, Any], named: str, tmp_path: Path
) -> None:
    source = source_of(levels().assign(**added), tmp_path)
    with pytest.raises(DataError, match=f"NaiveBayesClassifier with {named}.* needs all rows in one place"):
        tw.NaiveBayesClassifier().fit(source, "y", "w" if "w" in added else None)


def test_densities_over_every_value_need_all_rows(tmp_path: Path) -> None:
    source = source_of(levels().assign(x=np.arange(300.0)), tmp_path)
    with pytest.raises(DataError, match=r"with numeric='kernel' and a column of numbers \('x'\) needs all rows"):
        tw.NaiveBayesClassifier(numeric="kernel").fit(source, "y")


def test_columns_of_numbers_take_two_statements_more(tmp_path: Path) -> None:
    frame = levels().assign(x=np.random.default_rng(5).normal(size=300))
    source = source_of(frame, tmp_path)
    found = tw.NaiveBayesClassifier().fit(source, "y")
    assert found._tw_bytes() == tw.NaiveBayesClassifier().fit(frame.drop(columns="y"), frame["y"])._tw_bytes()
    assert len(source.queries) == 7  # how many rows, the first look, levels, a sample, cells; sums; squares
    assert sum("sum(" in query and "GROUP BY k" in query for query in source.queries) == 2


@pytest.mark.parametrize("engine", ["slow", "parquet"])
@pytest.mark.parametrize("size", [1e-30, 1.0, 1e25])
def test_rows_in_batches_are_added_up_with_any_weights(engine: str, size: float, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    weights = size * rng.random(300) ** 3
    frame = levels().assign(x=rng.normal(size=300), z=rng.choice([1.0, np.nan, 7e9], 300))
    expected = tw.NaiveBayesClassifier().fit(frame.drop(columns="y"), frame["y"], weights)
    table = pa.Table.from_pandas(frame.assign(w=weights), preserve_index=False)
    source = ENGINES[engine](table, np.array_split(rng.permutation(300), 17), 1, tmp_path)
    assert tw.NaiveBayesClassifier().fit(source, "y", "w")._tw_bytes() == expected._tw_bytes()


@pytest.mark.parametrize("engine", list(ENGINES))
def test_infinity_is_refused_by_the_name_of_its_column(engine: str, tmp_path: Path) -> None:
    frame = levels().assign(x=1.0, z=np.where(np.arange(300) == 7, -np.inf, 2.0))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    source = ENGINES[engine](table, [np.arange(300)], 1, tmp_path)
    with pytest.raises(DataError, match="Column 'z' holds infinity"):
        tw.NaiveBayesClassifier().fit(source, "y")


@pytest.mark.parametrize("engine", ["parquet", "duckdb"])
def test_values_are_counted_where_their_number_sets_the_least_deviation(engine: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    frame = levels(2000)
    frame["x"] = np.where(frame["y"] == "up", 3.0, np.round(rng.normal(size=2000), 3))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    source = ENGINES[engine](table, np.array_split(rng.permutation(2000), 3), 1, tmp_path)
    found = tw.NaiveBayesClassifier().fit(source, "y")
    assert found.distinct_[0] == frame["x"].nunique() > 255
    assert found._tw_bytes() == tw.NaiveBayesClassifier().fit(frame.drop(columns="y"), frame["y"])._tw_bytes()

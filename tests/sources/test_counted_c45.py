"""C4.5 that is counted and pruned where the rows are: the bytes of the same rows in memory."""

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
from sources.random_c45 import assert_same_c45
from thorough import SEARCH, some
from treewright.errors import DataError


@pytest.mark.parametrize("engine", list(ENGINES))
@pytest.mark.parametrize("block", some(range(20 * max(SEARCH, 1)), 1))
def test_a_random_tree_of_c45_has_the_bytes_of_the_rows_in_memory(
    engine: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_source(table: pa.Table, parts: list[np.ndarray], fetch_rows: int) -> Any:
        return ENGINES[engine](table, parts, fetch_rows, Path(tempfile.mkdtemp(dir=tmp_path)))

    grown = [assert_same_c45(seed, open_source, monkeypatch) for seed in range(12 * block, 12 * block + 12)]
    assert sum(leaves > 1 for leaves, _ in grown) >= 6
    assert sum(raised for _, raised in grown) >= 1


def long_table(n: int = 600) -> pd.DataFrame:
    """Numbers of few and of many values, levels, and a target that they tell with some noise."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"s": rng.choice(list("abcd"), n), "i": rng.integers(0, 30, n)})
    frame["x"] = np.round(rng.normal(size=n), 2)
    told = (frame["x"] > 0) ^ (frame["s"] == "a") ^ (frame["i"] > 20)
    frame["y"] = np.where(told ^ (rng.random(n) < 0.15), "up", "down")
    return frame


def source_of(frame: pd.DataFrame, folder: Path, engine: str = "duckdb", fetch_rows: int = 100) -> Any:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return ENGINES[engine](table, np.array_split(np.arange(len(frame)), 3), fetch_rows, folder)


def test_a_level_takes_at_most_two_statements_and_small_nodes_one_more(tmp_path: Path) -> None:
    frame = long_table()
    source = source_of(frame, tmp_path)
    found = tw.C45Classifier(prune=False).fit(source, "y")
    assert found._tw_bytes() == tw.C45Classifier(prune=False).fit(frame.drop(columns="y"), frame["y"])._tw_bytes()
    asked = [query for query in source.queries if query.startswith("WITH r AS")]
    assert len([query for query in source.queries if "tw_node" in query]) == 1
    arrays = found.tree_.arrays
    depth = np.asarray(found.tree_.core.depth)
    large = depth[(arrays["n_rows"] > 100) & (arrays["n_children"] > 0)].max() + 1  # levels
    assert len(asked) <= 1 + 2 * large


def test_no_node_is_fetched_that_has_more_rows_than_may_be(tmp_path: Path) -> None:
    frame = long_table()
    source = source_of(frame, tmp_path, "parquet", fetch_rows=40)
    asked: list[int] = []
    original = source.fetch_nodes
    source.fetch_nodes = lambda plan, routing, rows: (asked.extend(rows), original(plan, routing, rows))[1]
    found = tw.C45Classifier().fit(source, "y")
    assert found._tw_bytes() == tw.C45Classifier().fit(frame.drop(columns="y"), frame["y"])._tw_bytes()
    assert asked
    assert max(asked) <= 40


@pytest.mark.parametrize(
    ("change", "settings", "named"),
    [
        ({"s": None}, {}, r"C45Classifier with missing values in a column \('s'\), whose rows go down every branch,"),
        ({"x": np.inf}, {}, r"more than 100,000 different or infinite numbers in a column \('x'\)"),
        ({}, {"column_kinds": {"s": ["a", "b", "c", "d"]}}, r"a column with an order \('s'\)"),
    ],
)
def test_what_counts_of_c45_do_not_tell_needs_all_rows(
    change: dict[str, Any], settings: dict[str, Any], named: str, tmp_path: Path
) -> None:
    frame = long_table()
    for name, value in change.items():
        frame.loc[7, name] = value
    with pytest.raises(DataError, match=f"{named}.* needs all rows in one place, .*fetch_rows=600"):
        tw.C45Classifier(**settings).fit(source_of(frame, tmp_path), "y")


def test_a_column_of_which_hardly_a_number_comes_twice_is_not_asked_for_its_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=20_000), "y": rng.choice(["a", "b"], 20_000)})
    source = source_of(frame, tmp_path)
    with pytest.raises(DataError, match=r"nearly as many different numbers as rows in a column \('x'\) needs all rows"):
        tw.C45Classifier().fit(source, "y")
    assert not any(query.startswith("WITH r AS") for query in source.queries)


def test_holes_are_refused_where_c45_is_to_refuse_them(tmp_path: Path) -> None:
    frame = long_table()
    frame.loc[3, "s"] = None
    with pytest.raises(DataError, match=r"Column 's' has missing values and missing='refuse'.*missing='fractional'"):
        tw.C45Classifier(missing="refuse").fit(source_of(frame, tmp_path), "y")

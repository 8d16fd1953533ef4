"""ID3, CHAID and conditional trees of classes, counted where the rows are: the bytes of the same rows in memory."""

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
from sources.random_trees import assert_same_tree
from thorough import SEARCH, some
from treewright.errors import DataError


@pytest.mark.parametrize("engine", list(ENGINES))
@pytest.mark.parametrize("block", some(range(10 * max(SEARCH, 1)), 1))
def test_a_random_tree_of_tables_has_the_bytes_of_the_rows_in_memory(engine: str, block: int, tmp_path: Path) -> None:
    def open_source(table: pa.Table, parts: list[np.ndarray]) -> Any:
        return ENGINES[engine](table, parts, 1, Path(tempfile.mkdtemp(dir=tmp_path)))

    splits = [assert_same_tree(seed, open_source) for seed in range(30 * block, 30 * block + 30)]
    assert sum(splits) >= 15


def long_table(n: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"s": rng.choice(list("abcd"), n), "t": rng.choice(list("uv"), n), "x": rng.normal(size=n)})
    frame["y"] = np.where((frame.s == "a") ^ (frame.t == "u") ^ (rng.random(n) < 0.2), "up", "down")
    return frame


def source_of(frame: pd.DataFrame, folder: Path, engine: str = "duckdb") -> Any:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return ENGINES[engine](table, np.array_split(np.arange(len(frame)), 3), 100, folder)


def test_a_level_takes_one_statement_and_no_row_leaves(tmp_path: Path) -> None:
    frame = long_table()
    source = source_of(frame, tmp_path)
    found = tw.CHAIDClassifier(max_depth=2, min_samples_split=20, min_samples_leaf=5).fit(source, "y")
    expected = tw.CHAIDClassifier(max_depth=2, min_samples_split=20, min_samples_leaf=5)
    assert found._tw_bytes() == expected.fit(frame.drop(columns="y"), frame["y"])._tw_bytes()
    assert found.get_depth() == 2
    counts = [query for query in source.queries if query.startswith("WITH r AS")]
    assert len(counts) == 3  # the numbers of a column, the root, its branches
    assert not any("tw_node" in query for query in source.queries)


def test_numbers_of_many_values_are_gathered_for_conditional_trees(tmp_path: Path) -> None:
    frame = long_table()
    with pytest.raises(DataError, match=r"more than 255 different or infinite numbers in a column \('x'\) needs all"):
        tw.ConditionalTreeClassifier().fit(source_of(frame, tmp_path), "y")
    fewer = frame.assign(x=frame["x"].round(1))
    found = tw.ConditionalTreeClassifier(alpha=0.5).fit(source_of(fewer, tmp_path), "y")
    expected = tw.ConditionalTreeClassifier(alpha=0.5).fit(fewer.drop(columns="y"), fewer["y"])
    assert found._tw_bytes() == expected._tw_bytes()
    assert found.get_n_leaves() > 1


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (tw.CHAIDClassifier(weights="sampling"), 'weights="sampling"'),
        (tw.ConditionalTreeClassifier(test="monte_carlo"), 'test="monte_carlo"'),
        (tw.ConditionalTreeClassifier(missing="surrogates"), 'missing="surrogates"'),
        (tw.ConditionalTreeClassifier(column_kinds={"s": ["a", "b", "c", "d"]}), r"a column with an order \('s'\)"),
        (tw.ID3Classifier(), r"a column of numbers \('x'\)"),
        (tw.CHAIDRegressor(), "CHAIDRegressor"),
        (tw.ObliqueTreeClassifier(), "ObliqueTreeClassifier"),
    ],
)
def test_what_counts_do_not_tell_needs_all_rows(model: Any, named: str, tmp_path: Path) -> None:
    frame = long_table()
    frame = frame.assign(y=np.arange(400) % 7) if isinstance(model, tw.CHAIDRegressor) else frame
    with pytest.raises(DataError, match=f"{named}.* needs all rows in one place, .*fetch_rows=400"):
        model.fit(source_of(frame, tmp_path), "y")


@pytest.mark.parametrize("engine", ["parquet", "duckdb"])
def test_holes_are_refused_where_the_learner_refuses_them(engine: str, tmp_path: Path) -> None:
    frame = long_table().drop(columns="x")
    frame.loc[3, "s"] = None
    with pytest.raises(DataError, match=r"Column 's' has missing values and missing='refuse'.*missing='branch'"):
        tw.ID3Classifier().fit(source_of(frame, tmp_path, engine), "y")

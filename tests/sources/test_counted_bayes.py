"""Naive Bayes of levels, counted where the rows are: the bytes of the same rows in memory, and no row leaves."""

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
        ({"x": np.arange(300.0)}, r"a column of numbers \('x'\)"),
        ({"w": np.full(300, 0.1)}, "weights that are no whole numbers"),
        ({"w": np.full(300, 2.0**50)}, "weights that are no whole numbers"),
    ],
)
def test_what_counts_do_not_tell_needs_all_rows(added: dict[str, Any], named: str, tmp_path: Path) -> None:
    source = source_of(levels().assign(**added), tmp_path)
    with pytest.raises(DataError, match=f"NaiveBayesClassifier with {named}.* needs all rows in one place"):
        tw.NaiveBayesClassifier().fit(source, "y", "w" if "w" in added else None)

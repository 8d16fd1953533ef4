"""Of the children of a node the largest is not counted: it has what its sisters leave of their parent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from oracle.slow_source import SlowSource
from treewright.sources import sisters
from treewright.sources.sisters import MOST_BYTES, Family, Sisters


def table_of(n: int = 500) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"x": rng.normal(size=n), "z": np.round(rng.normal(size=n), 1), "s": rng.choice(list("abc"), n)}
    )
    frame["x"] = frame["x"].mask(rng.random(n) < 0.1)
    return frame.assign(y=np.where(frame["x"].fillna(0) * frame["z"] + rng.normal(size=n) > 0, "p", "q"))


def counted_rows(source: Any) -> list[int]:
    """How many rows have their columns counted, question by question, from now on."""
    count, rows = source.count, []

    def counting(*asked: Any) -> Any:
        found = count(*asked)
        rows.append(sum(int(tables[0][0][:, 0].sum()) for tables in found.tables.values()))
        return found

    source.count = counting
    return rows


@pytest.mark.parametrize("kept", [MOST_BYTES, 60_000, 0])
@pytest.mark.parametrize("missing", ["learn", "larger", "branch"])
def test_tables_of_parents_that_are_not_kept_change_no_byte(
    kept: int, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sisters, "MOST_BYTES", kept)
    frame = table_of()
    source = SlowSource(pa.Table.from_pandas(frame, preserve_index=False), fetch_rows=2)
    rows = counted_rows(source)
    model = tw.DecisionTreeClassifier(max_depth=5, missing=missing)
    found = model.fit(source, "y")._tw_bytes()
    assert found == model.fit(frame.drop(columns="y"), frame["y"])._tw_bytes()
    assert rows[0] == len(frame)
    if kept == MOST_BYTES and missing != "branch":
        assert max(rows[1:]) <= len(frame) / 2
    if kept == 0:
        assert max(rows[1:]) > len(frame) / 2


def test_a_level_of_a_tree_of_tables_counts_all_but_the_largest_branches() -> None:
    frame = table_of()[["s", "y"]].assign(t=lambda rows: np.roll(rows["s"], 1))
    source = SlowSource(pa.Table.from_pandas(frame, preserve_index=False), fetch_rows=2)
    rows = counted_rows(source)
    found = tw.ID3Classifier().fit(source, "y")._tw_bytes()
    assert found == tw.ID3Classifier().fit(frame.drop(columns="y"), frame["y"])._tw_bytes()
    column = tw.ID3Classifier().fit(frame.drop(columns="y"), frame["y"]).tree_.node(0).test.column
    assert rows[:2] == [500, 500 - frame[column].value_counts().max()]


def test_a_branch_is_no_remainder_where_rows_stay_at_their_parent() -> None:
    own = Sisters()
    own.keep({7: [np.array([[2, 2, 1], [9, 9, 4]])]})
    assert own.to_count([Family(7, [0, 1], [5, 4])], {0, 1}) == [0, 1]  # two of the eleven rows stayed
    assert own.to_count([Family(7, [0, 1], [7, 4])], {0, 1}) == [1]
    assert own.to_count([Family(7, [0, 1], [7, 4])], {1}) == [1]  # the other would cost more
    assert own.to_count([Family(8, [2, 3], [7, 4])], {2, 3}) == [2, 3]  # never kept

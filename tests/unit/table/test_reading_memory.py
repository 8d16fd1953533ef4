"""A file that has no room in memory is refused in a sentence before it is read; so is a want of memory on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import machine
from treewright.errors import NotEnoughMemoryError
from treewright.table.reading import read as reading

FRAME = pd.DataFrame({"n": np.arange(150_000) / 7, "text": [f"some text {k}" for k in range(150_000)]})
FORMS = ("csv", "jsonl", "parquet", "feather", "dta", "arff")
FREE = 5e6


def written(form: str, path: Path) -> Path:
    """The table as a file of that form."""
    if form == "csv":
        FRAME.to_csv(path, index=False)
    elif form == "jsonl":
        FRAME.to_json(path, orient="records", lines=True)
    elif form == "arff":
        rows = "\n".join(f"{n},'{text}'" for n, text in zip(FRAME["n"], FRAME["text"], strict=True))
        path.write_text(f"@relation r\n@attribute n numeric\n@attribute text string\n@data\n{rows}\n")
    else:
        getattr(FRAME, {"dta": "to_stata"}.get(form, f"to_{form}"))(path)
    return path


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_has_no_room_is_refused_before_it_is_read(form: str, tmp_path: Path, monkeypatch: Any) -> None:
    path = written(form, tmp_path / f"table.{form}")
    monkeypatch.setattr(machine, "free_memory", lambda: FREE)
    size = "150,000 rows × 1 columns of text" if form == "parquet" else f"{path.stat().st_size:,} bytes"
    sentence = (
        rf"To read .*table\.{form} would take about .* MB of memory \({size}\), and 5\.0 MB are free\. Read fewer"
    )
    with pytest.raises(NotEnoughMemoryError, match=sentence):
        tw.read(path)


def test_the_sheet_of_a_workbook_counts_as_it_is_unpacked(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "table.xlsx"
    pd.DataFrame(np.zeros((4000, 10))).to_excel(path, index=False)
    monkeypatch.setattr(machine, "free_memory", lambda: FREE)
    assert path.stat().st_size < FREE / 20
    monkeypatch.setattr("treewright.memory._NEVER_REFUSED", 0)
    monkeypatch.setattr(machine, "free_memory", lambda: 2e6)
    with pytest.raises(NotEnoughMemoryError, match=r"To read .*table\.xlsx would take about"):
        tw.read(path)


def test_a_small_file_of_very_many_rows_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "zeros.parquet"
    duckdb.sql("SELECT 0 AS a, 'x' AS b FROM range(3000000)").write_parquet(str(path))
    assert path.stat().st_size < 100_000
    monkeypatch.setattr(machine, "free_memory", lambda: 300e6)
    with pytest.raises(NotEnoughMemoryError, match="3,000,000 rows × 1 columns of text"):
        tw.read(path)


@pytest.mark.parametrize("form", FORMS)
def test_memory_that_runs_out_on_the_way_is_told_in_a_sentence(form: str, tmp_path: Path, monkeypatch: Any) -> None:
    def ran_out(*_: Any, **__: Any) -> None:
        raise MemoryError

    path = written(form, tmp_path / f"table.{form}")
    monkeypatch.setattr(reading, "_read_file", ran_out)
    with pytest.raises(NotEnoughMemoryError, match=rf"Reading .*table\.{form} ran out of memory: .* are free\."):
        tw.read(path)


@pytest.mark.parametrize(("form", "reader"), [("feather", "pandas.read_feather"), ("xlsx", "openpyxl.load_workbook")])
def test_a_want_of_memory_is_not_taken_for_a_damaged_file(
    form: str, reader: str, tmp_path: Path, monkeypatch: Any
) -> None:
    def ran_out(*_: Any, **__: Any) -> None:
        raise MemoryError

    path = tmp_path / f"t.{form}"
    FRAME[:5].to_feather(path) if form == "feather" else FRAME[:5].to_excel(path)
    monkeypatch.setattr(reader, ran_out)
    with pytest.raises(NotEnoughMemoryError, match=r"Reading .* ran out of memory"):
        tw.read(path)


def test_importance_by_permutation_is_refused_where_its_table_has_no_room(monkeypatch: Any) -> None:
    X = np.arange(300_000.0).reshape(-1, 3)
    y = X[:, 0] > 5000
    model = tw.DecisionTreeClassifier(max_depth=1).fit(X[:10_000:7], y[:10_000:7])
    with pytest.raises(NotEnoughMemoryError, match=r"columns × 1,000,000,000,000 repeats\).*fewer repeats"):
        tw.importance(model, X[:30], y[:30], n_repeats=10**12)
    monkeypatch.setattr(machine, "free_memory", lambda: FREE)
    with pytest.raises(NotEnoughMemoryError, match=r"\(100,000 rows × 3 columns\).*Take a part of the rows"):
        tw.importance(model, X, y)

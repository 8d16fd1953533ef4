"""Boosting from a source: the bytes of the same rows in memory, and nothing left behind when it fails."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from sources.engines import ENGINES
from sources.random_boosting import BoostingCase, boosting_case
from thorough import SEARCH, some
from treewright.errors import DataError
from treewright.sources import gathered_rows


def outcome(fit: Callable[[], Any]) -> bytes | str:
    """The bytes of a model, or the sentence by which it is refused."""
    try:
        return bytes(fit()._tw_bytes())
    except DataError as error:
        return str(error)


def same_bytes(case: BoostingCase, folder: Path, engine: str = "parquet") -> bool:
    source = ENGINES[engine](case.arrow(), case.parts, 10, folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.table.column_remarks.ColumnWarning)
        expected = outcome(case.in_memory)
    return outcome(lambda: case.model().fit(source, "y", case.weight)) == expected


@pytest.mark.parametrize("place", ["memory", "file"])
@pytest.mark.parametrize("block", some(range(20 * max(SEARCH, 1)), 2))
def test_a_random_booster_has_the_bytes_of_the_rows_in_memory(
    place: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathered_rows, "_IN_MEMORY", 0.25 if place == "memory" else 0.0)
    for seed in range(18 * block, 18 * block + 18):
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert same_bytes(boosting_case(seed), folder), seed


def long_table(n: int = 40_000) -> pd.DataFrame:
    """More rows than are cut into runs by sorting, in a column of each kind of key."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"double": rng.normal(size=n), "single": rng.normal(size=n).astype(np.float32)})
    frame["whole"] = rng.integers(0, 10**9, n)
    frame["levels"] = [f"level {i}" for i in rng.integers(0, 400, n)]
    frame["y"] = np.round(frame.double * frame.single + frame.whole / 1e9 + rng.normal(size=n), 3)
    return frame


@pytest.mark.parametrize("settings", [{}, {"early_stopping": True}, {"subsample": 0.5, "loss": "absolute_error"}])
def test_a_long_table_has_the_same_model_in_any_order_and_in_any_parts(
    settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathered_rows, "_IN_MEMORY", 0.0)
    frame = long_table()
    model = tw.GradientBoostingRegressor(n_estimators=4, **settings)
    expected = model.fit(frame.drop(columns="y"), frame.y)._tw_bytes()
    shuffled = frame.sample(frac=1, random_state=1)
    assert model.fit(shuffled.drop(columns="y"), shuffled.y)._tw_bytes() == expected
    for i in range(17):
        shuffled[i::17].to_parquet(tmp_path / f"{i}.parquet", index=False)
    assert model.fit(tw.source(tmp_path), "y")._tw_bytes() == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"monotonic_cst": {"double": 1, "whole": -1}},
        {"interaction_cst": [["double", "single"], ["whole"]]},
        {"categorical_features": ["grade"]},
        {"column_kinds": {"grade": "nominal"}},
        {"column_kinds": {"levels": [f"level {i}" for i in range(399, -1, -1)]}},
        {"preset": "lightgbm", "early_stopping": True, "validation_fraction": None},
        {"n_estimators": "auto", "learning_rate": 0.5},
    ],
)
def test_columns_named_in_parameters_are_those_of_the_source(settings: dict[str, Any], tmp_path: Path) -> None:
    frame = long_table(600)
    frame.insert(0, "grade", np.arange(600) % 5)
    for i in range(3):
        frame[i::3].to_parquet(tmp_path / f"{i}.parquet", index=False)
    model = tw.GradientBoostingRegressor(**{"n_estimators": 4, **settings})
    expected = model.fit(frame.drop(columns="y"), frame.y)._tw_bytes()
    assert model.fit(tw.source(tmp_path), "y")._tw_bytes() == expected


def test_a_column_of_whole_numbers_is_kept_in_few_bytes(tmp_path: Path) -> None:
    """Their types are chosen by what the numbers are."""
    types: list[str] = []
    store = gathered_rows.column_store

    def spied(found: Any, n_rows: int) -> Any:
        types.extend(kind.name for kind in found)
        return store(found, n_rows)

    frame = pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 300], "c": [1, 2, 70_000], "d": [1, 2, 2**40], "e": [0.5, 1, 2]})
    frame["f"], frame["g"] = pd.array([1, None, 300], "Int64"), ["x", "y", "x"]
    frame["h"] = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-05"])
    frame["y"] = [1.0, 2.0, 3.0]
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gathered_rows, "column_store", spied)
        tw.GradientBoostingRegressor(n_estimators=1).fit(tw.source(tmp_path), "y")
    assert types == ["int8", "int16", "int32", "float64", "float64", "float32", "uint8", "int16"]


def test_answers_and_measures_of_a_source_are_those_of_its_rows(tmp_path: Path) -> None:
    frame = long_table(500)
    frame.to_parquet(tmp_path / "rows.parquet")
    X, source = frame.drop(columns="y"), tw.source(tmp_path / "rows.parquet")
    model = tw.GradientBoostingRegressor(n_estimators=5).fit(source, "y")
    assert str(tw.evaluate(model, source, "y")) == str(tw.evaluate(model, X, frame["y"]))
    assert tw.write_predictions(model, source, tmp_path / "answers.parquet") == 500
    assert (pd.read_parquet(tmp_path / "answers.parquet").prediction == model.predict(X)).all()


# ---------------------------------------------------------------- what goes wrong


@pytest.fixture
def rows(tmp_path: Path) -> Any:
    frame = long_table(3000)
    for i in range(3):
        frame[1000 * i : 1000 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet")
    return tw.source(tmp_path)


@pytest.fixture
def scratch(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that scratch files are made in, whatever their size."""
    folder = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(gathered_rows, "_IN_MEMORY", 0.0)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def at_the_second_pass(rows: Any, happens: Callable[[], object]) -> None:
    each_table = rows.each_table

    def spied(*asked: Any) -> Any:
        happens()
        return each_table(*asked)

    rows.each_table = spied


def test_nothing_is_left_after_a_fit(rows: Any, scratch: Path) -> None:
    tw.GradientBoostingRegressor(n_estimators=2).fit(rows, "y")
    assert list(scratch.iterdir()) == []


def test_a_full_disk_is_a_sentence(rows: Any, scratch: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(DataError, match=r"scratch file of .* GB .* cannot be written: File too large.* set TMPDIR"):
            tw.GradientBoostingRegressor(n_estimators=2).fit(rows, "y")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert list(scratch.iterdir()) == []


def test_a_scratch_folder_that_is_not_there_is_a_sentence(rows: Any, scratch: Path) -> None:
    scratch.rmdir()
    with pytest.raises(DataError, match=r"scratch.*: a scratch file of .* cannot be written: No such file"):
        tw.GradientBoostingRegressor(n_estimators=2).fit(rows, "y")


def test_a_part_that_vanishes_is_named(rows: Any, scratch: Path, tmp_path: Path) -> None:
    at_the_second_pass(rows, (tmp_path / "1.parquet").unlink)
    with pytest.raises(DataError, match=r"1\.parquet: this file cannot be read: .* Put it back"):
        tw.GradientBoostingRegressor(n_estimators=2).fit(rows, "y")
    assert list(scratch.iterdir()) == []


def test_rows_that_change_in_number_are_refused(rows: Any) -> None:
    each_table = rows.each_table
    for change in (lambda found: found[1:], lambda found: [*found, found[0]]):
        rows.each_table = lambda *asked, change=change: iter(change(list(each_table(*asked))))
        with pytest.raises(DataError, match="has other rows than when it was looked at first"):
            tw.GradientBoostingRegressor(n_estimators=2).fit(rows, "y")


def test_an_interrupt_leaves_the_model_as_it_was_and_no_file(rows: Any, scratch: Path) -> None:
    model = tw.GradientBoostingRegressor(n_estimators=2).fit(rows, "y")
    before = model._tw_bytes()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    model.set_params(n_estimators=100_000)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(rows, "y")
    finally:
        timer.join()
        signal.signal(signal.SIGINT, handler)
    assert model.set_params(n_estimators=2)._tw_bytes() == before
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"scoring": "r2", "early_stopping": True}, "has no scoring"),
        ({"keep_scores": True}, "has no keep_scores"),
        ({"missing": "refuse"}, "Column 'double' has missing values and missing='refuse'"),
    ],
)
def test_what_a_source_cannot_do_is_refused_by_name(settings: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    frame = long_table(100)
    frame.loc[3, "double"] = np.nan
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(DataError, match=sentence):
        tw.GradientBoostingRegressor(n_estimators=2, **settings).fit(tw.source(tmp_path), "y")


def test_going_on_from_trees_and_other_judges_are_refused(rows: Any) -> None:
    model = tw.GradientBoostingRegressor(n_estimators=2, warm_start=True).fit(rows, "y")
    with pytest.raises(DataError, match="has no warm_start"):
        model.set_params(n_estimators=3).fit(rows, "y")
    with pytest.raises(DataError, match="With a source say early_stopping=True"):
        tw.GradientBoostingRegressor(early_stopping=True).fit(rows, "y", X_val=[[1]], y_val=[1])


def test_the_rows_of_a_database_are_gathered_as_many_as_may_be_fetched(tmp_path: Path) -> None:
    frame = long_table(50)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    source = ENGINES["duckdb"](table, [np.arange(50)], 10, tmp_path)
    with pytest.raises(DataError, match="GradientBoostingRegressor needs all rows in one place"):
        tw.GradientBoostingRegressor().fit(source, "y")
    enough = ENGINES["duckdb"](table, [np.arange(50)], 50, tmp_path)
    model = tw.GradientBoostingRegressor(n_estimators=5).fit(enough, "y")
    expected = tw.GradientBoostingRegressor(n_estimators=5).fit(frame.drop(columns="y"), frame["y"])
    assert model._tw_bytes() == expected._tw_bytes()

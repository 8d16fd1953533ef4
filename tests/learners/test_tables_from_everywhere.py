"""One table through every door: pandas, polars, pyarrow, duckdb, numpy, lists. The model is the same, byte for byte."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw
from treewright.errors import DataError

N = 240
rng = np.random.default_rng(5)


def with_holes(values: list[Any], every: int) -> list[Any]:
    return [None if i % every == 3 else value for i, value in enumerate(values)]


MIDNIGHT = dt.datetime(2024, 1, 1)
CELLS: dict[str, list[Any]] = {
    "day": with_holes([dt.date(2024, 1, 1) + dt.timedelta(int(k)) for k in rng.integers(0, 400, N)], 17),
    "moment": with_holes([MIDNIGHT + dt.timedelta(seconds=int(k)) for k in rng.integers(1, 10**7, N)], 19),
    "clock": with_holes([(MIDNIGHT + dt.timedelta(seconds=int(k))).time() for k in rng.integers(0, 86400, N)], 23),
    "wait": with_holes([dt.timedelta(seconds=int(k)) for k in rng.integers(0, 86400, N)], 29),
    "job": with_holes([["cook", "smith", "clerk", "Ärztin"][k] for k in rng.integers(0, 4, N)], 13),
    "share": with_holes([float(k) for k in rng.normal(size=N)], 11),
    "count": with_holes([int(k) for k in rng.integers(0, 50, N)], 7),
    "price": with_holes([Decimal(int(k)) / 4 for k in rng.integers(0, 400, N)], 31),
    "flag": with_holes([bool(k) for k in rng.integers(0, 2, N)], 5),
    "nothing": [None] * N,
}
JOBS = ["unused", "smith", "cook", "Ärztin", "clerk"]
Y = [
    "yes" if (job == "cook") ^ ((count or 0) > 25) ^ (flag is True) ^ (day is not None and day.month > 6) else "no"
    for job, count, flag, day in zip(CELLS["job"], CELLS["count"], CELLS["flag"], CELLS["day"], strict=True)
]
ROWS = [list(row) for row in zip(*CELLS.values(), strict=True)]


def polars_with_jobs(dtype: Any) -> pl.DataFrame:
    return pl.DataFrame(CELLS).with_columns(pl.col("job").cast(dtype))


DOORS: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(CELLS),
    "pandas objects": lambda: pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in CELLS.items()}),
    "pandas nullable": lambda: pd.DataFrame(CELLS).convert_dtypes(),
    "pandas arrow": lambda: pa.table(CELLS).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas categorical": lambda: pd.DataFrame({**CELLS, "job": pd.Categorical(CELLS["job"], categories=JOBS)}),
    "pandas sliced": lambda: pd.concat([pd.DataFrame(CELLS), pd.DataFrame(CELLS)]).iloc[N:].set_index(np.arange(N) * 3),
    "polars": lambda: pl.DataFrame(CELLS),
    "polars lazy": lambda: pl.LazyFrame(CELLS),
    "polars categorical": lambda: polars_with_jobs(pl.Categorical),
    "polars enum": lambda: polars_with_jobs(pl.Enum(JOBS)),
    "polars chunks": lambda: pl.concat([pl.DataFrame(CELLS)[:50], pl.DataFrame(CELLS)[50:]], rechunk=False),
    "arrow": lambda: pa.table(CELLS),
    "arrow dictionary": lambda: pa.table({**CELLS, "job": pa.array(CELLS["job"]).dictionary_encode()}),
    "arrow chunks": lambda: pa.concat_tables([pa.table(CELLS).slice(0, 50), pa.table(CELLS).slice(50)]),
    "duckdb": lambda: duckdb.from_arrow(pa.table(CELLS)),
}


@pytest.fixture(scope="module")
def model() -> tw.DecisionTreeClassifier:
    return tw.DecisionTreeClassifier(max_depth=8).fit(pd.DataFrame(CELLS), Y)


@pytest.mark.parametrize("door", DOORS)
def test_every_door_gives_the_same_model_and_the_same_answers(door: str, model: tw.DecisionTreeClassifier) -> None:
    table = DOORS[door]()
    assert tw.DecisionTreeClassifier(max_depth=8).fit(table, Y).fingerprint() == model.fingerprint()
    assert model.predict(table).tolist() == model.predict(pd.DataFrame(CELLS)).tolist()


@pytest.mark.parametrize("rows", [ROWS, np.array(ROWS, dtype=object)], ids=["lists", "objects"])
def test_rows_without_names_give_the_same_tree(rows: Any, model: tw.DecisionTreeClassifier) -> None:
    nameless = tw.DecisionTreeClassifier(max_depth=8).fit(rows, Y)
    assert {name: array.tobytes() for name, array in nameless.tree_.arrays.items()} == {
        name: array.tobytes() for name, array in model.tree_.arrays.items()
    }
    assert nameless.predict(rows).tolist() == model.predict(pd.DataFrame(CELLS)).tolist()


def test_the_faces_of_the_columns_are_known(model: tw.DecisionTreeClassifier) -> None:
    value_types = {column.name: column.value_type for column in model.tree_.schema.columns}
    times = {"day": "date", "moment": "datetime", "clock": "time", "wait": "duration"}
    numbers = dict.fromkeys(["share", "count", "price", "nothing"], "number")
    assert value_types == {**times, **numbers, "job": "text", "flag": "boolean"}


def test_one_row_is_answered_as_in_a_table(model: tw.DecisionTreeClassifier) -> None:
    answers = model.predict(pd.DataFrame(CELLS)).tolist()
    assert [model.predict_one(row) for row in ROWS[:40]] == answers[:40]
    assert [model.predict_one(dict(zip(CELLS, row, strict=True))) for row in ROWS[:40]] == answers[:40]


@pytest.mark.parametrize("kind", ["str", "category", "object"])
def test_targets_of_any_kind_give_the_same_classes(kind: str, model: tw.DecisionTreeClassifier) -> None:
    X = pd.DataFrame(CELLS)
    for y in (pd.Series(Y, dtype=kind), pl.Series(Y), pa.chunked_array([Y[:9], Y[9:]]), np.array(Y), tuple(Y)):
        assert tw.DecisionTreeClassifier(max_depth=8).fit(X, y).fingerprint() == model.fingerprint()


@pytest.mark.parametrize(
    "y",
    [
        pd.Series([1, 2, 1, 2], dtype="Int64"),
        pd.Series([1, 2, 1, 2], dtype="int64[pyarrow]"),
        pl.Series([1, 2, 1, 2]),
        pa.chunked_array([[1, 2, 1, 2]]),
        [1, 2, 1, 2],
    ],
    ids=["nullable", "arrow-backed", "polars", "arrow", "list"],
)
def test_whole_numbers_are_classes_and_values_alike(y: Any) -> None:
    X = [[1], [2], [3], [4]]
    assert tw.DecisionTreeClassifier().fit(X, y).predict(X).tolist() == [1, 2, 1, 2]
    assert tw.DecisionTreeRegressor().fit(X, y).predict(X).tolist() == [1.0, 2.0, 1.0, 2.0]


@pytest.mark.parametrize("y", [pd.Series([True, None, False], dtype="boolean"), pl.Series([True, None, False])])
def test_a_hole_in_the_target_is_refused_with_its_row(y: Any) -> None:
    with pytest.raises(DataError, match="row 2 has no target value"):
        tw.DecisionTreeClassifier().fit([[1], [2], [3]], y)


def test_the_name_of_the_target_is_kept() -> None:
    assert tw.DecisionTreeClassifier().fit([[1], [2]], pd.Series([0, 1], name="risk")).tree_.schema.target == "risk"
    assert tw.DecisionTreeClassifier().fit([[1], [2]], pl.Series("risk", [0, 1])).tree_.schema.target == "risk"


def test_ordered_categories_are_cut_in_their_order() -> None:
    sizes = ["small", "medium", "large", "huge"]
    values = sizes * 5
    y = [size in ("large", "huge") for size in values]
    ordered = pd.Categorical(values, categories=sizes, ordered=True)
    arrow = pa.DictionaryArray.from_arrays(pa.array(ordered.codes), pa.array(sizes), ordered=True)
    model = tw.DecisionTreeClassifier().fit(pd.DataFrame({"size": ordered}), y)
    assert model.tree_.schema.columns[0].kind == "ordinal"
    assert model.tree_.schema.columns[0].levels == tuple(sizes)
    assert model.tree_.n_leaves == 2
    assert tw.DecisionTreeClassifier().fit(pa.table({"size": arrow}), y).fingerprint() == model.fingerprint()
    as_text = pd.DataFrame({"size": values})
    wished = tw.DecisionTreeClassifier(column_kinds={"size": "ordinal"})
    assert wished.fit(as_text, y).fingerprint() == wished.fit(pd.DataFrame({"size": ordered}), y).fingerprint()
    backwards = tw.DecisionTreeClassifier(column_kinds={"size": sizes[::-1]})
    assert backwards.fit(as_text, y).tree_.schema.columns[0].levels == tuple(sizes[::-1])
    assert model.predict(as_text).tolist() == y


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York", "+05:30"])
def test_a_time_zone_moves_nothing_but_the_clock(zone: str) -> None:
    moments = pd.Series(pd.date_range("2024-01-01 07:31", periods=40, freq="7h", tz="UTC"))
    y = np.arange(40) > 23
    model = tw.DecisionTreeClassifier().fit(pd.DataFrame({"t": moments}), y)
    plain = tw.DecisionTreeClassifier().fit(pd.DataFrame({"t": moments.dt.tz_localize(None)}), y)
    assert plain.tree_.node(0).test == model.tree_.node(0).test  # a clock that shows UTC
    zoned = pd.DataFrame({"t": moments.dt.tz_convert(zone)})
    arrow = pa.Table.from_pandas(zoned)
    for table in (zoned, arrow, arrow.to_pandas(types_mapper=pd.ArrowDtype), zoned.astype(object)):
        assert tw.DecisionTreeClassifier().fit(table, y).fingerprint() == model.fingerprint()
        assert model.predict(table).tolist() == y.tolist()


def test_polars_moments_have_zones_too() -> None:
    moments = pl.Series("t", [MIDNIGHT + dt.timedelta(hours=7 * i, minutes=31) for i in range(40)])
    y = np.arange(40) > 23
    model = tw.DecisionTreeClassifier().fit(pl.DataFrame(moments.dt.replace_time_zone("UTC")), y)
    tokyo = pl.DataFrame(moments.dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"))
    assert tw.DecisionTreeClassifier().fit(tokyo, y).fingerprint() == model.fingerprint()


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_the_resolution_of_dates_does_not_matter(unit: str) -> None:
    moments = pd.Series(pd.date_range("2024-01-01 07:31", periods=40, freq="7h"))
    y = np.arange(40) > 23
    model = tw.DecisionTreeClassifier().fit(pd.DataFrame({"t": moments}), y)
    assert model.predict(pd.DataFrame({"t": moments.astype(f"datetime64[{unit}]")})).tolist() == y.tolist()


def test_dates_may_be_given_as_text_in_the_written_form() -> None:
    days = pd.Series(pd.date_range("2024-01-01", periods=40))
    model = tw.DecisionTreeClassifier().fit(pd.DataFrame({"day": days}), np.arange(40) > 23)
    assert model.predict(pd.DataFrame({"day": ["2024-01-02", "2024-03-01", None]})).tolist()[:2] == [False, True]
    with pytest.raises(
        DataError, match=r"'day' holds dates in the model, but row 2 holds 'soon'. Write dates as 2024-12-31"
    ):
        model.predict(pd.DataFrame({"day": ["2024-01-02", "soon"]}))
    with pytest.raises(DataError, match=r"row 1 holds 17"):
        model.predict(pd.DataFrame({"day": [17, 18]}))


@pytest.fixture(scope="module")
def simple() -> tw.DecisionTreeClassifier:
    frame = pd.DataFrame(
        {"x": [1.0, 2, 3, 4, 5, 6], "level": ["a", "b", "a", "b", "c", "c"], "code": [1, 2, 1, 2, 3, 3]}
    )
    wishes = {"code": "nominal"}
    return tw.DecisionTreeClassifier(column_kinds=wishes).fit(frame, ["p", "q", "p", "q", "r", "r"])


def test_a_level_never_seen_goes_where_a_missing_one_goes(simple: tw.DecisionTreeClassifier) -> None:
    def frame(level: Any) -> pd.DataFrame:
        return pd.DataFrame({"x": [9.0], "level": pd.Series([level], dtype="str"), "code": [9]})

    assert simple.predict(frame("zebra")).tolist() == simple.predict(frame(None)).tolist()
    assert simple.apply(frame("zebra")).tolist() == simple.apply(frame(None)).tolist()


def test_the_order_of_categories_in_new_rows_does_not_matter(simple: tw.DecisionTreeClassifier) -> None:
    values = ["c", "a", "b", "zebra"]
    plain = pd.DataFrame({"x": 1.0, "level": values, "code": [3, 1, 2, 9]})
    for categories in (["zebra", "b", "a", "c"], ["a", "b", "c", "d", "zebra"]):
        frame = plain.assign(level=pd.Categorical(values, categories=categories))
        assert simple.apply(frame).tolist() == simple.apply(plain).tolist()


def test_numbers_and_their_text_are_the_same_level(simple: tw.DecisionTreeClassifier) -> None:
    plain = pd.DataFrame({"x": 1.0, "level": ["a", "b", "c"], "code": [1, 2, 3]})
    for codes in (["1", "2", "3"], [1.0, 2.0, 3.0], pd.Categorical([1, 2, 3]), np.array([1, 2, 3], dtype=object)):
        assert simple.apply(plain.assign(code=codes)).tolist() == simple.apply(plain).tolist()
    text = tw.DecisionTreeClassifier().fit(pd.DataFrame({"zip": ["10", "20", "30.5"]}), ["p", "q", "r"])
    assert text.predict(pd.DataFrame({"zip": [10, 20, 30.5]})).tolist() == ["p", "q", "r"]
    assert [text.predict_one([value]) for value in (10, 20.0, 30.5, "10")] == ["p", "q", "r", "p"]


def test_text_for_a_numeric_column_is_refused_with_the_row(simple: tw.DecisionTreeClassifier) -> None:
    frame = pd.DataFrame({"x": ["1", "2.5", "much"], "level": "a", "code": 1})
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        with pytest.raises(DataError, match=r"Column 'x' is numeric, but row 3 holds 'much'. Make it a number"):
            simple.predict(table)
    assert len(simple.predict(frame.iloc[:2])) == 2


def test_dates_for_a_numeric_column_are_refused(simple: tw.DecisionTreeClassifier) -> None:
    frame = pd.DataFrame({"x": pd.to_datetime(["2024-01-01"]), "level": "a", "code": 1})
    with pytest.raises(DataError, match=r"Column 'x' is numeric in the model, but holds values of type Datetime"):
        simple.predict(frame)


def test_a_column_that_lost_its_type_is_missing(simple: tw.DecisionTreeClassifier) -> None:
    for nothing in (pd.Series([None, None], dtype=object), pd.Series([np.nan, np.nan])):
        frame = pd.DataFrame({"x": nothing, "level": nothing, "code": nothing})
        assert len(set(simple.apply(frame).tolist())) == 1
    assert len(simple.apply(pl.DataFrame({"x": [None], "level": [None], "code": [None]}))) == 1


def test_objects_that_mix_text_and_numbers_are_levels() -> None:
    frame = pd.DataFrame({"code": pd.Series(["a", 1, 2.5, None, "1", "a"], dtype=object)})
    model = tw.DecisionTreeClassifier().fit(frame, list("pqrstp"))
    assert model.tree_.schema.columns[0].levels == (1, 2.5, "1", "a")
    assert model.predict(frame).tolist() == list("pqrstp")


def test_other_columns_than_in_training_are_refused(simple: tw.DecisionTreeClassifier) -> None:
    with pytest.raises(ValueError, match="Feature names"):
        simple.predict(pl.DataFrame({"x": [1.0], "label": ["a"], "code": [1]}))
    with pytest.raises(ValueError, match="2 features, but DecisionTreeClassifier is expecting 3"):
        tw.DecisionTreeClassifier().fit(np.zeros((2, 3)), [0, 1]).predict(np.zeros((2, 2)))

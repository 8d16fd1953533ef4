"""Rows that stay on a PostgreSQL server: the same bytes as in memory, by statements that only select."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psycopg
import pyarrow as pa
import pytest

import treewright as tw
from postgres.tables import put, source
from sources.random_bayes import assert_same_bayes
from sources.random_c45 import assert_same_c45
from sources.random_learners import assert_same_outcome
from sources.random_tables import random_case
from sources.random_trees import assert_same_tree
from thorough import SEARCH, some
from treewright.errors import DataError
from treewright.sources import sql_profile

CELLS = (3, 8, 64)  # few cells, so that stretches of values have to be opened


@pytest.fixture
def connection(postgres: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(postgres) as opened:
        yield opened


@pytest.mark.parametrize("block", some(range(20 * max(SEARCH, 1)), 2))
def test_a_random_tree_has_the_bytes_of_the_rows_in_memory(
    block: int, connection: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(20 * block, 20 * block + 20):
        case = random_case(seed)
        monkeypatch.setattr(sql_profile, "CELLS", CELLS[seed % 3])
        found = case.model().fit(source(connection, case.arrow(), case.fetch_rows), "y", case.weight)
        assert found._tw_bytes() == case.in_memory()._tw_bytes(), seed


@pytest.mark.parametrize("block", some(range(10), 1))
def test_a_random_tree_of_tables_and_naive_bayes_are_counted_to_the_bytes_of_memory(
    block: int, connection: psycopg.Connection[Any]
) -> None:
    def open_source(table: pa.Table, parts: list[np.ndarray]) -> Any:
        return source(connection, table.take(np.concatenate(parts)), 1)

    splits = [assert_same_tree(seed, open_source) for seed in range(12 * block, 12 * block + 12)]
    assert sum(splits) >= 6
    for seed in range(4 * block, 4 * block + 4):
        assert_same_bayes(seed, open_source)


@pytest.mark.parametrize("block", some(range(10), 1))
def test_a_random_tree_of_c45_is_counted_and_pruned_to_the_bytes_of_memory(
    block: int, connection: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_source(table: pa.Table, parts: list[np.ndarray], fetch_rows: int) -> Any:
        return source(connection, table.take(np.concatenate(parts)), fetch_rows)

    grown = [assert_same_c45(seed, open_source, monkeypatch) for seed in range(12 * block, 12 * block + 12)]
    assert sum(leaves > 1 for leaves, _ in grown) >= 6


@pytest.mark.parametrize("block", some(range(10), 1))
def test_a_random_learner_of_gathered_rows_has_the_bytes_of_those_in_memory(
    block: int, connection: psycopg.Connection[Any]
) -> None:
    for seed in range(12 * block, 12 * block + 12):
        assert_same_outcome(
            seed, lambda case, parts: source(connection, case.arrow().take(np.concatenate(parts)), 1000)
        )


def same_as_in_memory(connection: psycopg.Connection[Any], table: pa.Table, **settings: Any) -> None:
    frame = table.to_pandas()
    kind = tw.DecisionTreeRegressor if pd.api.types.is_float_dtype(frame["y"]) else tw.DecisionTreeClassifier
    expected = kind(**settings).fit(table.drop_columns(["y"]), frame["y"])
    assert kind(**settings).fit(source(connection, table), "y")._tw_bytes() == expected._tw_bytes()


@pytest.mark.parametrize(
    "values",
    [
        [np.nan, 1.0, 2.0, None, 3.0, np.nan, 4.0, 5.0],
        [-np.inf, -1.0, 0.0, 1.0, np.inf, np.inf, 2.0, -np.inf],
        [-0.0, 0.0, -0.0, 0.0, 1.0, -1.0, 5e-324, -5e-324],
        [1.7e308, -1.7e308, 1.6e308, 0.0, 1.0, 2.0, 3.0, 4.0],
        [0.1, 0.30000000000000004, 1 / 3, 1e-300, 1e22, 1.5, 2.5, -0.5],
    ],
)
def test_odd_numbers_are_what_they_are_in_memory(connection: psycopg.Connection[Any], values: list[Any]) -> None:
    x = pa.array(values, pa.float64(), from_pandas=False)
    same_as_in_memory(connection, pa.table({"x": x, "y": [1.0, 2.0, 1.5, 3.0, 9.0, 8.0, 7.0, 0.0]}))
    same_as_in_memory(connection, pa.table({"x": x, "y": list("abababab")}))


def test_whole_numbers_beyond_2_to_the_53_are_rounded_as_in_memory(connection: psycopg.Connection[Any]) -> None:
    x = pa.array([2**53, 2**53 + 1, 2**53 + 2, 2**60 + 1, -(2**53) - 1, None, 0, 1], pa.int64())
    same_as_in_memory(connection, pa.table({"x": x, "y": list("abababab")}))


def test_targets_at_a_half_of_the_unit_are_rounded_as_in_memory(connection: psycopg.Connection[Any]) -> None:
    y = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994, 2.0**50 + 0.5]
    weights = [1.0, 0.3, 0.7, 1.0, 0.1, 1e-9, 2.0, 3.5]
    table = pa.table({"x": [1, 2, 3, 4, 5, 6, 7, 8], "w": weights, "y": y})
    expected = tw.DecisionTreeRegressor().fit(table.select(["x"]), pd.Series(y, name="y"), weights)
    found = tw.DecisionTreeRegressor().fit(source(connection, table), "y", "w")
    assert found._tw_bytes() == expected._tw_bytes()


LEVELS = ["", "it's", 'say "no"', "a\\b", "line\nbreak", "\r\n", "🙂", "x" * 10_000, ",", "\\.", "NULL", " b", "b "]
LEVELS = [*LEVELS, None]


def test_odd_levels_are_what_they_are_in_memory(connection: psycopg.Connection[Any]) -> None:
    table = pa.table({"x": pa.array(LEVELS * 2), "y": [float(i % 7) for i in range(2 * len(LEVELS))]})
    same_as_in_memory(connection, table)
    alone = tw.source(connection, "SELECT x FROM rows")  # one column, so that a missing value is an empty line
    assert pa.concat_tables(alone.batches(["x"])).column("x").to_pylist() == LEVELS * 2


def test_every_type_of_the_server_has_a_rule(connection: psycopg.Connection[Any]) -> None:
    connection.execute("DROP TABLE IF EXISTS kinds")
    connection.execute("DROP TYPE IF EXISTS mood")
    connection.execute("CREATE TYPE mood AS ENUM ('sad', 'happy')")
    connection.execute(
        "CREATE TABLE kinds AS SELECT i::smallint AS small, (i / 4.0)::numeric(10, 2) AS price, "
        "  i::float4 / 2 AS single, (i::text)::money AS cost, i % 3 = 0 AS truth, (i % 4)::text::char(5) AS code, "
        "  (CASE i % 2 WHEN 0 THEN 'sad' ELSE 'happy' END)::mood AS mood, "
        "  DATE '2024-01-01' + i AS day, TIMESTAMP '2024-01-01 10:00' + i * INTERVAL '1 hour' AS moment, "
        "  TIMESTAMPTZ '2024-01-01 10:00+02' + i * INTERVAL '1 hour' AS zoned, "
        "  TIME '10:00' + i * INTERVAL '1 s' AS time, i * INTERVAL '1 minute' AS length, "
        "  ('{\"a\": ' || i % 2 || '}')::json AS other, "
        "  CASE WHEN i > 12 THEN 'up' ELSE 'down' END AS y FROM generate_series(1, 24) AS i"
    )
    opened = tw.source(connection, "kinds", fetch_rows=1)
    frame = pa.concat_tables(opened.batches(list(opened.names)))
    assert frame.column("cost").to_pylist()[:2] == [1.0, 2.0]
    assert frame.column("code").to_pylist()[:2] == ["1", "2"]  # without the blanks that pad it
    assert frame.column("zoned").to_pylist()[0] == datetime.datetime(2024, 1, 1, 9, tzinfo=datetime.UTC)
    assert frame.column("length").to_pylist()[0] == datetime.timedelta(minutes=1)
    assert frame.column("other").to_pylist()[0] == '{"a": 1}'
    expected = tw.DecisionTreeClassifier().fit(frame.drop_columns(["y"]), frame.column("y").to_pandas())
    assert tw.DecisionTreeClassifier().fit(opened, "y").tree_.schema == expected.tree_.schema
    assert tw.DecisionTreeClassifier().fit(opened, "y")._tw_bytes() == expected._tw_bytes()


@pytest.mark.parametrize("settings", ["TimeZone = 'Asia/Tokyo'", "DateStyle = 'German'", "client_encoding = 'LATIN1'",
                                      "extra_float_digits = -5"])  # fmt: skip
def test_settings_of_the_session_change_nothing(connection: psycopg.Connection[Any], settings: str) -> None:
    moments = pd.to_datetime(["2024-01-01 23:30", "2024-01-02 00:30", "2024-01-03 00:00", None] * 3, utc=True)
    x = pa.array(np.arange(12) / 7)
    table = pa.table({"t": pa.array(moments, pa.timestamp("us", "UTC")), "x": x, "c": ["ä", "z", "Z", "é"] * 3,
                      "y": list("abcabcabcaab")})  # fmt: skip
    put(connection, table)
    connection.execute(f"SET {settings}")
    found = tw.DecisionTreeClassifier().fit(tw.source(connection, "rows", fetch_rows=1), "y")
    expected = tw.DecisionTreeClassifier().fit(table.drop_columns(["y"]), table.column("y").to_pandas())
    assert found._tw_bytes() == expected._tw_bytes()


def test_a_collation_that_takes_letters_for_the_same_changes_nothing(connection: psycopg.Connection[Any]) -> None:
    table = pa.table({"c": ["a", "A", "b", "B", "ä", "a"] * 2, "y": list("pqpqrp") * 2})
    put(connection, table)
    connection.execute("DROP COLLATION IF EXISTS nocase")
    connection.execute("CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level1', deterministic = false)")
    for name in "cy":
        connection.execute(f"ALTER TABLE rows ALTER COLUMN {name} TYPE text COLLATE nocase")
    assert connection.execute("SELECT count(DISTINCT c) FROM rows").fetchone() == (2,)
    found = tw.DecisionTreeClassifier().fit(tw.source(connection, "rows", fetch_rows=1), "y")
    expected = tw.DecisionTreeClassifier().fit(table.drop_columns(["y"]), table.column("y").to_pandas())
    assert found._tw_bytes() == expected._tw_bytes()
    connection.rollback()


def test_nominal_numbers_and_orders_of_levels_are_those_of_memory(connection: psycopg.Connection[Any]) -> None:
    grades, numbers = ["low", "high", "mid", "low"] * 4, [1.0, 2.5, 3.0, None] * 4
    table = pa.table({"n": numbers, "g": grades, "y": list("abcdabcaabcdabcc")})
    same_as_in_memory(connection, table, column_kinds={"n": "nominal", "g": ["low", "mid", "high"]})


def wide_table(n: int = 600) -> pa.Table:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"x{j}": np.round(rng.normal(size=n), 3) for j in range(20)})
    frame["y"] = np.where(frame.x3 + frame.x7 * frame.x1 + rng.normal(size=n) > 0, "up", "down")
    frame["z"] = frame.x3 + np.round(rng.normal(size=n), 2)
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.mark.parametrize("fetch_rows", [1, 20])
@pytest.mark.parametrize("target", ["y", "z"])
def test_depth_8_of_20_columns_takes_at_most_20_statements(
    connection: psycopg.Connection[Any], target: str, fetch_rows: int
) -> None:
    table = wide_table().drop_columns(["z" if target == "y" else "y"])
    kind = tw.DecisionTreeClassifier if target == "y" else tw.DecisionTreeRegressor
    rows = source(connection, table, fetch_rows)
    found = kind(max_depth=8).fit(rows, target)
    expected = kind(max_depth=8).fit(table.drop_columns([target]), table.column(target).to_pandas())
    assert found._tw_bytes() == expected._tw_bytes()
    assert len(rows.queries) <= 20


def test_answers_and_measures_are_those_of_the_rows(connection: psycopg.Connection[Any], tmp_path: Path) -> None:
    table = wide_table(500).drop_columns(["z"])
    frame = table.to_pandas()
    X, y = frame.drop(columns="y"), frame["y"]
    model = tw.DecisionTreeClassifier(max_depth=4).fit(X, y)
    rows = source(connection, table)
    assert (model.predict(rows) == model.predict(X)).all()
    assert (model.predict_proba(rows) == model.predict_proba(X)).all()
    assert str(tw.evaluate(model, rows, "y")) == str(tw.evaluate(model, X, y))
    assert tw.write_predictions(model, rows, tmp_path / "answers.parquet", keep=["x0"], proba=True) == 500
    answers = pd.read_parquet(tmp_path / "answers.parquet")
    assert list(answers.columns) == ["x0", "prediction", "probability_down", "probability_up"]
    assert (answers.prediction == model.predict(X)).all()


def test_an_account_that_may_only_read_suffices_and_nothing_is_left(postgres: str) -> None:
    table = wide_table(200).drop_columns(["z"])
    with psycopg.connect(postgres) as owner:
        put(owner, table, "only_read")
        owner.execute("DROP ROLE IF EXISTS reader")
        owner.execute("CREATE ROLE reader LOGIN")
        owner.execute("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
        owner.execute("GRANT SELECT ON only_read TO reader")
        owner.commit()
        before = owner.execute("SELECT count(*) FROM pg_class").fetchone()
        with psycopg.connect(postgres.replace("tester@", "reader@")) as reader:
            reader.execute("SET default_transaction_read_only = on")
            reader.commit()
            rows = tw.source(reader, "only_read", fetch_rows=10)
            found = tw.DecisionTreeClassifier(max_depth=3).fit(rows, "y")
        assert all(query.startswith(("SELECT", "WITH")) for query in rows.queries)
        assert owner.execute("SELECT count(*) FROM pg_class").fetchone() == before
        owner.execute("DROP TABLE only_read")
        owner.execute("DROP ROLE reader")
    expected = tw.DecisionTreeClassifier(max_depth=3).fit(table.drop_columns(["y"]), table.column("y").to_pandas())
    assert found._tw_bytes() == expected._tw_bytes()


def test_rows_that_somebody_adds_meanwhile_are_not_seen(postgres: str, connection: psycopg.Connection[Any]) -> None:
    table = wide_table(200).drop_columns(["z"])
    rows = source(connection, table)
    ask = rows.ask

    def ask_and_add(statement: str, types: Any) -> Any:
        with psycopg.connect(postgres) as other:
            other.execute("INSERT INTO rows SELECT * FROM rows LIMIT 1")
        return ask(statement, types)

    rows.ask = ask_and_add
    found = tw.DecisionTreeClassifier(max_depth=3).fit(rows, "y")
    with psycopg.connect(postgres) as other:
        assert other.execute("SELECT count(*) FROM rows").fetchone()[0] > 205  # type: ignore[index]
    # the first statement of the transaction, which describes the rows, takes the snapshot
    assert found.tree_.root.n <= 201


def test_a_transaction_of_somebody_else_stays_as_it_was(connection: psycopg.Connection[Any]) -> None:
    table = wide_table(100).drop_columns(["z"])
    put(connection, table)
    connection.execute("CREATE TEMPORARY TABLE mine (x float8)")
    tw.DecisionTreeClassifier(max_depth=2).fit(tw.source(connection, "rows"), "y")
    connection.execute("INSERT INTO mine VALUES (1)")
    with pytest.raises(DataError, match="has no column 'nowhere'"):
        tw.DecisionTreeClassifier().fit(tw.source(connection, "rows"), "nowhere")
    assert connection.execute("SELECT count(*) FROM mine").fetchone() == (1,)


def test_rows_that_nobody_takes_to_the_end_leave_a_connection_that_works(connection: psycopg.Connection[Any]) -> None:
    connection.execute("DROP TABLE IF EXISTS long")
    connection.execute("CREATE TABLE long AS SELECT i AS x, repeat('a', 100) AS t FROM generate_series(1, 400000) AS i")
    connection.commit()
    batches = tw.source(connection, "long").batches(["x", "t"])
    assert next(batches).num_rows > 0
    batches.close()
    assert connection.execute("SELECT 1").fetchone() == (1,)
    connection.rollback()
    connection.execute("DROP TABLE long")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("rowz", "has no table or view 'rowz'. Did you mean 'rows'?"),
        ("nowhere.rows", 'relation "nowhere.rows" does not exist'),
        ("SELECT * FROM rows WHERE", "syntax error"),
        ("SELECT x0, x1 AS x0 FROM rows", "several columns named 'x0'"),
        ("SELECT 10 ^ 400::numeric AS x, y FROM rows", "out of range for type double precision"),
        ("SELECT 1 / (length(y) - length(y)) AS x, y FROM rows", "division by zero"),
    ],
)
def test_what_cannot_be_read_is_told_and_the_connection_works_on(
    connection: psycopg.Connection[Any], table: str, told: str
) -> None:
    put(connection, wide_table(20))
    with pytest.raises(DataError, match=r"PostgreSQL") as caught:
        tw.DecisionTreeClassifier().fit(tw.source(connection, table), "y")
    assert told in str(caught.value)
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_connection_that_is_not_told_the_table_or_is_another_kind_is_refused(postgres: str) -> None:
    with psycopg.connect(postgres) as connection, pytest.raises(DataError, match="Name the table"):
        tw.source(connection)
    with pytest.raises(DataError, match="not a object"):
        tw.source(object(), "rows")


@pytest.mark.parametrize("inside", [False, True])
def test_settings_hold_while_a_tree_is_grown_and_no_longer(connection: psycopg.Connection[Any], inside: bool) -> None:
    put(connection, wide_table(60))
    before = shown_settings(connection)
    if not inside:
        connection.commit()
    rows = tw.source(connection, "rows", fetch_rows=1)
    seen: list[Any] = []
    rows.tell = lambda level, nodes: seen.append(shown_settings(connection))
    tw.DecisionTreeClassifier(max_depth=2).fit(rows, "y")
    assert set(seen) == {("off", "64MB", "1")}
    assert before[:2] == ("on", "4MB")
    assert shown_settings(connection) == before


def test_settings_that_are_larger_are_left_as_they_are(connection: psycopg.Connection[Any]) -> None:
    put(connection, wide_table(60))
    connection.execute("SET work_mem = '100MB'")
    connection.commit()
    rows = tw.source(connection, "rows", fetch_rows=1)
    seen: list[Any] = []
    rows.tell = lambda level, nodes: seen.append(shown_settings(connection)[1])
    tw.DecisionTreeClassifier(max_depth=1).fit(rows, "y")
    assert set(seen) == {"100MB"}


def shown_settings(connection: psycopg.Connection[Any]) -> tuple[str, ...]:
    names = ("jit", "work_mem", "extra_float_digits")
    return tuple(str((connection.execute(f"SHOW {name}").fetchone() or ("",))[0]) for name in names)

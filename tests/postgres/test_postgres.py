"""Tables and queries of a real PostgreSQL server."""

import datetime

import psycopg
import pytest

from treewright.errors import DataError
from treewright.table.reading.read import read


@pytest.fixture(scope="module")
def shop(postgres: str) -> str:
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "CREATE TABLE sales (price numeric(10, 2), day date, at timestamptz, paid boolean, city text, n bigint)"
        )
        connection.execute(
            "INSERT INTO sales VALUES (9.50, '2024-01-02', '2024-01-02 10:00+02', true, 'Ulm', 1), "
            "(NULL, NULL, NULL, NULL, NULL, NULL)"
        )
    return postgres


def test_a_table_keeps_the_types_of_the_server(shop: str) -> None:
    frame = read("sales", db=shop)
    assert frame["price"].tolist()[0] == 9.5
    assert frame["day"].tolist()[0] == datetime.datetime(2024, 1, 2)
    assert str(frame["at"].tolist()[0]) == "2024-01-02 08:00:00+00:00"
    assert frame["paid"].dtype == "boolean"
    assert frame["city"].tolist()[0] == "Ulm"
    assert frame.isna().sum().tolist() == [1] * 6


def test_a_query_is_answered_and_a_wrong_one_told(shop: str) -> None:
    assert read("SELECT max(price) AS highest FROM sales", db=shop)["highest"].tolist() == [9.5]
    with pytest.raises(DataError, match="the query failed"):
        read("no_such_table", db=shop)


def test_nothing_can_be_changed(shop: str) -> None:
    with pytest.raises(DataError, match="read-only transaction"):
        read("WITH gone AS (DELETE FROM sales RETURNING n) SELECT * FROM gone", db=shop)
    assert len(read("sales", db=shop)) == 2


def test_a_server_that_does_not_answer_is_told_without_the_password() -> None:
    with pytest.raises(DataError, match="the server does not answer") as caught:
        read("sales", db="postgresql://ann:secret@/shop?host=/no/such/folder")
    assert "secret" not in str(caught.value)

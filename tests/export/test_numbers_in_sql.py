"""Every double that a statement holds is read by SQLite as that double; many answers are one constant elsewhere."""

from __future__ import annotations

import math
import random
import sqlite3
import sys
from pathlib import Path

import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.table.sql_dialects import DIALECTS

DRAWN = 2_000
EDGES = [
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    sys.float_info.max,
    -sys.float_info.max,
    1e-150,
    1e150,
    4.3e-299,
    0.0,
]


@pytest.mark.parametrize(
    "exponents", [(-1074, -900), (-900, -400), (-400, 0), (0, 400), (400, 900), (900, 1023)], ids=str
)
def test_sqlite_reads_the_number_that_was_written(exponents: tuple[int, int]) -> None:
    rng = random.Random(3)
    drawn = [math.ldexp(rng.uniform(-1, 1), rng.randint(*exponents)) for _ in range(DRAWN)]
    with sqlite3.connect(":memory:") as database:
        for number in [*EDGES, *drawn]:
            assert database.execute(f"SELECT {DIALECTS['sqlite'].number(number)}").fetchone()[0] == number


@pytest.mark.parametrize(
    ("name", "constant"), [("duckdb", "AS DOUBLE[])[n0 + 1]"), ("postgresql", "'::FLOAT8[])[n0 + 1]")]
)
def test_the_answers_of_a_large_tree_are_one_constant(name: str, constant: str, tmp_path: Path) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    large = tw.DecisionTreeClassifier().fit(X, y)
    assert large.export(tmp_path / "m.sql", dialect=name).proven
    assert (tmp_path / "m.sql").read_text().count(constant) == 2  # the shares of two classes
    small = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert small.export(tmp_path / "m.sql", dialect=name).proven
    assert constant not in (tmp_path / "m.sql").read_text()


@pytest.mark.parametrize("name", ["duckdb", "postgresql", "spark"])
def test_a_number_that_is_none_is_refused_in_a_constant_of_many(name: str) -> None:
    with pytest.raises(DataError, match=rf"^The model has the number inf, which {name} cannot write\. Export Python"):
        DIALECTS[name].one_of([1.0, math.inf], "n0")


def test_a_column_of_two_types_is_refused_by_name(tmp_path: Path) -> None:
    X = pd.DataFrame({"m": pd.Series(["a", 1, True, 2.5] * 10, dtype=object)})
    model = tw.DecisionTreeClassifier().fit(X, ["p", "q", "r", "s"] * 10)
    with pytest.raises(DataError, match=r"'m' has the levels .* a column of a database has one type"):
        model.export(tmp_path / "m.sql", dialect="sqlite")

"""Every double that a statement holds is read by SQLite as that double, however large or small it is."""

from __future__ import annotations

import math
import random
import sqlite3
import sys

import pytest

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

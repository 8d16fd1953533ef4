"""Numbers that are written as SQL are read as the same doubles."""

from __future__ import annotations

import random
import sqlite3

from treewright.table.sql_dialects import DIALECTS


def test_sqlite_reads_the_double_that_was_written() -> None:
    draw, connection = random.Random(0), sqlite3.connect(":memory:")
    # The shortest text of the first two is half-way between two doubles, and read as the other one.
    numbers = [0.000633804084785412, 5.186360860978803, 0.0, -0.0, 1.0, 1e15, 1e-100, 2.5e200]
    numbers += [draw.random() * 10.0 ** draw.randint(-6, 6) for _ in range(20_000)]
    for start in range(0, len(numbers), 1000):
        some = numbers[start : start + 1000]
        read = connection.execute(f"SELECT {', '.join(map(DIALECTS['sqlite'].number, some))}").fetchone()
        assert list(read) == some

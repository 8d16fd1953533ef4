"""What reads Parquet, JSON and files of DuckDB may not fetch or load extensions by itself."""

from __future__ import annotations

from pathlib import Path

import duckdb

from treewright.table.reading.read_database import connect_duckdb
from treewright.table.reading.read_parquet_json import connect

SETTINGS = ("autoinstall_known_extensions", "autoload_known_extensions")


def test_engines_neither_install_nor_load_extensions_by_themselves(tmp_path: Path) -> None:
    duckdb.connect(str(tmp_path / "shop.duckdb")).close()
    for connection in (connect(), connect_duckdb(str(tmp_path / "shop.duckdb"))):
        with connection:
            for name in SETTINGS:
                assert connection.execute(f"SELECT current_setting('{name}')").fetchall() == [(False,)]

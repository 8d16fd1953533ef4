"""Runs an exported SELECT in Spark, in a session of this machine. Needs the extra `spark` and a Java."""

from __future__ import annotations

import datetime
import importlib
import re
import shutil
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from treewright.export.arriving_rows import Cell
from treewright.export.expected import Answers
from treewright.export.runtimes import NotHereError, Questions, Runtime
from treewright.export.sql.databases import refused, rows_in_order, with_kept_columns

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "1",
}


class SparkRuntime(Runtime):
    """Spark on one thread. A session that is open already is used, with views of its own."""

    def version(self) -> str:
        if shutil.which("java") is None:
            raise NotHereError("no java here, which Spark needs")
        return f"Spark {_package('pyspark').__version__}"

    def run(self, path: Path, asked: Questions) -> Answers:
        statement = path.read_text(encoding="utf-8").rstrip().rstrip(";")
        asked = with_kept_columns(asked)
        kinds = [_kind(column) for column in asked.columns]
        rows = [[_cell(*cell) for cell in zip(kinds, row, strict=True)] for row in asked.rows]
        asked = replace(asked, rows=rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pyspark's own, of newer versions of other packages
            try:
                session = _session()
                view = _put_rows(session, asked)
                found = session.sql(re.sub(rf"\bFROM {re.escape(asked.table)}(?![\w.])", f"FROM {view}", statement))
                told = [tuple(row) for row in found.collect()]
            except Exception as problem:  # of a Java, as classes that need a gateway to be named
                raise refused(self.version(), problem) from problem
        return rows_in_order(found.columns, told, asked)


def has_moments(program: Any) -> bool:
    """Say whether a model asks for moments, times or spans: a session gives them back by the clock of the machine."""
    return any(program.columns[at].value_type in ("datetime", "time", "duration") for at in program.used)


def _package(name: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError:
        raise NotHereError(f"no {name.partition('.')[0]} here (pip install 'treewright[spark]')") from None


def _session() -> Any:
    """A session of its own, in the Spark of this process, which is started if there is none."""
    builder = _package("pyspark.sql").SparkSession.builder.master("local[1]")
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate().newSession()


def _put_rows(session: Any, asked: Questions) -> str:
    """Make a view of the rows and tell its name. They go by Arrow: then no worker of Python has to be started.

    A name with a schema is that of a table in the catalog, and a session that is open already may have a real one
    there: nothing is written to it, the statement reads the view in its place.
    """
    arrow = _package("pyarrow")
    types = {"number": arrow.float64(), "text": arrow.string(), "boolean": arrow.bool_(), "date": arrow.date32()}
    columns = asked.columns or [{"name": "unasked", "holds": "number"}]
    rows = asked.rows if asked.columns else [[None]] * len(asked.rows)
    cells = [arrow.array([row[at] for row in rows], types[_kind(column)]) for at, column in enumerate(columns)]
    frame = session.createDataFrame(arrow.table(cells, names=[column["name"] for column in columns]))
    view = "asked_rows" if "." in asked.table else asked.table
    frame.createOrReplaceTempView(view)
    return view


def _kind(column: dict[str, str]) -> str:
    return column.get("value_type", column["holds"])


def _cell(kind: str, cell: Cell) -> Any:
    if cell is None or kind not in ("number", "date"):
        return cell
    return float(cell) if kind == "number" else datetime.date(1970, 1, 1) + datetime.timedelta(days=cell)

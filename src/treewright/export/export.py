"""`tw.export`: a model as a file that runs without treewright, and the proof that it answers the same."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from treewright.errors import DataError, nearest
from treewright.export.arriving_rows import Cell
from treewright.export.code.c_file import c_source
from treewright.export.code.formula_files import formula_c, formula_javascript, formula_python
from treewright.export.code.javascript_module import javascript_source
from treewright.export.code.python_file import python_source
from treewright.export.code.r_runtime import RRuntime
from treewright.export.code.r_script import r_source
from treewright.export.excel.runtime import LibreOfficeRuntime
from treewright.export.excel.workbook import refuse_what_excel_cannot_say, sheet_probes, workbook_bytes
from treewright.export.expected import Answers, expected_answers
from treewright.export.formula import Formula
from treewright.export.model_file import MODEL_FILE, ModelFileRuntime
from treewright.export.model_formula import exported_of
from treewright.export.onnx.formula_model import formula_onnx
from treewright.export.onnx.model import onnx_bytes
from treewright.export.onnx.runtime import OnnxRuntime
from treewright.export.pmml.document import pmml_text, refuse_what_pmml_cannot_say
from treewright.export.pmml.runtime import JpmmlRuntime
from treewright.export.probes import probes
from treewright.export.program import Program
from treewright.export.proof import NO_SQL, Verdict, digest, judge, read_proof, write_proof
from treewright.export.runtimes import CRuntime, NodeRuntime, PythonRuntime, Runtime
from treewright.export.sql.chain import SqlOptions
from treewright.export.sql.databases import DuckdbRuntime, PostgresRuntime, SqliteRuntime
from treewright.export.sql.formula_statement import formula_sql
from treewright.export.sql.spark import SparkRuntime, has_moments
from treewright.export.sql.statement import refuse_names_alike, refuse_what_sql_cannot_say, sql_source
from treewright.given_names import names_given, path_given
from treewright.save.persist import load, model_json, save
from treewright.table.sql_dialects import find_dialect

Exported = Program | Formula
JSON = ".json"  # for every kind of model; tw.load reads it back
SQL_RUNTIMES: dict[str, type[Runtime]] = {
    "duckdb": DuckdbRuntime,
    "postgresql": PostgresRuntime,
    "spark": SparkRuntime,
    "sqlite": SqliteRuntime,
}
RUNTIMES: tuple[type[Runtime], ...] = (
    PythonRuntime,
    NodeRuntime,
    CRuntime,
    RRuntime,
    OnnxRuntime,
    JpmmlRuntime,
    LibreOfficeRuntime,
    ModelFileRuntime,
)


@dataclass(frozen=True)
class Wanted:
    """What was asked for beside the path."""

    dialect: str
    table: str
    keep: tuple[str, ...]
    rules: Callable[[], Any]  # the rules of a single tree, as a data frame
    ask: Callable[[list[list[Cell]]], Answers]  # what the model answers: some formats hold rows with their answers


@dataclass(frozen=True)
class Written:
    """The files of an export by their names, and what runs them; `why_not` says why nothing here does."""

    files: dict[str, str | bytes]
    runtime: Runtime | None
    why_not: str = ""
    sql: SqlOptions = NO_SQL
    rows: list[list[Cell]] | None = None  # the probes, where the file holds its own


def export(
    model: Any,
    path: str | os.PathLike[str],
    *,
    dialect: str = "duckdb",
    table: str = "rows",
    keep: Sequence[str] = (),
) -> Verdict:
    """Write a model as a file that runs without treewright, run it, and put the proof beside it.

    Parameters
    ----------
    model : fitted model
        A single tree of any algorithm, a forest, bagging, AdaBoost, gradient boosting; linear, regularized
        and logistic regression, naive Bayes, multilayer perceptrons of up to 50,000 weights, perceptrons of sigmoid
        neurons.
    path : path
        The ending tells the format: ``.py`` (one file, nothing but Python), ``.js`` or ``.mjs`` (an ES module), ``.c``
        (C99; the header is written beside it), ``.R`` (a script of R), ``.sql``, ``.onnx``, ``.pmml``, ``.xlsx`` (the
        rule book of a single tree); ``.json`` takes every kind of model and is read by `tw.load`; ``.tw`` is the file
        of `tw.save` with a proof beside it, which the server checks.
    dialect : str
        Of SQL: "duckdb", "postgresql", "spark" and "sqlite" are proven here; "bigquery", "snowflake", "sqlserver" and
        "mysql" are written to their documented rules.
    table : str
        Of SQL: the table that the statement reads.
    keep : sequence of str
        Of SQL: further columns of the table to hand on, such as a key.

    Returns
    -------
    Verdict
        Whether the export was run and answered every probe as the model does, and the same in a sentence.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = tw.export(model, pathlib.Path(folder) / "iris.sql", dialect="sqlite")
    >>> verdict.proven
    True
    """
    place, kept = path_given("tw.export", path), tuple(names_given("tw.export", "keep", keep))
    dialect, table = names_given("tw.export", "dialect and table", (dialect, table))
    if place.suffix == JSON:
        return _export_json(model, place)
    program = exported_of(model)
    if place.suffix == MODEL_FILE:
        _refuse_no_folder(place)
        save(model, place)  # an old proof stays until there is a new one: it does not fit, so that nobody believes it
        return write_proof(place, model, program, ModelFileRuntime())
    ask = partial(expected_answers, model, program)
    wanted = Wanted(dialect, table, kept, lambda: model.rules().to_frame(), ask)
    written = _writer(place)(program, place, wanted)
    _refuse_no_folder(place)
    texts = {place.parent / name: text for name, text in written.files.items()}
    before = {path: path.read_bytes() for path in texts if path.exists()}
    _replace_together(texts)
    if written.runtime is None:
        return Verdict(False, f"written, not proven: {written.why_not}")
    try:
        return write_proof(place, model, program, written.runtime, written.rows, written.sql)
    except BaseException:
        for path in texts.keys() - before.keys():  # what could not be proven to be right is not left there
            path.unlink(missing_ok=True)
        _replace_together(dict(before))  # and what was there before comes back, with its own proof beside it
        raise


def verify_export(path: str | os.PathLike[str]) -> Verdict:
    """Run the proof of an export again, on the runtime that is here today; the model is not needed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import treewright as tw
    >>> model = tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = tw.export(model, pathlib.Path(folder) / "tiny.py")
    ...     verify_export(pathlib.Path(folder) / "tiny.py").proven
    True
    """
    place = Path(os.fspath(path))
    if not place.exists():
        raise DataError(f"{place} is not there. Check the path.")
    proof, asked, expected = read_proof(place)
    if digest(place) != proof.get("sha256"):
        raise DataError(f"{place} is not the file that was proven: its sha256 is another. Export the model again.")
    runtimes = {kind.__name__: kind for kind in (*RUNTIMES, *SQL_RUNTIMES.values())}
    kind = runtimes.get(str(proof.get("runtime")))
    if kind is None:
        raise DataError(
            f"The proof of {place} names the runtime {proof.get('runtime')!r}, which this version does not know."
        )
    return judge(place, kind(), asked, expected, bool(proof.get("exact", True)), float(proof.get("share", 1.0)))


def _export_json(model: Any, place: Path) -> Verdict:
    """JSON is treewright's own: it is proven by reading it back."""
    text = model_json(model)
    _refuse_no_folder(place)
    _replace_together({place: text})
    if load(place)._tw_bytes() != model._tw_bytes():
        place.unlink()
        raise DataError(f"{place.name} does not give back the model that it was written from. Please report this.")
    return Verdict(True, "proven by reading it back: the same model, to the last byte")


# ---------------------------------------------------------------- formats


def _python(program: Exported, path: Path, wanted: Wanted) -> Written:
    source = formula_python(program) if isinstance(program, Formula) else python_source(program)
    return Written({path.name: source}, PythonRuntime())


def _javascript(program: Exported, path: Path, wanted: Wanted) -> Written:
    source = formula_javascript(program) if isinstance(program, Formula) else javascript_source(program)
    return Written({path.name: source}, NodeRuntime())


def _c(program: Exported, path: Path, wanted: Wanted) -> Written:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", path.stem):
        raise DataError(
            f"The name of a C file begins all its public names, and {path.stem!r} is no name in C. Use letters, digits "
            "and _, and a letter first."
        )
    name = path.stem
    source, header = formula_c(program, name) if isinstance(program, Formula) else c_source(program, name)
    return Written({path.name: source, f"{path.stem}.h": header}, CRuntime())


def _r(program: Exported, path: Path, wanted: Wanted) -> Written:
    if isinstance(program, Formula):
        raise _no_formula(program, "A script of R")
    return Written({path.name: r_source(program, path.stem)}, RRuntime())


def _sql(program: Exported, path: Path, wanted: Wanted) -> Written:
    dialect = find_dialect(wanted.dialect)
    refuse_what_sql_cannot_say(program, dialect)
    refuse_names_alike([*(program.columns[place].name for place in program.used), *wanted.keep], dialect)
    how = dialect, SqlOptions(wanted.table, wanted.keep)
    text = formula_sql(program, *how) if isinstance(program, Formula) else sql_source(program, *how)
    kind = SQL_RUNTIMES.get(dialect.name)
    why_not = f"{dialect.name} cannot be started here; the text follows its documented rules"
    if kind is SparkRuntime and has_moments(program):
        kind, why_not = None, "rows with moments are not run in Spark here; the text follows its documented rules"
    return Written({path.name: text}, kind() if kind else None, why_not, how[1])


def _onnx(program: Exported, path: Path, wanted: Wanted) -> Written:
    made = formula_onnx(program) if isinstance(program, Formula) else onnx_bytes(program)
    return Written({path.name: made}, OnnxRuntime())


def _pmml(program: Exported, path: Path, wanted: Wanted) -> Written:
    if isinstance(program, Formula):
        raise _no_formula(program, "PMML")
    refuse_what_pmml_cannot_say(program)
    rows = probes(program, 2_000)
    return Written({path.name: pmml_text(program, rows, wanted.ask(rows))}, JpmmlRuntime())


def _excel(program: Exported, path: Path, wanted: Wanted) -> Written:
    if isinstance(program, Formula):
        raise _no_formula(program, "An Excel rule book")
    refuse_what_excel_cannot_say(program)
    rows = sheet_probes(program)
    book = workbook_bytes(program, wanted.rules(), rows, wanted.ask(rows))
    return Written({path.name: book}, LibreOfficeRuntime(), rows=rows)


def _no_formula(formula: Formula, what: str) -> DataError:
    return DataError(
        f"{what} is written for models with trees, and {formula.title} has none. Export SQL, C, JavaScript, Python or "
        "ONNX."
    )


FORMATS: dict[str, Callable[[Any, Path, Wanted], Written]] = {
    ".py": _python,
    ".js": _javascript,
    ".mjs": _javascript,
    ".c": _c,
    ".R": _r,
    ".sql": _sql,
    ".onnx": _onnx,
    ".pmml": _pmml,
    ".xlsx": _excel,
}
ENDINGS = (*FORMATS, JSON, MODEL_FILE)


def _writer(path: Path) -> Callable[[Any, Path, Wanted], Written]:
    if path.suffix not in FORMATS:
        raise DataError(
            f"The ending of {path.name!r} tells no format to export to. {nearest(path.suffix, ENDINGS)} "
            f"There are {', '.join(ENDINGS)}."
        )
    return FORMATS[path.suffix]


def _refuse_no_folder(path: Path) -> None:
    if not path.parent.is_dir():
        raise DataError(f"The folder {path.parent} is not there. Make it, or choose another path.")


def _replace_together(texts: dict[Path, str | bytes]) -> None:
    """Write all files beside their places first, so that a full disk leaves the old ones as they were."""
    parts = {path: path.with_name(path.name + ".part") for path in texts}
    try:
        for path, text in texts.items():
            parts[path].write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        for path, part in parts.items():
            part.replace(path)
    except OSError as problem:
        raise DataError(f"{problem.filename} could not be written: {problem.strerror}.") from None
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)

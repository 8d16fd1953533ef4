"""The rows of a request: JSON, CSV or Arrow, as a table for a model. What is wrong with them is a sentence."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import nearest
from treewright.serve.shelf import ServedModel
from treewright.table.written.text_types import MISSING_CELLS

JSON, CSV, ARROW = "application/json", "text/csv", "application/vnd.apache.arrow.stream"
_NUMBERS = {float, int, type(None)}  # of JSON, as they are
_FORMS = '{"row": {…}}, {"rows": [{…}, …]} or {"columns": {"name": […], …}}'


class BadRequestError(Exception):
    """What is wrong with a request, as the sentence of its answer."""

    def __init__(self, sentence: str, status: int = 422) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True)
class Rows:
    """Rows of a request: one by itself, as a dict or a list, or a table of many."""

    one: Any
    table: Any
    kind: str

    @property
    def n(self) -> int:
        """How many there are."""
        return 1 if self.table is None else len(self.table)


def read_rows(body: bytes, content_type: str, served: ServedModel) -> Rows:
    """Read what a request holds; BadRequestError where it holds no rows of this model."""
    kind = content_type.partition(";")[0].strip().lower() or JSON
    if kind == JSON:
        return _json_rows(body, served)
    if kind == CSV:
        return Rows(None, _ordered(_csv(body, served), served), CSV)
    if kind == ARROW:
        return Rows(None, _ordered(_arrow(body), served), ARROW)
    raise BadRequestError(f"Rows come as {JSON}, {CSV} or {ARROW}, not as {kind[:60]!r}. Say so by Content-Type.", 415)


def _json_rows(body: bytes, served: ServedModel) -> Rows:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise BadRequestError(f"The body is no JSON: {str(problem)[:200]}. Send {_FORMS}.", 400) from None
    if not isinstance(said, dict) or len({"row", "rows", "columns"} & said.keys()) != 1:
        raise BadRequestError(f"The body is not what is asked for. Send {_FORMS}.")
    if "columns" in said:
        return Rows(None, _ordered(_columns(said["columns"], served), served), JSON)
    rows = [said["row"]] if "row" in said else said["rows"]
    if not isinstance(rows, list) or not rows:
        raise BadRequestError('"rows" must be a list with at least one row.')
    if len(rows) == 1:
        return Rows(_checked(rows[0], 0, served), None, JSON)
    names = served.schema.names
    values = [
        [row.get(name) for name in names] if isinstance(row, dict) else row
        for row in (_checked(row, place, served) for place, row in enumerate(rows))
    ]
    return Rows(None, _frame(names, zip(*values, strict=True), served), JSON)


def _checked(row: Any, place: int, served: ServedModel) -> Any:
    lookup = served.model._lookup
    if isinstance(row, dict):
        if not row.keys() <= lookup.known_names:
            lookup.refuse_misnamed(row)
        values = list(row.values())
    elif isinstance(row, list) and len(row) == len(served.schema.columns):
        values = row
    else:
        raise BadRequestError(
            f"Row {place + 1} must be an object by column name, or a list of {len(served.schema.columns)} values in "
            f"the order of the columns. Got {json.dumps(row)[:80]} instead."
        )
    if any(type(value) in (dict, list) for value in values):
        raise BadRequestError(f"Row {place + 1} holds a list or an object where a value belongs.")
    return row


def _columns(columns: Any, served: ServedModel) -> Any:
    if not isinstance(columns, dict) or not all(isinstance(values, list) for values in columns.values()):
        raise BadRequestError('"columns" must be an object of lists, one for each column.')
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1 or lengths == {0}:
        raise BadRequestError(f'The lists of "columns" must be of one length, not empty. Got {sorted(lengths)[:5]}.')
    if any({dict, list} & set(map(type, values)) for values in columns.values()):
        raise BadRequestError('"columns" holds a list or an object where a value belongs.')
    return _frame(columns, columns.values(), served)


def _frame(names: Iterable[str], columns: Iterable[Sequence[Any]], served: ServedModel) -> Any:
    """Columns of plain values as a data frame. Any text may be a name, also one that is no UTF-8."""
    import pandas as pd

    names = list(names)
    numbers = {column.name for column in served.schema.columns if column.value_type == "number" and not column.levels}
    found = (_column(values, name in numbers) for name, values in zip(names, columns, strict=True))
    frame = pd.DataFrame(dict(enumerate(found)))
    frame.columns = pd.Index(names, dtype=object)
    return frame


def _column(values: Sequence[Any], is_number: bool) -> Any:
    """A column as the numbers that it holds, else as objects: one by one they take longer to look at than to answer."""
    import pandas as pd

    if is_number and _NUMBERS.issuperset(map(type, values)):
        with contextlib.suppress(OverflowError):  # a whole number beyond all doubles
            return np.array(values, dtype=np.float64)
    return pd.Series(values, dtype=object)


def _csv(body: bytes, served: ServedModel) -> Any:
    """Read a table with a header. Cells of a column of texts stay as they are: 01 is not 1, and NA may be a level."""
    import pandas as pd

    texts = {column.name: "str" for column in served.schema.columns if column.value_type == "text"}
    holes = {column.name: sorted({*MISSING_CELLS} - {*column.levels}) for column in served.schema.columns}
    try:
        return pd.read_csv(io.BytesIO(body), dtype=texts, na_values=holes, keep_default_na=False)
    except (ValueError, pd.errors.ParserError) as problem:
        raise BadRequestError(f"The body is no CSV with a header: {str(problem)[:200]}.", 400) from None


def _arrow(body: bytes) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise BadRequestError("This server has no pyarrow, which Arrow needs. Send JSON or CSV.", 415) from None
    try:
        return pa.ipc.open_stream(body).read_all()
    except (pa.ArrowException, OSError) as problem:
        raise BadRequestError(f"The body is no Arrow stream: {str(problem)[:200]}.", 400) from None


def _ordered(table: Any, served: ServedModel) -> Any:
    """The columns of the model, in its order; others in the table do not matter."""
    there = list(table.columns if hasattr(table, "iloc") else table.column_names)
    absent = [name for name in served.schema.names if name not in there]
    if absent:
        raise BadRequestError(
            f"The table has no column {absent[0]!r}, which the model needs. {nearest(absent[0], there)}"
        )
    if len(table) == 0:
        raise BadRequestError("The table has no rows.")
    names = list(served.schema.names)
    return table[names] if hasattr(table, "iloc") else table.select(names)

"""A model as one ES module that needs nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from treewright.errors import DataError
from treewright.export.code.flat_tables import constants, flat_tables
from treewright.export.code.head import head_lines, template, wrapped
from treewright.export.formula import Formula
from treewright.export.program import Program
from treewright.table.schema import Column

_LARGEST_EXACT = 2**53


def javascript_source(program: Program) -> str:
    """Write the module.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> module = javascript_source(program_of(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20])))
    >>> print(module.splitlines()[4])
    const columns = [
    """
    flat = flat_tables(program)
    lines = head_and_tables(program, constants(program, flat), flat.whole, {**flat.real, "start": program.start})
    lines += ["", ""]
    return "\n".join(lines) + "".join(map(template, ("cells.js", "links.js", "correction.js", "program.js")))


def head_and_tables(
    program: Program | Formula,
    known: Mapping[str, Any],
    whole: Mapping[str, Sequence[int]],
    real: Mapping[str, Sequence[float]],
) -> list[str]:
    """Write what a module begins with: what it is, columns, classes, constants and tables; a list of lines."""
    lines = [f"// {line}".rstrip() for line in head_lines(program)]
    lines += ["const columns = [", *(f"  {_column(program.columns[place])}," for place in program.used), "];"]
    lines.append(f"const labels = {_value(program.labels)};")
    lines += [f"const {name} = {_value(value)};" for name, value in known.items()]
    lines += [_array(name, "Int32Array", map(str, numbers)) for name, numbers in whole.items()]
    return lines + [_array(name, "Float64Array", map(_number, numbers)) for name, numbers in real.items()]


def _column(column: Column) -> str:
    if column.kind == "numeric":
        per_millisecond = "1 / 86400000" if column.value_type == "date" else "1000"
        return f"{{ name: {_value(column.name)}, perMillisecond: {per_millisecond} }}"
    levels = ", ".join(f"[{_value(level)}, {code}]" for code, level in enumerate(column.levels, start=1))
    return f"{{ name: {_value(column.name)}, levels: new Map([{levels}]) }}"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, int) and abs(value) > _LARGEST_EXACT:
        raise DataError(
            f"JavaScript has no whole number {value}: beyond 9,007,199,254,740,992 it rounds them. Export Python or C, "
            "or name the levels by text."
        )
    return _number(value)


def _array(name: str, kind: str, numbers: Iterable[str]) -> str:
    return f"const {name} = {kind}.of(\n{wrapped(numbers)}\n);"


def _number(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return repr(number) if math.isfinite(number) else "Infinity" if number > 0 else "-Infinity"

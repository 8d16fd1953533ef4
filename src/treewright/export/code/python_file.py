"""A model as one Python file that needs nothing but Python."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from treewright.export.code.flat_tables import constants, flat_tables
from treewright.export.code.head import UNITS, head_lines, template, wrapped
from treewright.export.formula import Formula
from treewright.export.program import Program


def python_source(program: Program) -> str:
    """Write the file.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> written: dict = {}
    >>> exec(python_source(program_of(tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]))), written)
    >>> written["predict"]([7]), written["predict_proba"]({"x0": 0}), written["nodes"]([7])
    ('b', [1.0, 0.0], [2])
    """
    flat = flat_tables(program)
    known = {**constants(program, flat), "LABELS": program.labels}
    lines = [f"# {line}".rstrip() for line in head_lines(program)]
    lines += ["", "import bisect", "import datetime", "import math", ""]
    lines += [f"{name} = {value!a}" for name, value in known.items()]
    lines += columns_and_tables(program, flat.whole, {**flat.real, "start": program.start})
    lines += ["", ""]
    parts = ("cells.py.txt", "links.py.txt", "correction.py.txt", "program.py.txt")
    return "\n".join(lines) + "".join(map(template, parts))


def columns_and_tables(
    program: Program | Formula, whole: Mapping[str, Sequence[int]], real: Mapping[str, Sequence[float]]
) -> list[str]:
    """Write the columns and the tables of numbers, a list of lines."""
    lines = ["# name, unit of dates, levels with their codes", "COLUMNS = [", *_columns(program), "]"]
    lines += [f"{name} = {_tuple([str(number) for number in numbers])}" for name, numbers in whole.items()]
    return lines + [f"{name} = {_tuple([_number(number) for number in numbers])}" for name, numbers in real.items()]


def _columns(program: Program | Formula) -> list[str]:
    written = []
    for column in (program.columns[place] for place in program.used):
        unit = UNITS.get(column.value_type, ("days", ""))[0]
        levels = (
            {level: code for code, level in enumerate(column.levels, start=1)} if column.kind != "numeric" else None
        )
        written.append(f"    ({column.name!a}, {unit!r}, {levels!a}),")
    return written


def _tuple(numbers: Sequence[str]) -> str:
    if len(numbers) < 2:
        return f"({', '.join(numbers)}{',' if numbers else ''})"
    return f"(\n{wrapped(numbers, '    ')},\n)"


def _number(number: float) -> str:
    if math.isnan(number):
        return "math.nan"
    return repr(number) if math.isfinite(number) else "math.inf" if number > 0 else "-math.inf"

"""What the writers of C, JavaScript and Python share: the head of a file, templates, wrapped lists."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files

from treewright.export.formula import Formula
from treewright.export.program import Program
from treewright.table.schema import Column

_WIDTH = 116
UNITS = {
    "date": ("days", "days since 1970-01-01"),
    "datetime": ("microseconds", "microseconds since 1970-01-01"),
    "time": ("microseconds", "microseconds since midnight"),
    "duration": ("microseconds", "microseconds"),
}


def template(name: str) -> str:
    """Give a template that ships with the package."""
    return (files("treewright.export.code") / "templates" / name).read_text(encoding="utf-8")


def head_lines(program: Program | Formula) -> list[str]:
    """Say what the file is, in plain words that can end no comment.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> program = program_of(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]))
    >>> head_lines(program)[0]
    'DecisionTreeRegressor of 1 tree, written by treewright. The same answers as the model, to the last bit.'
    """
    same = "to the last bit" if program.is_exact else "but for the last digits of exp"
    lines = [
        f"{program.title} of {program.made_of}, written by treewright. The same answers as the model, {same}.",
        f"Model: {program.fingerprint}. Predicts: {safe(program.target or 'the target')}.",
    ]
    if program.labels is not None:
        lines.append(f"Classes: {', '.join(safe(label) for label in program.labels[:20])}")
    lines.append("Columns:")
    lines += [
        f"  {safe(program.columns[column].name)}: {column_words(program.columns[column])}" for column in program.used
    ]
    return lines


def column_words(column: Column) -> str:
    """Say what a column holds.

    >>> column_words(Column("born", "numeric", "date"))
    'days since 1970-01-01'
    """
    if column.kind == "numeric":
        return UNITS[column.value_type][1] if column.value_type in UNITS else "a number"
    shown = ", ".join(safe(level) for level in column.levels[:6])
    return f"one of {shown}" + (f" … ({len(column.levels)} levels)" if len(column.levels) > 6 else "")


def safe(text: object) -> str:
    """Write a text of the user's so that it stays inside of a comment, on one line.

    >>> safe("a*/b"), safe("x" * 99)[-3:], safe("line\\nend")
    ('a* /b', 'xx…', 'line\\\\nend')
    """
    plain = json.dumps(str(text), ensure_ascii=False)[1:-1].replace('\\\\"', '"').replace('\\"', '"')
    plain = "".join(letter if letter.isprintable() else "?" for letter in plain)
    plain = plain.replace("*/", "* /").replace("/*", "/ *").replace("--", "- -")
    return plain if len(plain) <= 80 else plain[:79] + "…"


def wrapped(items: Iterable[str], indent: str = "  ") -> str:
    """Give a list in lines that can be read; an item is never cut, whatever is in it.

    >>> wrapped(["1", "2", "3"])
    '  1, 2, 3'
    """
    lines: list[list[str]] = [[]]
    length = 0
    for item in items:
        if lines[-1] and length + len(item) > _WIDTH:
            lines.append([])
            length = 0
        lines[-1].append(item)
        length += len(item) + 2
    return ",\n".join(indent + ", ".join(line) for line in lines)

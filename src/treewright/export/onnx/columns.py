"""The inputs of an ONNX model, and one matrix of doubles made of them: numbers, codes of levels, NaN where missing."""

from __future__ import annotations

import numpy as np

from treewright.errors import DataError
from treewright.export.formula import Formula
from treewright.export.onnx.graph import Graph
from treewright.export.program import Program, Term
from treewright.export.proof import holds
from treewright.table.schema import Column

_LARGEST_EXACT = 2**53


def add_columns(graph: Graph, program: Program | Formula) -> str:
    """Add an input a column, each rows × 1, and give the matrix rows × columns that the trees read."""
    parts = []
    for place in program.used:
        column = program.columns[place]
        is_text = holds(column) == "text"
        graph.inputs.append((column.name, is_text))
        parts.append(column.name if column.kind == "numeric" else _codes(graph, column, is_text))
    return graph.put("Concat", *parts, axis=1)


def refuse_what_onnx_cannot_say(program: Program | Formula) -> None:
    """Refuse columns and classes that no tensor of ONNX holds."""
    if not program.used:
        raise DataError(
            f"This {program.title} asks for no column, and an ONNX model has at least one input. Its answer to every "
            "row is the same; export Python, C or JavaScript."
        )
    for column in (program.columns[place] for place in program.used):
        if not column.name or not _is_utf8(column.name):
            raise DataError(
                f"An input of ONNX needs a name in UTF-8, and a column is called {column.name!r}. Rename it."
            )
        _refuse_values(f"Column {column.name!r}", list(column.levels))
    _refuse_values("The target", program.labels or [])


def _refuse_values(whose: str, values: list[object]) -> None:
    if len({isinstance(value, str) for value in values}) > 1:
        raise DataError(
            f"{whose} has texts and numbers side by side, and a tensor of ONNX has one type. Name all by text."
        )
    for value in values:
        if isinstance(value, str) and not _is_utf8(value):
            raise DataError(f"{whose} has the level {value!r}, which UTF-8 has no bytes for. Rename it.")
        if isinstance(value, int) and abs(value) > _LARGEST_EXACT:
            raise DataError(f"{whose} has the level {value}, which no double holds exactly. Name the levels by text.")


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _codes(graph: Graph, column: Column, is_text: bool) -> str:
    """The codes of levels from 1; NaN for no value and for what is no level."""
    codes = np.arange(1, len(column.levels) + 1)
    if is_text:
        found = graph.put(
            "LabelEncoder",
            column.name,
            domain="ai.onnx.ml",
            keys_strings=[str(level).encode("utf-8") for level in column.levels],
            values_int64s=codes.tolist(),
            default_int64=0,
        )
        numbers = graph.put("Cast", found, to=11)
    else:
        levels = graph.constant(np.array([[float(level) for level in column.levels]]))
        equal = graph.put("Cast", graph.put("Equal", column.name, levels), to=11)
        weighed = graph.put("Mul", equal, graph.constant(codes[None, :].astype(np.float64)))
        numbers = graph.put("ReduceMax", weighed, graph.whole(1), keepdims=1)
    known = graph.put("Greater", numbers, graph.number(0.0))
    return graph.put("Where", known, numbers, graph.number(float("nan")))


def add_weighted_sums(graph: Graph, program: Program, matrix: str) -> str:
    """Append a column a weighted sum, in the order of trees: NaN where more than half of it is unknown.

    The terms are added one after the other, as everywhere.
    """
    sums = [terms for tree in program.trees for terms, _ in tree.sums]
    if not sums:
        return matrix
    place = {column: at for at, column in enumerate(program.used)}
    total = unknown = graph.constant(np.zeros((1, len(sums))))
    for number in range(max(len(terms) for terms in sums)):
        terms = [terms[number] if number < len(terms) else Term(program.used[0], 0, 0.0, 0.0, 0.0) for terms in sums]
        x = graph.put("Gather", matrix, graph.whole(*(place[term.column] for term in terms)), axis=1)
        padding = [number >= len(of) for of in sums]
        total, unknown = _added(graph, terms, x, total, unknown, padding)
    # A sum of infinities is no number, and not below its cut.
    known = graph.put("Where", graph.put("IsNaN", total), graph.number(float("inf")), total)
    told = graph.put("LessOrEqual", unknown, graph.number(0.5))
    return graph.put("Concat", matrix, graph.put("Where", told, known, graph.number(float("nan"))), axis=1)


def _added(graph: Graph, terms: list[Term], x: str, total: str, unknown: str, padding: list[bool]) -> tuple[str, str]:
    def row(numbers: list[float]) -> str:
        return graph.constant(np.array([numbers], dtype=np.float64))

    gone = graph.put("IsNaN", x)
    weight = row([term.weight for term in terms])
    levels = [float(term.level) for term in terms]
    product = graph.put("Mul", weight, x)
    if any(levels):
        equal = graph.put("Equal", x, row(levels))
        by_level = graph.put("Where", equal, weight, graph.number(0.0))
        is_number = graph.constant(np.array([[level == 0 for level in levels]]))
        product = graph.put("Where", is_number, product, by_level)
    part = graph.put("Where", gone, row([term.filler for term in terms]), product)
    missing = graph.put("Where", gone, row([term.share for term in terms]), graph.number(0.0))
    if any(padding):  # 0 · infinity would be no number
        part = graph.put("Where", graph.constant(np.array([padding])), graph.number(0.0), part)
    return graph.put("Add", total, part), graph.put("Add", unknown, missing)

"""A formula as source text: one Python file, one ES module, or one C file and its header.

The three languages share one small interpreter (`templates/formula.*`); its tables are the arrays here, by the same
names.
"""

from __future__ import annotations

from itertools import accumulate
from string import Template
from typing import Any

from treewright.export.code import c_file, javascript_module, python_file
from treewright.export.code.flat_tables import correction_constants, correction_tables
from treewright.export.code.head import head_lines, template
from treewright.export.correction import Correction
from treewright.export.formula import LINKS, ONE, SHAPES, Bells, Formula

_LABEL_BY = {"": 0, "sign": 2, "sums": 3, "answers": 4}


def formula_tables(formula: Formula) -> tuple[dict[str, list[int]], dict[str, list[float]]]:
    """Lay a formula out: arrays of whole numbers and of doubles, by name; columns count among those that are used.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_formula import formula_of
    >>> whole, real = formula_tables(formula_of(tw.LinearRegression().fit([[1], [2]], [11, 20])))
    >>> whole["term_source"], [round(weight, 6) for weight in real["term_weight"]]
    ([1, 0], [9.0, 2.0])
    """
    place = {ONE: -1, **{column: at for at, column in enumerate(formula.used)}}
    whole = {
        "input_column": [place[entry.column] for entry in formula.inputs],
        "input_level": [entry.level for entry in formula.inputs],
        "unit_start": _starts([len(unit.terms) for unit in formula.units]),
        "unit_shape": [SHAPES.index(unit.shape) for unit in formula.units],
        "unit_times": [unit.times for unit in formula.units],
        "unit_gate": [place[unit.gate] if unit.gate >= 0 else -1 for unit in formula.units],
        "term_source": [source for unit in formula.units for source, _ in unit.terms],
        "outputs": list(formula.outputs),
    }
    real = {
        f"input_{name}": [float(getattr(entry, name)) for entry in formula.inputs]
        for name in ("fill", "center", "scale", "reach")
    }
    real["unit_divisor"] = [unit.divisor for unit in formula.units]
    real["term_weight"] = [weight for unit in formula.units for _, weight in unit.terms]
    real["fallback"] = list(formula.fallback)
    for more_whole, more_real in (_curves_and_bells(formula), correction_tables(formula.correction)):
        whole |= more_whole
        real |= more_real
    return whole, real


def _curves_and_bells(formula: Formula) -> tuple[dict[str, list[int]], dict[str, list[float]]]:
    pieces = [piece for unit in formula.units for piece in unit.curve]
    bells = [unit.bells or Bells(1.0, (), ()) for unit in formula.units]
    whole = {
        "unit_pieces": _starts([len(unit.curve) for unit in formula.units]),
        "piece_numbers": _starts([len(piece.numbers) for piece in pieces]),
        "unit_bells": _starts([len(one.places) for one in bells]),
    }
    real = {
        "piece_cut": [piece.cut for piece in pieces],
        "piece_origin": [piece.origin for piece in pieces],
        "piece_number": [number for piece in pieces for number in piece.numbers],
        "unit_width": [one.width for one in bells],
        "bell_place": [place for one in bells for place in one.places],
        "bell_log": [log for one in bells for log in one.logs],
    }
    return whole, real


def _starts(lengths: list[int]) -> list[int]:
    return [0, *accumulate(lengths)]


def formula_python(formula: Formula) -> str:
    """Write the Python file.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_formula import formula_of
    >>> written: dict = {}
    >>> exec(formula_python(formula_of(tw.LinearRegression().fit([[1], [2]], [10, 20]))), written)
    >>> round(written["predict"]([3]), 6)
    30.0
    """
    known = {"LINK": formula.link, "LABEL_BY": formula.label_by, "LABELS": formula.labels}
    known |= correction_constants(formula.correction)
    lines = [f"# {line}".rstrip() for line in head_lines(formula)]
    lines += ["", "import bisect", "import datetime", "import math", ""]
    lines += [f"{name} = {value!a}" for name, value in known.items()]
    whole, real = formula_tables(formula)
    body = python_file.columns_and_tables(formula, whole, real)
    parts = ("cells.py.txt", "links.py.txt", "correction.py.txt", "formula.py.txt")
    return "\n".join([*lines, *body, "", ""]) + "".join(map(template, parts))


def formula_javascript(formula: Formula) -> str:
    """Write the module."""
    known: dict[str, Any] = {"LINK": formula.link, "LABEL_BY": formula.label_by}
    known |= correction_constants(formula.correction)
    whole, real = formula_tables(formula)
    lines = javascript_module.head_and_tables(formula, known, whole, real)
    parts = ("cells.js", "links.js", "correction.js", "formula.js")
    return "\n".join([*lines, "", ""]) + "".join(map(template, parts))


def formula_c(formula: Formula, name: str) -> tuple[str, str]:
    """Write the C file and its header; `name` begins every public name."""
    fields = c_file.field_names([formula.columns[place].name for place in formula.used])
    sizes = {
        "N_COLUMNS": max(1, len(fields)),
        "N_INPUTS": len(formula.inputs),
        "N_UNITS": len(formula.units),
        "N_SCORES": len(formula.outputs),
        "N_ANSWERS": formula.n_answers,
    }
    lines = [f'#include "{name}.h"', "", "#include <math.h>", "#include <string.h>", ""]
    lines += [f"enum {{ {', '.join(f'{size} = {value}' for size, value in sizes.items())} }};"]
    lines += [f"enum {{ {', '.join(f'LINK_{link.upper()}' for link in LINKS)} }};"]
    lines += [f"#define LINK LINK_{formula.link.upper()}", f"#define LABEL_BY {_LABEL_BY[formula.label_by]}"]
    lines += [*c_file.correction_lines(formula.correction or Correction("")), ""]
    whole, real = formula_tables(formula)
    # Not as naive Bayes: it falls back to nothing, and a loop over all scores has to have something to read.
    real["fallback"] = real["fallback"] or [0.0] * len(formula.outputs)
    lines += c_file.arrays(whole, real)
    parts = "".join(map(template, ("links.c", "correction.c", "formula.c")))
    body = Template(parts).substitute(name=name, row=f"{name}_row")
    source = "\n".join([*lines, ""]) + "\n" + body + "\n" + c_file.encoder(formula, name, fields)
    told = [
        f"enum {{ {name}_n_answers = {formula.n_answers}, {name}_n_scores = {len(formula.outputs)} }};",
        *c_file.predict_lines(formula, name),
        "/* Writes the sums that the answers are made of. */",
        f"void {name}_scores(const {name}_row *row, double *scores);",
    ]
    return source + c_file.labels(formula, name), c_file.header(formula, name, fields, told)

"""The PMML document: columns, the model, what comes out, and rows with known answers."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from treewright.errors import DataError
from treewright.export.arriving_rows import Cell
from treewright.export.expected import Answers
from treewright.export.pmml.models import add_model, target_name
from treewright.export.pmml.predicates import value_text
from treewright.export.program import NodeTable, Program
from treewright.table.schema import Column

NAMESPACE = "http://www.dmg.org/PMML-4_4"
LINKS = ("node", "mean", "identity", "logistic", "softmax", "exp")
_DEEPEST = 100  # nodes stand inside of each other, and readers of XML go down step by step
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_VERIFIED = 60  # rows of the model verification


def pmml_text(program: Program, rows: list[list[Cell]], answers: Answers) -> str:
    """Write the document; some of the rows with their answers become its verification."""
    root = Element("PMML", xmlns=NAMESPACE, version="4.4")
    header = SubElement(root, "Header", description=f"{program.title}, model {program.fingerprint}")
    SubElement(header, "Application", name="treewright")
    _add_dictionary(root, program)
    model = add_model(root, program)
    _add_verification(model, program, rows, answers)
    indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def refuse_what_pmml_cannot_say(program: Program) -> None:
    """Refuse a model of which some part has no words in PMML."""
    cannot = {
        "has no rule for rows that are cut in pieces": program.spreads,
        "has no tests of weighted sums in trees": any(tree.sums for tree in program.trees),
        "has no equations in leaves": any(tree.equations for tree in program.trees),
        "has no rule for AdaBoost's votes": program.link not in (*LINKS, "median"),
        "has no rule for a correction of probabilities by tw.calibrate": program.correction is not None,
        "has a weighted median of another kind": program.link == "median",
        "has no classification of one class": program.link == "softmax" and len(program.labels or ()) < 2,
        "has no model that asks for no column": not program.used,
    }
    for why, is_so in cannot.items():
        if is_so:
            _refuse(program, why)
    if max(_depth(tree) for tree in program.trees) > _DEEPEST:
        _refuse(program, f"writes nodes inside of each other, and this one is deeper than {_DEEPEST}")
    _refuse_names(program)


def _refuse_names(program: Program) -> None:
    columns = [program.columns[place] for place in program.used]
    levels = [level for column in columns for level in column.levels]
    for text in [*(column.name for column in columns), *levels, *(program.labels or []), target_name(program)]:
        if isinstance(text, str) and _NOT_IN_XML.search(text):
            _refuse(program, f"is XML, which cannot hold the name {text!r}")
    for column in columns:
        if len({isinstance(level, str) for level in column.levels}) > 1:
            _refuse(program, f"has one type a column, and {column.name!r} has texts and numbers")


def _refuse(program: Program, why: str) -> None:
    raise DataError(f"This {program.title} cannot be written as PMML, which {why}. Export SQL, C, ONNX or Python.")


def _depth(tree: NodeTable) -> int:
    depth = [0] * tree.n_nodes
    for node in range(tree.n_nodes):
        for child in [*(tree.rule_child[rule] for rule in tree.rules(node)), tree.fallback[node]]:
            if child >= 0:
                depth[child] = depth[node] + 1
    return max(depth)


# ---------------------------------------------------------------- columns


def _add_dictionary(root: Element, program: Program) -> None:
    columns = [program.columns[place] for place in program.used]
    found = SubElement(root, "DataDictionary", numberOfFields=str(len(columns) + 1))
    for column in columns:
        if column.kind == "numeric":
            SubElement(found, "DataField", name=column.name, optype="continuous", dataType="double")
        else:
            _add_levels(found, column.name, list(column.levels), _optype(column))
    if program.labels is None:
        SubElement(found, "DataField", name=target_name(program), optype="continuous", dataType="double")
    else:
        _add_levels(found, target_name(program), program.labels, "categorical")


def _optype(column: Column) -> str:
    return "ordinal" if column.kind == "ordinal" else "categorical"


def _add_levels(dictionary: Element, name: str, levels: list[object], optype: str) -> None:
    field = SubElement(dictionary, "DataField", name=name, optype=optype, dataType=_data_type(levels))
    for level in levels:
        SubElement(field, "Value", value=value_text(level))


def _data_type(levels: list[object]) -> str:
    if all(isinstance(level, bool) for level in levels):
        return "boolean"
    if all(isinstance(level, int) for level in levels):
        return "integer"
    return "string" if any(isinstance(level, str) for level in levels) else "double"


# ---------------------------------------------------------------- rows with known answers


def _add_verification(model: Element, program: Program, rows: list[list[Cell]], answers: Answers) -> None:
    """Put rows with what the model answers behind it; a reader may run them when it loads the file."""
    # A row of a table in PMML has at least two cells: one of them is the answer.
    plain = [at for at, row in enumerate(rows) if all(map(_is_plain, row)) and row.count(None) < len(row)]
    chosen = plain[:: max(1, -(-len(plain) // _VERIFIED))]
    columns = [program.columns[place].name for place in program.used]
    told = [target_name(program)]
    if program.labels is not None:
        told += [probability_name(label) for label in program.labels]
    found = SubElement(model, "ModelVerification", recordCount=str(len(chosen)), fieldCount=str(len(columns + told)))
    fields = SubElement(found, "VerificationFields")
    for at, name in enumerate(columns):
        SubElement(fields, "VerificationField", field=name, column=f"x{at}")
    for at, name in enumerate(told):
        SubElement(fields, "VerificationField", field=name, column=f"y{at}", precision="1E-14", zeroThreshold="1E-16")
    table = SubElement(found, "InlineTable")
    for at in chosen:
        row = SubElement(table, "row")
        numbers: list[object] = list(answers.numbers[at])
        outcome = numbers if answers.labels is None else [answers.labels[at], *numbers]
        cells = {**{f"x{i}": cell for i, cell in enumerate(rows[at])}, **{f"y{i}": y for i, y in enumerate(outcome)}}
        for name, cell in cells.items():
            if cell is not None:
                SubElement(row, name).text = value_text(cell)


def _is_plain(cell: Cell) -> bool:
    """Whether a cell is written and read without doubts."""
    if isinstance(cell, str):
        return bool(cell) and cell == cell.strip() and "\n" not in cell and not _NOT_IN_XML.search(cell)
    return not isinstance(cell, float) or abs(cell) < float("inf")


def probability_name(label: object) -> str:
    """Name the output with the probability of a class.

    >>> probability_name("yes")
    'probability(yes)'
    """
    return f"probability({value_text(label)})"

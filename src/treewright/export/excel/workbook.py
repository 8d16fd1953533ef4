"""The workbook: rules, scoring, check, and the sheets that the formulas look into."""

from __future__ import annotations

import io
import math
from itertools import islice, product
from typing import Any

from treewright.errors import DataError
from treewright.export.arriving_rows import Cell
from treewright.export.code.head import head_lines
from treewright.export.expected import Answers
from treewright.export.probes import probes
from treewright.export.program import ABOVE, BELOW, Program
from treewright.export.steps import longest_way, steps_of
from treewright.inspection.excel_sheet import fill_sheet

MOST_STEPS, MOST_NODES = 60, 2_000
_SCORED, _CHECKED = 100, 1_500  # rows that are ready to be filled in; rows with known answers
_MOST_OF_A_ROW = 8  # rows that are made of one of which some cells have to be moved
_DIGITS = 1e-9  # sheets compare numbers to about fifteen digits
_TINY, _HUGE = 1e-290, 1e290


def refuse_what_excel_cannot_say(program: Program) -> None:
    """Refuse what is no single tree that fits into a sheet, and texts that cells cannot hold."""
    if program.link != "node":
        _refuse(program, "a rule book is written for a single tree")
    tree = program.trees[0]
    if tree.pieces or tree.sums or tree.equations:
        _refuse(program, "its formulas know no rows in pieces, weighted sums or equations")
    if not program.used:
        _refuse(program, "the tree asks for no column")
    if tree.n_nodes > MOST_NODES:
        _refuse(program, f"a rule book has at most {MOST_NODES:,} nodes, and this tree has {tree.n_nodes:,}")
    texts = [level for place in program.used for level in program.columns[place].levels]
    for text in [*texts, *(program.labels or [])]:
        if isinstance(text, str) and any(ord(letter) < 32 and letter != "\n" for letter in text):
            _refuse(program, f"a cell cannot hold the text {text!r}")


def _refuse(program: Program, why: str) -> None:
    raise DataError(f"This {program.title} cannot be an Excel rule book: {why}. Export SQL, C, ONNX or Python.")


def sheet_probes(program: Program) -> list[list[Cell]]:
    """Give the rows of the check: at every cut and clearly beside it, every level, no value; of large trees a part."""
    rows: dict[tuple[str, ...], list[Cell]] = {}
    cuts = {place: _cuts(program, place) for place in program.used}
    for row in probes(program, 20_000):
        held = [_cells(cuts[place], cell) for place, cell in zip(program.used, row, strict=True)]
        for cells in islice(product(*held), _MOST_OF_A_ROW):
            rows.setdefault(tuple(map(repr, cells)), list(cells))
    chosen = list(rows.values())
    return [chosen[len(chosen) * i // _CHECKED] for i in range(_CHECKED)] if len(chosen) > _CHECKED else chosen


def _cuts(program: Program, column: int) -> set[float]:
    tree = program.trees[0]
    if program.columns[column].kind != "numeric":
        return set()
    rules = zip(tree.rule_column, tree.rule_kind, tree.rule_number, strict=True)
    return {number for asked, kind, number in rules if asked == column and kind in (BELOW, ABOVE)}


def _cells(cuts: set[float], cell: Cell) -> list[Cell]:
    """The cell as a sheet can hold it; a number that a sheet may not tell from a cut is moved away from that.

    A number that is a cut, and next to another one, is moved to either side of both: rows that arrive at a node between
    them would be lost.
    """
    if isinstance(cell, str):
        return [cell] if cell and not any(ord(letter) < 32 and letter != "\n" for letter in cell) else []
    if not isinstance(cell, float):
        return [cell]
    if cell == 0:
        return [0.0]
    if not _TINY < abs(cell) < _HUGE:  # a sheet has no infinity; a leaf may lie next to 0
        cell = math.copysign(_TINY if abs(cell) <= _TINY else _HUGE, cell)
    near = _near(cuts, cell)
    if not near:
        return [cell]
    moved = [cell + math.copysign(abs(cell) * 3 * _DIGITS, cell - near[0])]
    if cell in cuts or _near(cuts, moved[0]):
        away = abs(cell) * 3 * _DIGITS
        moved = [min(cell, *near) - away, max(cell, *near) + away]
    return [number for number in moved if not _near(cuts, number)]


def _near(cuts: set[float], cell: float) -> list[float]:
    return [cut for cut in cuts if cut != cell and abs(cut - cell) <= _DIGITS * max(abs(cut), abs(cell))]


def workbook_bytes(program: Program, rules: Any, rows: list[list[Cell]], answers: Answers) -> bytes:
    """Write the workbook."""
    try:
        from openpyxl import Workbook
    except ImportError:
        raise DataError(
            "Writing Excel files needs openpyxl, which is not installed. Install it with pip install "
            '"treewright[excel]".'
        ) from None
    from treewright.export.excel.formulas import Layout

    steps = steps_of(program)[0]
    n_steps = longest_way(steps)
    if n_steps > MOST_STEPS:
        _refuse(program, f"a rule book asks at most {MOST_STEPS} questions in a row, and this tree {n_steps}")
    layout = Layout(program, steps, n_steps)
    book = Workbook()
    book.active.title = "Rules"
    fill_sheet(book.active, rules)
    _fill_rows(book.create_sheet("Scoring"), layout, [None] * _SCORED, None)
    _fill_rows(book.create_sheet("Check"), layout, rows, answers)
    _fill_steps(book.create_sheet("Steps"), layout)
    _fill_answers(book.create_sheet("Answers"), program)
    _fill_levels(book.create_sheet("Levels"), program)
    _fill_sets(book.create_sheet("Sets"), layout)
    about = book.create_sheet("About")
    for number, line in enumerate(head_lines(program), start=1):
        _text(about.cell(row=number, column=1), line)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _text(cell: Any, value: Any) -> None:
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"  # a text that begins with "=" is none of our formulas


def _heading(sheet: Any, names: list[str]) -> None:
    from openpyxl.styles import Font

    for place, name in enumerate(names, start=1):
        _text(sheet.cell(row=1, column=place), name)
        sheet.cell(row=1, column=place).font = Font(bold=True)
    sheet.freeze_panes = "A2"


def answer_names(program: Program) -> list[str]:
    """The columns of answers."""
    if program.labels is None:
        return ["prediction"]
    return ["prediction", *(f"probability of {label}" for label in program.labels)]


def _fill_rows(sheet: Any, layout: Any, rows: list[Any], answers: Answers | None) -> None:
    """A row of values and its formulas each; in the sheet of checks what the model answers, and whether that is it."""
    program = layout.program
    names, told = [program.columns[place].name for place in program.used], answer_names(program)
    hidden = [f"{name} to the tree" for name in names] + [f"step {number}" for number in range(layout.n_steps + 1)]
    checked = ["node of the model", *(f"{name} of the model" for name in told), "same"] if answers else []
    _heading(sheet, [*names, *hidden, "node", *told, *checked])
    for place in range(layout.n_columns, layout.node):
        sheet.column_dimensions[layout.letter(place)].hidden = True
    for number, values in enumerate(rows, start=2):
        for place, value in enumerate(values or ()):
            if value is not None:
                _text(sheet.cell(row=number, column=place + 1), value)
        _write_formulas(sheet, layout, number, len(told), is_empty=answers is None)
        if answers is not None:
            _write_expected(sheet, layout, number, answers)
    if answers is not None:
        _write_verdict(sheet, layout, len(rows), len(told))


def _write_formulas(sheet: Any, layout: Any, row: int, n_answers: int, is_empty: bool) -> None:
    for place in range(layout.n_columns):
        sheet.cell(row=row, column=layout.n_columns + place + 1).value = layout.value(place, row)
    sheet.cell(row=row, column=layout.first_step + 1).value = 1
    for number in range(layout.n_steps):
        sheet.cell(row=row, column=layout.first_step + number + 2).value = layout.step(number, row)
    told = [layout.node_formula(row), *(layout.answer(number, row) for number in range(n_answers))]
    for number, formula in enumerate(told):
        if is_empty:  # nothing is said of a row that nobody has filled in
            formula = f'=IF(COUNTA($A{row}:${layout.letter(layout.n_columns - 1)}{row})=0,"",{formula[1:]})'
        sheet.cell(row=row, column=layout.node + number + 1).value = formula


def _write_expected(sheet: Any, layout: Any, row: int, answers: Answers) -> None:
    at = row - 2
    label = [] if answers.labels is None else [answers.labels[at]]
    expected = [*answers.nodes[at], *label, *answers.numbers[at]]
    first = layout.node + len(expected)
    for number, value in enumerate(expected):
        _text(sheet.cell(row=row, column=first + number + 1), value)
    pairs = [(layout.letter(layout.node + i), layout.letter(first + i)) for i in range(len(expected))]
    same = ",".join(f"{ours}{row}={theirs}{row}" for ours, theirs in pairs)
    sheet.cell(row=row, column=first + len(expected) + 1).value = f"=AND({same})"


def _write_verdict(sheet: Any, layout: Any, n_rows: int, n_answers: int) -> None:
    place = layout.node + 2 * (n_answers + 1)
    column = f"{layout.letter(place)}2:{layout.letter(place)}{n_rows + 1}"
    _text(sheet.cell(row=1, column=place + 3), "all the same")
    sheet.cell(row=2, column=place + 3).value = f"=SUMPRODUCT(--({column}))={n_rows}"


def _fill_steps(sheet: Any, layout: Any) -> None:
    _heading(sheet, ["step", "column", "at most", "set", "then", "else", "no value", "node"])
    steps, n_sets = layout.steps, 0
    for at in range(len(steps.ends)):
        n_sets += steps.codes[at] is not None
        yes, no = (steps.no[at], steps.yes[at]) if steps.above[at] else (steps.yes[at], steps.no[at])
        cut = steps.number[at] if math.isfinite(steps.number[at]) else 1e308
        which = 0 if steps.codes[at] is None else n_sets
        row = [at + 1, steps.column[at] + 1, cut, which, yes + 1, no + 1, steps.missing[at] + 1, steps.ends[at]]
        for place, value in enumerate(row, start=1):
            sheet.cell(row=at + 2, column=place).value = value


def _fill_answers(sheet: Any, program: Program) -> None:
    tree = program.trees[0]
    _heading(sheet, ["node", *answer_names(program), "training rows", "weight"])
    for node in range(tree.n_nodes):
        numbers = tree.answers[node].tolist()
        label = [] if tree.labels is None or program.labels is None else [program.labels[int(tree.labels[node])]]
        told = [int(tree.known["n_rows"][node]), float(tree.known["weight"][node])]
        for place, value in enumerate([node, *label, *numbers, *told], start=1):
            _text(sheet.cell(row=node + 2, column=place), value)


def _fill_levels(sheet: Any, program: Program) -> None:
    _heading(sheet, [program.columns[place].name for place in program.used])
    for place, of in enumerate(program.used, start=1):
        for code, level in enumerate(program.columns[of].levels, start=2):
            _text(sheet.cell(row=code, column=place), level)


def _fill_sets(sheet: Any, layout: Any) -> None:
    """A column a set: 1 in the row of each code that is in it."""
    sets = [codes for codes in layout.steps.codes if codes is not None]
    _heading(sheet, ["code", *(f"set {number}" for number in range(1, len(sets) + 1))])
    for code in range(1, layout.most_levels + 1):
        sheet.cell(row=code + 1, column=1).value = code
        for place, codes in enumerate(sets, start=2):
            sheet.cell(row=code + 1, column=place).value = int(code in codes)

"""A page as plain text with aligned columns, for a terminal of any width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from itertools import zip_longest

from treewright.pages.blocks import Block, Drawing, Heading, Paragraph, Table, Verbatim, Working
from treewright.tree.format import cells, clip

_LEAST_CELL = 16  # a column is not clipped below this
_UNDERLINES = {1: "=", 2: "-"}
_PLAIN = str.maketrans({"−": "-", "·": "*", "→": "->", "≈": "~", "²": "^2", "≤": "<=", "≥": ">=", "…": "...", "×": "x"})
_STROKES = str.maketrans({"│": "|", "├": "|", "└": "`", "─": "-", "Σ": "sum", "χ": "chi"})


def write_text(blocks: Iterable[Block], width: int = 80, ascii: bool = False) -> str:
    """Write the blocks under each other.

    Examples
    --------
    >>> print(write_text([Heading(2, "Root"), Table(("column", "gain"), (("Outlook", "0.2467"),), frozenset({1}))]))
    Root
    ----
    <BLANKLINE>
      column     gain
      Outlook  0.2467
    """
    shown = map(_in_ascii, blocks) if ascii else blocks  # before widths are told: … becomes three letters
    text = "\n\n".join(filter(None, (_write(block, width, "..." if ascii else "…") for block in shown)))
    return _plain(text) if ascii else text


def _plain(text: str) -> str:
    return text.translate(_PLAIN).translate(_STROKES)


def _in_ascii(block: Block) -> Block:
    """Give a table in plain letters; what else there is has no columns, and is changed when it is written.

    >>> print(write_text([Table(("a…", "b"), (("x → y", "1"),))], ascii=True))
      a...    b
      x -> y  1
    """
    match block:
        case Table(headings, rows, numbers, marked, caption):
            changed = tuple(tuple(map(_plain, row)) for row in rows)
            return Table(tuple(map(_plain, headings)), changed, numbers, marked, _plain(caption))
        case Drawing(svg, words, instead) if instead is not None:
            return Drawing(svg, words, _in_ascii(instead))  # type: ignore[arg-type]
    return block


def _write(block: Block, width: int, dots: str) -> str:
    match block:
        case Heading(level, text):
            title = "\n".join(textwrap.wrap(text, width)) or text
            underline = _UNDERLINES.get(level)
            longest = max(map(cells, title.split("\n")))
            return f"{title}\n{underline * longest}" if underline else title
        case Paragraph(text):
            return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
        case Working(lines):
            return "\n".join(_wrapped(line, width) for line in lines)
        case Table():
            return "\n".join(_table_lines(block, width, dots))
        case Verbatim(text):
            return text
        case Drawing(_, _, instead):
            return _write(instead, width, dots) if instead is not None else ""


def _wrapped(line: str, width: int) -> str:
    return textwrap.fill(
        line, width, initial_indent="  ", subsequent_indent="      ", break_long_words=False, break_on_hyphens=False
    )


def _table_lines(table: Table, width: int, dots: str) -> list[str]:
    widths = _fit(table, width - 2)
    lines = [] if not table.caption else [f"  {clip(table.caption, width - 2, dots)}"]
    for place, row in enumerate([table.headings, *table.rows]):
        columns = [_cell_lines(cell, widths[j], j in table.numbers) for j, cell in enumerate(row)]
        mark = "> " if place and place - 1 in table.marked else "  "
        for part in zip_longest(*columns, fillvalue=""):
            fields = [_field(text, widths[j], j in table.numbers, dots) for j, text in enumerate(part)]
            lines.append((mark + "  ".join(fields)).rstrip())
            mark = "  "
    return lines


def _cell_lines(cell: str, width: int, is_number: bool) -> list[str]:
    """Break a text that is wider than its column between words, so that nothing of a split is lost.

    >>> _cell_lines("purpose: education | business, new car", 20, False)
    ['purpose: education |', '  business, new car']
    """
    if is_number or cells(cell) <= width:
        return [cell]
    moved_in = " " * (len(cell) - len(cell.lstrip()) + 2)
    return textwrap.wrap(cell, width, subsequent_indent=moved_in, break_long_words=False, break_on_hyphens=False)


def _field(cell: str, width: int, is_number: bool, dots: str) -> str:
    shown = clip(cell, width, dots)
    room = " " * (width - cells(shown))
    return room + shown if is_number else shown + room


def _fit(table: Table, width: int) -> list[int]:
    """Give each column its widest cell; where the line is too long, the widest text columns give way."""
    rows = [table.headings, *table.rows]
    widths = [max(cells(row[j]) for row in rows) for j in range(len(table.headings))]
    texts = [j for j in range(len(widths)) if j not in table.numbers]
    while texts and sum(widths) + 2 * (len(widths) - 1) > width:
        widest = max(texts, key=lambda j: widths[j])
        if widths[widest] <= _LEAST_CELL:
            break
        widths[widest] -= 1
    return widths

"""A page as Markdown, for notebooks, wikis and slides."""

from __future__ import annotations

import re
from collections.abc import Iterable

from treewright.pages.blocks import Block, Drawing, Heading, Paragraph, Table, Verbatim, Working

# What Markdown would read as a sign of its own: emphasis, code, links, tags, table borders.
_SIGNS = re.compile(r"([\\`*_\[\]<>|#$~])")


def write_markdown(blocks: Iterable[Block]) -> str:
    """Write the blocks as Markdown with tables in the style of GitHub.

    Examples
    --------
    >>> print(write_markdown([Table(("a|b", "n"), (("x", "1"),), frozenset({1}), frozenset({0}))]))
    | a\\|b | n |
    |:---|---:|
    | **x** | **1** |
    <BLANKLINE>
    """
    return "\n\n".join(filter(None, map(_write, blocks))) + "\n"


def escape(text: str) -> str:
    """Take away the meaning that Markdown would see in a text.

    >>> escape("a_b <= $5")
    'a\\\\_b \\\\<= \\\\$5'
    """
    return _SIGNS.sub(r"\\\1", text)


def _write(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {escape(text)}"
        case Paragraph(text):
            return escape(text)
        case Working(lines):
            return _fenced("\n".join(lines))
        case Table():
            return _table(block)
        case Verbatim(text):
            return _fenced(text)
        case Drawing(_, _, instead):
            return _write(instead) if instead is not None else ""


def _table(table: Table) -> str:
    lines = [f"*{escape(table.caption)}*\n"] if table.caption else []
    lines.append(f"| {' | '.join(map(escape, table.headings))} |")
    lines.append("|" + "|".join("---:" if j in table.numbers else ":---" for j in range(len(table.headings))) + "|")
    for place, row in enumerate(table.rows):
        cells = [f"**{escape(cell)}**" if place in table.marked and cell else escape(cell) for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _fenced(text: str) -> str:
    """A fence longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"

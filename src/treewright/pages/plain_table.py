"""A table in plain columns of text, the same on every terminal and in every file."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def plain_table(headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[str] = ()) -> str:
    """Set texts in columns; those named in `numbers` to the right.

    Examples
    --------
    >>> print(plain_table(["learner", "rows"], [["cart", "7"], ["forest", "1200"]], ["rows"]))
    learner  rows
    cart        7
    forest   1200
    """
    widths = _widths(headings, rows)
    lines = []
    for row in [headings, *rows]:
        cells = (
            cell.rjust(width) if heading in numbers else cell.ljust(width)
            for cell, width, heading in zip(row, widths, headings, strict=True)
        )
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def table_width(headings: Sequence[str], rows: Sequence[Sequence[str]], gap: int = 2) -> int:
    """Tell how wide a table is, with so many blanks between its columns.

    Examples
    --------
    >>> table_width(["learner", "rows"], [["cart", "7"]])
    13
    """
    widths = _widths(headings, rows)
    return sum(widths) + gap * (len(widths) - 1)


def _widths(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]

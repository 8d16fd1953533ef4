"""`treewright profile DATA`: what is in a table, and what would be made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.options import TableRequest, every_verb, reads_a_table, split_kinds, takes_kinds

if TYPE_CHECKING:
    import pandas as pd

    from treewright.inspection.column_statistics import ColumnStatistics
    from treewright.table.column_kinds import ColumnReport


@dataclass(frozen=True, kw_only=True)
class Request(TableRequest):
    """What was asked for."""

    kinds: Sequence[str]


@click.command("profile", short_help="What is in a table, and what would be made of it.")
@reads_a_table
@takes_kinds
@every_verb
def command(**options: Any) -> None:
    """Show rows, columns, kinds, missing and distinct values of DATA, what is in each column, and what was decided.

    Of numbers and dates: smallest | quartiles | largest, mean, and a histogram of eight bins; of levels the most
    frequent.
    """
    from treewright.cli.inputs import describe, read_table
    from treewright.cli.screen import print_json
    from treewright.inspection.column_statistics import column_statistics
    from treewright.table.column_kinds import guess_kinds

    request = Request(**options)
    wished = split_kinds(request.kinds)
    frame = read_table(request, wished)
    reports = guess_kinds(frame, wished)
    found = [column_statistics(frame.iloc[:, j], report.kind) for j, report in enumerate(reports)]
    if request.as_json:
        columns = [_as_dict(report, each) for report, each in zip(reports, found, strict=True)]
        print_json({"rows": len(frame), "columns": columns})
    else:
        _print_profile(describe(request.data), frame, reports, found)


def _as_dict(report: ColumnReport, found: ColumnStatistics) -> dict[str, Any]:
    return {
        "name": report.name,
        "kind": report.kind,
        "face": report.value_type,
        "missing": report.n_missing,
        "distinct": report.n_distinct,
        "decided_by": report.decided_by,
        "remarks": list(report.remarks),
        "statistics": found.to_dict(),
    }


def _print_profile(
    source: str, frame: pd.DataFrame, reports: Sequence[ColumnReport], found: Sequence[ColumnStatistics]
) -> None:
    from treewright.cli.screen import can_draw, count, print_table

    click.echo(f"{source}: {count(len(frame), 'row')}, {count(len(reports), 'column')}\n")
    rows = [
        [
            report.name,
            report.kind if report.value_type in ("number", "text") else f"{report.kind} ({report.value_type})",
            _missing(report.n_missing, len(frame)),
            f"{report.n_distinct:,}",
            report.decided_by,
            each.text(ascii=not can_draw()),
        ]
        for report, each in zip(reports, found, strict=True)
    ]
    headings = ["column", "kind", "missing", "distinct", "decided by", "what is in it"]
    print_table(headings, rows, numbers=["missing", "distinct"])
    remarks = [f"{report.name}: {remark}" for report in reports for remark in report.remarks]
    if remarks:
        click.echo("\n" + "\n".join(remarks))
    click.echo(
        "\nTo decide otherwise, here and in train: --kind column=numeric, nominal or ordinal;\n"
        "--missing-value TEXT, --date-order dmy, --decimal ','."
    )


def _missing(number: int, of: int) -> str:
    """Write how many values are missing, with their share.

    >>> _missing(0, 10), _missing(5, 10), _missing(1, 1000)
    ('-', '5 (50%)', '1 (<1%)')
    """
    if number == 0:
        return "-"
    share = 100 * number / of
    return f"{number:,} ({share:.0f}%)" if share >= 0.5 else f"{number:,} (<1%)"

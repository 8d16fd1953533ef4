"""A comparison as a table of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.evaluate.plain_table import plain_table, table_width

if TYPE_CHECKING:
    from treewright.compare.comparison import Comparison, LearnerScores

_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def comparison_text(result: Comparison, width: int | None = None) -> str:
    """Write heading, table, failures and notes; with a width, as many measures as fit."""
    headings, rows = comparison_cells(result, width)
    parts = [heading_line(result), "", plain_table(headings, rows, headings[1:])]
    remarks = remark_lines(result)
    return "\n".join([*parts, "", *remarks] if remarks else parts)


def heading_line(result: Comparison) -> str:
    """Tell what was compared on what."""
    rows = f"{result.n_rows:,} rows, {result.n_columns:,} column{'' if result.n_columns == 1 else 's'}, {result.task}"
    return f"{rows}. {result.folds}, the same for all; spread is the standard deviation over them."


def comparison_cells(result: Comparison, width: int | None = None, gap: int = 2) -> tuple[list[str], list[list[str]]]:
    """Give headings and rows as texts; with a width, as many measures as fit into it with such gaps between columns."""
    others = [measure.name for measure in result.measures()[1:]]
    while True:
        headings, rows = _cells(result, others)
        if width is None or not others or table_width(headings, rows, gap) <= width:
            return headings, rows
        others.pop()


def _cells(result: Comparison, others: list[str]) -> tuple[list[str], list[list[str]]]:
    decides, *rest = result.measures()
    shown = [measure for measure in rest if measure.name in others]
    headings = [
        "learner", decides.title, "spread", "p", *(measure.title for measure in shown), "fit s", "predict s", "size",
    ]  # fmt: skip
    rows = []
    for learner in result.learners:
        if not learner.scores:
            rows.append([learner.name, "failed", *[""] * (len(headings) - 2)])
            continue
        rows.append(
            [
                learner.name,
                decides.show(learner.mean(decides.name)),
                decides.show_spread(learner.spread(decides.name)),
                p_text(result, learner),
                *(measure.show(learner.mean(measure.name)) for measure in shown),
                f"{learner.fit_seconds:.3f}",
                f"{learner.predict_seconds:.3f}",
                size_text(learner.n_bytes),
            ]
        )
    return headings, rows


def p_text(result: Comparison, learner: LearnerScores) -> str:
    """Write the p-value; the best learner has none."""
    if learner.name == result.best:
        return "best"
    value = result.p_value(learner.name)
    return "-" if value != value else "<.001" if value < 0.001 else f"{value:.3f}"


def size_text(n_bytes: int | None) -> str:
    """Write a size in bytes with three digits.

    Examples
    --------
    >>> size_text(950), size_text(12_345), size_text(3_400_000)
    ('950 B', '12.3 kB', '3.4 MB')
    """
    if n_bytes is None:
        return "-"
    for unit, name in _UNITS:
        if n_bytes >= unit:
            return f"{n_bytes / unit:.3g} {name}"
    return f"{n_bytes} B"


def remark_lines(result: Comparison) -> list[str]:
    """Say what failed and what is worth knowing about learners."""
    failed = [f"{one.name} failed: {one.problem}" for one in result.learners if one.problem]
    return [*failed, *(f"{one.name}: {note}" for one in result.learners for note in one.notes)]

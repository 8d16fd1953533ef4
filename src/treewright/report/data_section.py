"""The table: what is in it, what was made of each column, and how the target is spread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from treewright.draw.palette import class_colours
from treewright.draw.style import PALETTE, figure_svg, new_figure, treewright_style
from treewright.encode.column_kinds import guess_kinds
from treewright.encode.schema import level_text
from treewright.pages.blocks import Block, Drawing, Heading, Paragraph, Table
from treewright.report.split_rows import SplitTable

_MOST_COLUMNS = 200
_MOST_CLASSES = 30


def data_section(rows: SplitTable, column_kinds: Mapping[str, str] | None) -> Iterator[Block]:
    """Tell about the columns and the target."""
    yield Heading(2, "The table", "table")
    reports = guess_kinds(rows.whole, column_kinds)
    shown = reports[:_MOST_COLUMNS]
    yield Table(
        ("column", "kind", "missing", "distinct", "worth knowing"),
        tuple((r.name, r.kind, f"{r.n_missing:,}", f"{r.n_distinct:,}", "; ".join(r.remarks)) for r in shown),
        numbers=frozenset({2, 3}),
    )
    if len(reports) > len(shown):
        yield Paragraph(f"{len(reports) - len(shown):,} more columns are not listed.")
    yield Heading(3, f"The target: {rows.target}")
    yield _classes(rows.whole_truth) if rows.has_classes else _numbers(rows.whole_truth)


def _classes(target: pd.Series) -> Drawing:
    counts = target.value_counts().sort_index()
    counts = counts if len(counts) <= _MOST_CLASSES else counts.nlargest(_MOST_CLASSES)
    with treewright_style():
        figure, ax = new_figure(6.5, 0.8 + 0.28 * len(counts))
        names = [_label(value) for value in counts.index]
        ax.barh(names, counts.to_numpy(), color=class_colours([float(count) for count in counts]))
        ax.invert_yaxis()
        ax.set_xlabel("rows")
        return Drawing(figure_svg(figure), "rows of each class")


def _numbers(target: pd.Series) -> Drawing:
    with treewright_style():
        figure, ax = new_figure(6.5, 2.6)
        ax.hist(target.to_numpy(dtype=np.float64), bins=30, color=PALETTE[0])
        ax.set_xlabel(str(target.name).replace("$", r"\$"))
        ax.set_ylabel("rows")
        return Drawing(figure_svg(figure), f"how the target is spread: from {target.min():.4g} to {target.max():.4g}")


def _label(value: Any) -> str:
    """A class as a label; a dollar would begin a formula."""
    text = level_text(value.item() if isinstance(value, np.generic) else value)
    return text.replace("$", r"\$")

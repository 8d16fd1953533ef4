"""What the columns do to the answer, and what more rows would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from treewright.algorithms import ALGORITHMS
from treewright.compare import learning_curve
from treewright.draw.style import figure_svg
from treewright.effects import importance, partial_dependence
from treewright.pages.blocks import Block, Drawing, Heading, Paragraph
from treewright.report.split_rows import SplitTable

_SHOWN_COLUMNS = 3
_MOST_ROWS = 2_000
_TRIALS = 10
_SIZES = (0.07, 0.17, 0.35, 0.52, 0.69)  # of the rows; the others, always the same, are the test


def columns_section(model: Any, name: str, rows: SplitTable, random_state: int) -> Iterator[Block]:
    """Draw how much each column matters to a model, and how its answer moves with the first of them."""
    X, y = rows.held_out.head(_MOST_ROWS), rows.held_out_truth.head(_MOST_ROWS)
    found = importance(model, X, y, n_repeats=5, random_state=random_state)
    yield Heading(2, "Which columns matter", "columns")
    yield Paragraph(
        f"A column of the held-out rows is shuffled, and {name} answers again: the more it loses, the more it needs "
        "the column. Columns that tell the same share what they are worth."
    )
    yield Drawing(figure_svg(found.plot()), f"what {name} loses when a column is shuffled")
    for j in found.order[:_SHOWN_COLUMNS]:
        if found.mean[j] <= 0:
            continue
        column = found.columns[j]
        yield Drawing(figure_svg(partial_dependence(model, X, column).plot()), f"the mean answer of {name} by {column}")


def curve_section(
    name: str, rows: SplitTable, column_kinds: Mapping[str, str] | None, random_state: int, n_jobs: int | None
) -> Iterator[Block]:
    """Draw the learning curves of the tree and of the best learner."""
    learners = ["cart", name] if name != "cart" and name in ALGORITHMS else ["cart"]
    curve = learning_curve(
        rows.table, rows.truth, learners, sizes=_SIZES, trials=_TRIALS, test="fixed", task=rows.task,
        column_kinds=column_kinds, random_state=random_state, n_jobs=n_jobs,
    )  # fmt: skip
    yield Heading(2, "Would more rows help?", "curve")
    yield Paragraph("A curve that still rises at its end says yes.")
    yield Drawing(figure_svg(curve.plot()), "how good the answers are, by the number of rows that were learnt from")

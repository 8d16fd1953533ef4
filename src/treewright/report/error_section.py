"""The honest error: what the models say of rows that nobody had seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from treewright.compare.one_fold import measure
from treewright.draw import plot_calibration, plot_confusion, plot_roc
from treewright.draw.style import PALETTE, figure_svg, new_figure, treewright_style
from treewright.evaluate.intervals import wilson_interval
from treewright.evaluate.measures import measures_of
from treewright.pages.blocks import Block, Drawing, Heading, Paragraph, Table
from treewright.report.split_rows import SplitTable

Scores = dict[str, dict[str, float]]


def held_out_scores(models: Mapping[str, Any], rows: SplitTable) -> Scores:
    """Score each model on the rows that were held out."""
    truth = rows.held_out_truth.to_numpy()
    return {
        name: measure(rows.opened, model, rows.held_out, truth, np.asarray(model.predict(rows.held_out)))
        for name, model in models.items()
    }


def error_section(models: Mapping[str, Any], scores: Scores, rows: SplitTable) -> Iterator[Block]:
    """Tell how good the models are, and where they err."""
    yield Heading(2, "How good it is on rows that nobody had seen", "error")
    yield Paragraph(f"{len(rows.test):,} of {rows.n_rows:,} rows were held out before anything was looked at.")
    measures = measures_of(rows.task)
    yield Table(
        ("model", *(m.title for m in measures)),
        tuple((name, *(m.show(told[m.name]) for m in measures)) for name, told in scores.items()),
        numbers=frozenset(range(1, len(measures) + 1)),
    )
    if not rows.has_classes:
        yield from _numbers(models, rows)
        return
    right = round(scores["cart"]["accuracy"] * len(rows.test))
    low, high = wilson_interval(right, len(rows.test))
    yield Paragraph(
        f"The tree is right in {right:,} of {len(rows.test):,} rows; with so many rows the true share lies between "
        f"{low:.3f} and {high:.3f} (95 %)."
    )
    yield from _classes(models, rows)


def _classes(models: Mapping[str, Any], rows: SplitTable) -> Iterator[Block]:
    name, model = [*models.items()][-1]
    yield Drawing(
        figure_svg(plot_confusion(model, rows.held_out, rows.held_out_truth)),
        f"{name}: what was true, and what it said",
    )
    with_shares = {name: model for name, model in models.items() if hasattr(model, "predict_proba")}
    if rows.held_out_truth.nunique() == 2 and with_shares:
        yield Drawing(
            figure_svg(plot_roc(with_shares, rows.held_out, rows.held_out_truth)), "how well the classes are told apart"
        )
        words = "whether a probability of 80 % means that 80 % are so"
        yield Drawing(figure_svg(plot_calibration(with_shares, rows.held_out, rows.held_out_truth)), words)


def _numbers(models: Mapping[str, Any], rows: SplitTable) -> Iterator[Block]:
    name, model = [*models.items()][-1]
    truth, said = rows.held_out_truth.to_numpy(dtype=np.float64), np.asarray(model.predict(rows.held_out))
    with treewright_style():
        figure, ax = new_figure(4.6, 4.2)
        ends = [min(truth.min(), said.min()), max(truth.max(), said.max())]
        ax.plot(ends, ends, color="#777777", linewidth=1)
        ax.scatter(said, truth, s=10, color=PALETTE[0], alpha=0.5, linewidths=0)
        ax.set_xlabel("predicted")
        ax.set_ylabel("true")
        yield Drawing(figure_svg(figure), f"{name}: every held-out row; on the line a prediction is right")

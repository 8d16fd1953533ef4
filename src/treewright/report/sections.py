"""The sections of a report, each a generator of blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from treewright.inspection.column_statistics import column_statistics
from treewright.inspection.importance import importance
from treewright.inspection.partial_dependence import partial_dependence
from treewright.inspection.support import wilson_interval
from treewright.learners.registry import LEARNERS
from treewright.model_selection.comparison import Comparison, p_text
from treewright.model_selection.learning_curve import learning_curve
from treewright.model_selection.measures import measures_of
from treewright.model_selection.run_jobs import measure
from treewright.pages.blocks import Block, Drawing, Heading, Paragraph, Table, Verbatim
from treewright.plot import draw, plot_calibration, plot_confusion, plot_roc
from treewright.plot.class_plots import MOST_CLASSES
from treewright.plot.style import PALETTE, class_colours, figure_svg, new_figure, treewright_style
from treewright.report.split_rows import SplitTable
from treewright.report.tables_for_pictures import (
    class_table,
    confusion_table,
    curve_table,
    importance_table,
    number_table,
)
from treewright.table.column_kinds import guess_kinds
from treewright.table.schema import level_text
from treewright.tree.format import measured_text
from treewright.wording import on_command_line

# The table: what is in it, what was made of each column, and how the target is spread.


_MOST_COLUMNS = 200
_MOST_CLASSES = 30


def data_section(rows: SplitTable, column_kinds: Mapping[str, str] | None) -> Iterator[Block]:
    """Tell about the columns and the target."""
    yield Heading(2, "The table", "table")
    reports = guess_kinds(rows.whole, column_kinds)
    shown = reports[:_MOST_COLUMNS]
    found = [column_statistics(rows.whole.iloc[:, j], report.kind) for j, report in enumerate(shown)]
    if any(report.kind == "numeric" for report in shown):
        yield Paragraph("Numeric columns: minimum | lower quartile, median, upper quartile | maximum, mean, histogram.")
    told = any(report.remarks for report in shown)  # an empty column would take room from the others
    yield Table(
        ("column", "kind", "missing", "distinct", "what is in it", *(["worth knowing"] if told else [])),
        tuple(
            (r.name, r.kind, f"{r.n_missing:,}", f"{r.n_distinct:,}", each.text(), *(["; ".join(r.remarks)] * told))
            for r, each in zip(shown, found, strict=True)
        ),
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
        return Drawing(figure_svg(figure), "rows of each class", class_table(counts))


def _numbers(target: pd.Series) -> Drawing:
    with treewright_style():
        figure, ax = new_figure(6.5, 2.6)
        ax.hist(target.to_numpy(dtype=np.float64), bins=30, color=PALETTE[0])
        ax.set_xlabel(str(target.name).replace("$", r"\$"))
        ax.set_ylabel("rows")
        low, high = measured_text(target.min()), measured_text(target.max())
        return Drawing(figure_svg(figure), f"how the target is spread: from {low} to {high}", number_table(target))


def _label(value: Any) -> str:
    """A class as a label; a dollar would begin a formula."""
    text = level_text(value.item() if isinstance(value, np.generic) else value)
    return text.replace("$", r"\$")


# The comparison: every learner on the same folds.


def comparison_section(comparison: Comparison) -> Iterator[Block]:
    """Give the table of learners, the best first, and its picture."""
    measures = comparison.measures()
    able = [learner for learner in comparison.learners if not learner.problem]
    yield Heading(2, "Learners compared", "comparison")
    yield Paragraph(
        f"Every learner saw the same folds of the rows to learn from ({comparison.folds}). The number after ± is the "
        "standard deviation from fold to fold. The p-value is the chance of a difference to the best as large as this "
        "one if both were equally good (a t-test corrected for folds that share their rows)."
    )
    lines = []
    for learner in able:
        scores = (_score_text(learner, measure) for measure in measures)
        chance = p_text(comparison, learner)
        lines.append((learner.name, *scores, chance))
    yield Table(
        ("learner", *(measure.title for measure in measures), "p-value"),
        tuple(lines),
        numbers=frozenset(range(1, len(measures) + 2)),
        marked=frozenset({0}),
    )
    yield Drawing(
        figure_svg(comparison.plot()), f"{measures[0].title} of each learner, with its 95 % confidence interval"
    )
    for learner in comparison.learners:
        if learner.problem:
            yield Paragraph(f"{learner.name} could not be trained: {learner.problem}")


def _score_text(learner: Any, measure: Any) -> str:
    """Mean and spread; a dash where the learner has no such score, as a perceptron has no log loss."""
    mean = learner.mean(measure.name)
    return "-" if mean != mean else f"{measure.show(mean)}\u00a0±\u00a0{measure.show(learner.spread(measure.name))}"


# The tree: drawn, and as rules.


_DRAWN_DEPTH = 5
_MOST_RULES = 30


def tree_section(tree: Any, rows: SplitTable, how: str) -> Iterator[Block]:
    """Draw the tree with the rows that it was grown from, and write its rules."""
    yield Heading(2, "A tree to read", "tree")
    n_leaves, depth = tree.get_n_leaves(), tree.get_depth()
    leaves = "1 leaf" if n_leaves == 1 else f"{n_leaves:,} leaves"
    yield Paragraph(f"The tree of {how}: {leaves}, depth {depth}.")
    below = f"; only the first {_DRAWN_DEPTH} levels are drawn" if depth > _DRAWN_DEPTH else ""
    picture = draw(tree, X=rows.table, y=rows.truth, max_depth=_DRAWN_DEPTH)
    words = f"the tree of '{rows.target}'{below}; each node shows the rows to learn from and where they are cut"
    yield Drawing(picture.to_svg(), words, Verbatim(tree.tree_.to_text(max_depth=_DRAWN_DEPTH, width=100)))
    yield Heading(3, "Its rules", "rules")
    rules = tree.rules().sorted("support")
    yield rules[:_MOST_RULES].table()
    if len(rules) > _MOST_RULES:
        yield Paragraph(f"{len(rules) - _MOST_RULES:,} more rules with fewer rows: model.rules() has all of them.")


# The honest error: what the models say of rows that nobody had seen.


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
        yield from _number_scores(models, rows)
        return
    right = round(next(iter(scores.values()))["accuracy"] * len(rows.test))
    low, high = wilson_interval(right, len(rows.test))
    yield Paragraph(
        f"The tree is right in {right:,} of {len(rows.test):,} rows; 95 % confidence interval of its accuracy: "
        f"{low:.3f} to {high:.3f}."
    )
    yield from _class_scores(models, rows)


def _class_scores(models: Mapping[str, Any], rows: SplitTable) -> Iterator[Block]:
    name, model = next(iter(models.items()))  # the tree, of which the sentence above speaks
    said = model.predict(rows.held_out)
    n_classes = len({*rows.held_out_truth.tolist(), *said.tolist()})
    if n_classes > MOST_CLASSES:
        yield Paragraph(f"A confusion matrix of {n_classes:,} classes is too large to be read, and is left out.")
    else:
        yield Drawing(
            figure_svg(plot_confusion(model, rows.held_out, rows.held_out_truth)),
            f"{name}: confusion matrix, what was true and what it said",
            confusion_table(rows.held_out_truth, said),
        )
    with_shares = {name: model for name, model in models.items() if hasattr(model, "predict_proba")}
    if rows.held_out_truth.nunique() == 2 and with_shares:
        yield Drawing(
            figure_svg(plot_roc(with_shares, rows.held_out, rows.held_out_truth)),
            "ROC curve: how well the classes are told apart",
        )
        words = "calibration: whether a probability of 80 % means that 80 % are so"
        yield Drawing(figure_svg(plot_calibration(with_shares, rows.held_out, rows.held_out_truth)), words)


def _number_scores(models: Mapping[str, Any], rows: SplitTable) -> Iterator[Block]:
    name, model = next(iter(models.items()))  # the tree that was drawn
    truth, said = rows.held_out_truth.to_numpy(dtype=np.float64), np.asarray(model.predict(rows.held_out))
    with treewright_style():
        figure, ax = new_figure(4.6, 4.2)
        ends = [min(truth.min(), said.min()), max(truth.max(), said.max())]
        ax.plot(ends, ends, color="#777777", linewidth=1)
        ax.scatter(said, truth, s=10, color=PALETTE[0], alpha=0.5, linewidths=0)
        ax.set_xlabel("predicted")
        ax.set_ylabel("true")
        yield Drawing(figure_svg(figure), f"{name}: every held-out row; on the line a prediction is right")


# What the columns do to the answer, and what more rows would.


_MOST_CURVES = 12  # of one picture
_SHOWN_COLUMNS = 3
_MOST_ROWS = 2_000
_TRIALS = 10
_SIZES = (0.07, 0.17, 0.35, 0.52, 0.69)  # of the rows; the others, always the same, are the test


def columns_section(model: Any, name: str, rows: SplitTable, random_state: int) -> Iterator[Block]:
    """Draw how much each column matters to a model, and how its answer moves with the first of them."""
    X, y = rows.held_out.head(_MOST_ROWS), rows.held_out_truth.head(_MOST_ROWS)
    found = importance(model, X, y, scoring=_scorer(rows, y), n_repeats=5, random_state=random_state)
    yield Heading(2, "Which columns matter", "columns")
    yield Paragraph(
        f"A column of the held-out rows is shuffled, and {name} answers again: the more it loses, the more it needs "
        "the column. Columns that tell the same share what they are worth."
    )
    yield Drawing(figure_svg(found.plot()), f"what {name} loses when a column is shuffled", importance_table(found))
    for j in found.order[:_SHOWN_COLUMNS]:
        if found.mean[j] <= 0:
            continue
        column = found.columns[j]
        yield Drawing(
            figure_svg(partial_dependence(model, X, column).plot(of_class=_class_to_draw(model, rows))),
            f"partial dependence: the mean answer of {name} by {column}",
        )


def _scorer(rows: SplitTable, held_out: pd.Series) -> str | None:
    """AUC where it decides; of more than two classes it would need all of them in the rows held out."""
    return "roc_auc" if rows.scoring == "auc" and held_out.nunique() == rows.truth.nunique() == 2 else None


def _class_to_draw(model: Any, rows: SplitTable) -> Any:
    """A curve for each class, but of many only that of the most frequent one; the axis names it."""
    if len(getattr(model, "classes_", ())) <= _MOST_CURVES:
        return None
    return rows.truth.value_counts().sort_index().idxmax()


def curve_section(
    tree: str,
    name: str,
    rows: SplitTable,
    column_kinds: Mapping[str, str] | None,
    random_state: int,
    n_jobs: int | None,
) -> Iterator[Block]:
    """Draw the learning curves of the tree and of the best learner."""
    learners = [tree, name] if name != tree and name in LEARNERS else [tree]
    curve = learning_curve(
        rows.table, rows.truth, learners, sizes=_SIZES, trials=_TRIALS, test="fixed", scoring=rows.scoring,
        task=rows.task, column_kinds=column_kinds, random_state=random_state, n_jobs=n_jobs,
    )  # fmt: skip
    yield Heading(2, "Would more rows help?", "curve")
    yield Paragraph("A learning curve that still gets better at its end says yes.")
    words = "how good the answers are, by the number of rows that were learnt from"
    yield Drawing(figure_svg(curve.plot()), words, curve_table(curve))


# What was decided on the way, and how to change it.


_MOST_NAMES = 6


@dataclass(frozen=True)
class Decisions:
    """What there was to decide."""

    rows: SplitTable
    tree: Any
    cv: int
    test_share: float
    random_state: int
    column_kinds: Mapping[str, str] | None


def decisions_section(made: Decisions) -> Iterator[Block]:
    """List the decisions, each with the parameter that changes it."""
    yield Heading(2, "What was decided, and how to change it", "decisions")
    guessed = [r.name for r in guess_kinds(made.rows.whole, made.column_kinds) if r.decided_by == "guess"]
    more = f" and {len(guessed) - _MOST_NAMES} more" if len(guessed) > _MOST_NAMES else ""
    names = ", ".join(guessed[:_MOST_NAMES]) + more
    task = "classification: its values are classes" if made.rows.has_classes else "regression: its values are numbers"
    lines = [
        (f"The target '{made.rows.target}' asks for {task}.", _ways("task")),
        (f"{len(guessed)} columns are numeric or nominal by a guess: {names or 'none'}.", _ways("column_kinds")),
        (f"{100 * made.test_share:.0f} % of the rows are held out.", _ways("test_share")),
        (f"Learners are compared on {made.cv} folds of the others.", _ways("cv", "algorithms")),
        ("The tree is the best of those compared that has 2 to 16 leaves.", _ways("algorithms")),
        (f"Rows are dealt out by the seed {made.random_state}.", _ways("random_state")),
    ]
    yield Table(("decision", "to change it"), tuple(lines))
    yield Paragraph("The same table, parameters and seed give the same report, whatever the number of processors.")


def _ways(*parameters: str) -> str:
    """Name what changes a decision: options for a report of the command line, parameters for one of Python."""
    if not on_command_line():
        return ", ".join(f"{name}=" for name in parameters)
    options = {"column_kinds": "kind", "random_state": "seed"}
    return ", ".join(f"--{options.get(name, name).replace('_', '-')}" for name in parameters)

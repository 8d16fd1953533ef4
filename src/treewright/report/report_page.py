"""`tw.report`: from a table to a page. Split, compare, train, judge on rows that were held out, write."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.errors import DataError
from treewright.given_names import path_given
from treewright.model_selection.compare import compare
from treewright.model_selection.comparison import Comparison
from treewright.model_selection.task import BASELINE, gather
from treewright.pages.blocks import Block, Heading, Paragraph
from treewright.pages.html_page import write_html
from treewright.pages.markdown_page import write_markdown
from treewright.report.readable_tree import NO_BETTER, best_readable_tree, is_no_better
from treewright.report.sections import (
    Decisions,
    columns_section,
    comparison_section,
    curve_section,
    data_section,
    decisions_section,
    error_section,
    held_out_scores,
    tree_section,
)
from treewright.report.split_rows import SplitTable, split_table
from treewright.table.column_remarks import told_once
from treewright.tree.format import name_text, share_text

# A finished report: the models and numbers behind it, and the page.


@dataclass(frozen=True)
class Report:
    """What `tw.report` found. Save it as a page, or look at its parts.

    Attributes
    ----------
    title : str
        The heading of the page.
    tree : fitted model
        The tree that is drawn, grown from the training rows.
    best : fitted model
        The learner that did best in the comparison, trained on the same rows.
    comparison : Comparison
        All learners on the folds of the training rows.
    held_out : dict
        What the two models score on the rows that were held out: model → measure → value.
    blocks : tuple
        The page in parts.
    """

    title: str
    tree: Any
    best: Any
    comparison: Comparison
    held_out: dict[str, dict[str, float]]
    blocks: tuple[Block, ...]

    def to_html(self) -> str:
        """Give the report as one HTML page: pictures inside, no script, no request to anywhere."""
        return write_html(self.blocks, self.title)

    def to_markdown(self) -> str:
        """Give the report as Markdown, without its pictures."""
        return write_markdown(self.blocks)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the page."""
        Path(path).write_text(self.to_html(), encoding="utf-8")

    def _repr_html_(self) -> str:
        from treewright.pages.html_page import write_fragment

        return write_fragment(self.blocks)

    def __repr__(self) -> str:
        return f"<Report '{self.title}': best {self.comparison.best} of {len(self.comparison.learners)} learners>"


@told_once()
def report(
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    algorithms: Any = None,
    cv: int = 10,
    test_share: float = 0.25,
    task: str | None = None,
    column_kinds: Mapping[str, str] | None = None,
    title: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Report:
    """Look at a table, compare learners on it, draw a tree, judge it on rows that were held out, and write it all down.

    Parameters
    ----------
    X, y : table and column
        What is learnt from, and what is learnt.
    path : str, optional
        Where to save the page (.html).
    algorithms : optional
        Who takes part in the comparison, as in `tw.compare`; None: everyone that can do the task.
    cv : int, default 10
        Folds of the comparison.
    test_share : float, default 0.25
        The share of the rows that no model sees until the end.
    task : {"classification", "regression"}, optional
        Told by the target if left out.
    column_kinds : dict, optional
        Kinds of columns, where the guess is overridden.
    title : str, optional
        The heading of the page.
    random_state : int, default 0
        Deals out the rows.
    n_jobs : int, optional
        Processes of the comparison; None: all processors.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> found = tw.report(X, y, algorithms=["cart", "naive_bayes"], cv=3, n_jobs=1)
    >>> found.tree.get_n_leaves(), sorted(found.held_out)
    (3, ['cart'])
    """
    from sklearn.base import clone

    if path is not None and not path_given("tw.report", path).name.lower().endswith((".html", ".htm")):
        raise DataError(f"{os.fsdecode(path)}: a report is an HTML page. Let its name end with .html.")
    rows = split_table(X, y, test_share, task, random_state, column_kinds)
    comparison = compare(
        rows.table, rows.truth, algorithms, cv=cv, scoring=rows.scoring, task=rows.task, column_kinds=column_kinds,
        random_state=random_state, n_jobs=n_jobs,
    )  # fmt: skip
    contestants = gather(algorithms, rows.task, random_state=random_state, column_kinds=column_kinds)
    makers = {one.name: one.estimator for one in contestants}
    readable = best_readable_tree(comparison, makers, rows, column_kinds, random_state)
    tree, name = readable.model, _best_learner(comparison)
    best = tree if name == readable.name else clone(makers[name]).fit(rows.table, rows.truth)
    models = {readable.name: tree}
    if best is not tree:
        models[f"the best learner: {name}"] = best
    scores = held_out_scores(models, rows)
    heading = title or f"What '{rows.target}' depends on"
    blocks = (
        Heading(1, heading),
        Paragraph(_in_short(rows, comparison, name, scores)),
        *([Paragraph(NO_BETTER)] if is_no_better(rows, comparison.measures()[0], next(iter(scores.values()))) else []),
        *data_section(rows, column_kinds),
        *comparison_section(comparison),
        *tree_section(tree, rows, readable.words),
        *error_section(models, scores, rows),
        *columns_section(best, name, rows, random_state),
        *curve_section(readable.name, name, rows, column_kinds, random_state, n_jobs),
        *decisions_section(Decisions(rows, tree, cv, test_share, random_state, column_kinds)),
    )
    made = Report(heading, tree, best, comparison, scores, blocks)
    if path is not None:
        made.save(path)
    return made


def _best_learner(comparison: Any) -> str:
    """The best of those that learn something: a guess can win, but there is nothing to show about it."""
    able = [learner.name for learner in comparison.learners if learner.name != BASELINE and not learner.problem]
    if not able:
        raise DataError("No learner could be trained on this table. The comparison says why: tw.compare(X, y).")
    return str(able[0])  # they are in the order of their scores


def _in_short(rows: SplitTable, comparison: Any, name: str, scores: Mapping[str, Mapping[str, float]]) -> str:
    measure = comparison.measures()[0]
    guess = next((one.mean(measure.name) for one in comparison.learners if one.name == BASELINE), None)
    tree_score, best_score = (told[measure.name] for told in (next(iter(scores.values())), [*scores.values()][-1]))
    text = f"{rows.n_rows:,} rows, {rows.n_columns} columns. "
    if rows.scoring is not None:
        shares = rows.truth.value_counts(normalize=True)
        most = f"{share_text(shares.max())} of the rows are {name_text(shares.idxmax())}"
        text += f"{most}, which a guess says of all: learners are judged by {measure.title}, not by accuracy. "
    if guess is not None:
        text += f"A guess that looks at no column has {measure.title} {measure.show(guess)}. "
    text += f"On rows that no model had seen, a tree that can be read has {measure.show(tree_score)}"
    if len(scores) == 1:
        return f"{text}."
    n_able = sum(not learner.problem and learner.name != BASELINE for learner in comparison.learners)
    return f"{text}, and {name}, the best of {n_able} learners, {measure.show(best_score)}."

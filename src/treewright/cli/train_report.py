"""What `train` prints: the tree, its score beside that of a plain guess, the most important columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.fitted_model import has_trees, is_ensemble, summary
from treewright.cli.screen import bar, can_draw, count, cut_lines, tree_text
from treewright.learners.ensemble.text import ensemble_text
from treewright.model_selection.measures import MEASURES
from treewright.prune.readable import told_choice
from treewright.tree.format import largest_first

if TYPE_CHECKING:
    from treewright.model_selection.cross_validation import CrossValidation

TREE_LINES = 40
PIPED_WIDTH = 100
MOST_COLUMNS = 10
NO_BETTER = "That is no better than guessing: what the model has learnt does not hold up on rows not seen."


@dataclass(frozen=True)
class Training:
    """A finished training, to be told about."""

    source: str
    task: str
    target: str
    n_rows: int
    model: Any
    validation: CrossValidation | None
    nothing: list[str] = field(default_factory=list)  # what is said where nothing was learnt
    notes: list[str] = field(default_factory=list)
    out: str | None = None


def print_report(training: Training) -> None:
    """Print the training for people."""
    names = training.model.feature_names_in_
    click.echo(
        f"{training.source}: {count(training.n_rows, 'row')}, {count(len(names), 'column')}, "
        f"{training.task} of '{training.target}'"
    )
    if is_ensemble(training.model):
        click.echo(ensemble_text(training.model, columns=False))
    elif has_trees(training.model):
        _print_tree(training)
    else:
        click.echo(str(training.model).replace("show MODEL", f"show {_file_of(training)}"))
    for line in training.nothing:
        click.echo(line)
    if training.validation is not None:
        _print_validation(training.validation)
        if not training.nothing and training.validation.is_no_better():
            click.echo(NO_BETTER)
    _print_importances(training.model)


def _print_tree(training: Training) -> None:
    tree = training.model.tree_
    click.echo(f"Tree of {count(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}")
    prices = getattr(training.model, "cp_table_", None)
    if prices is not None and len(prices.alone):
        click.echo(_cut_line(int(prices.n_leaves[0]), tree.n_leaves, prices.spread))
    if prices is not None and (told := told_choice(prices)):
        more = "" if prices.judged_by else f" --leaves {prices.n_leaves[prices.cv_risk.argmin()]} allows them."
        together = (told + more).replace(" %", "\u00a0%")  # a line does not end before its per cent
        click.echo(fill(together, PIPED_WIDTH).replace("\u00a0", " "))
    click.echo()
    written = tree_text(tree, piped_width=PIPED_WIDTH)
    text, left_out = cut_lines(written, TREE_LINES)
    click.echo(text)
    if left_out:
        click.echo(f"… {count(left_out, 'more line')}: treewright show {_file_of(training)}")


def _file_of(training: Training) -> str:
    """The name of the model's file, or the word that stands for one."""
    return training.out if training.out not in (None, "-") else "MODEL"


def _cut_line(grown: int, left: int, spread: str) -> str:
    """Say what cross-validation cut off.

    >>> _cut_line(168, 5, "10 deals of 10 folds")
    'Cut from 168 leaves by cross-validation: 10 deals of 10 folds'
    >>> _cut_line(3, 3, "10 deals of 10 folds; alone they choose 3 leaves")
    'Fully grown; cross-validation cuts nothing: 10 deals of 10 folds'
    """
    if grown == left:
        return f"Fully grown; cross-validation cuts nothing: {spread.partition(';')[0]}"
    return f"Cut from {count(grown, 'leaf', 'leaves')} by cross-validation: {spread}"


def _print_validation(validation: CrossValidation) -> None:
    click.echo(f"\nOn rows it has not seen ({validation.n_folds}-fold cross-validation, spread from fold to fold)")
    guess = "the most frequent class" if validation.task == "classification" else "the mean"
    for measure in validation.scores:
        click.echo(_line(validation, measure, guess))


def _line(validation: CrossValidation, measure: str, guess: str) -> str:
    title = "R²" if measure == "r2" and can_draw() else MEASURES[measure].title
    told, give_or_take = MEASURES[measure], "±" if can_draw() else "+-"
    mean, guessed = told.show(validation.mean(measure)), told.show(validation.baseline_mean(measure))
    spread = told.show_spread(validation.spread(measure))
    return f"  {title:<8}  {mean} {give_or_take} {spread}   (always {guess}: {guessed})"


def importances(model: Any) -> list[tuple[str, float]]:
    """Give the columns that the trees use with their share of all they gained, the largest first."""
    if not has_trees(model):
        return []
    shares = zip(model.feature_names_in_, model.feature_importances_, strict=True)
    used = [(str(name), float(share)) for name, share in shares if share > 0]
    return [used[j] for j in largest_first(share for _, share in used)]


def _print_importances(model: Any) -> None:
    ranked = importances(model)
    if not ranked:
        return
    click.echo("\nMost important columns" if len(ranked) > 1 else "\nThe only column used")
    width = max(len(name) for name, _ in ranked[:MOST_COLUMNS])
    for name, share in ranked[:MOST_COLUMNS]:
        click.echo(f"  {name:<{min(width, 40)}}  {100 * share:5.1f} %  {bar(share)}")
    if len(ranked) > MOST_COLUMNS:
        click.echo(f"  … and {count(len(ranked) - MOST_COLUMNS, 'more column')}")


def as_dict(training: Training) -> dict[str, Any]:
    """Give the training as JSON values, for programs."""
    validation = training.validation
    scores = validation and {
        measure: {
            "mean": validation.mean(measure),
            "spread": validation.spread(measure),
            "baseline": validation.baseline_mean(measure),
            "folds": validation.scores[measure],
        }
        for measure in validation.scores
    }
    return {
        "data": training.source,
        "task": training.task,
        "target": training.target,
        "rows": training.n_rows,
        "columns": list(training.model.feature_names_in_),
        **summary(training.model),
        "cross_validation": scores,
        "importances": dict(importances(training.model)),
        "nothing_learnt": training.nothing,
        "fingerprint": training.model.fingerprint(),
        "notes": training.notes,
        "out": training.out,
    }

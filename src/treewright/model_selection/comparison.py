"""What a comparison gave: the scores of each learner on each fold, as a table, a text, JSON or a picture."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import DataError
from treewright.model_selection.measures import Measure, find_measure, measures_of
from treewright.model_selection.task import BASELINE
from treewright.pages.plain_table import plain_table, table_width
from treewright.plot.style import GREY, PALETTE, new_figure, save_figure, treewright_style
from treewright.tree.format import estimate_text, rounded_to

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from treewright.model_selection.measures import Measure


# Do two learners really differ, when their scores come from folds of one table? The corrected resampled t-test.


def corrected_p_value(first: Sequence[float], second: Sequence[float], test_to_training: float) -> float:
    """Give the two-sided p-value of the hypothesis that both learners score the same.

    Parameters
    ----------
    first, second : scores
        Of the two learners, on the same folds in the same order.
    test_to_training : float
        Rows tested for each row learnt from: 1/9 for ten folds.

    Examples
    --------
    >>> round(corrected_p_value([0.8, 0.9, 0.7], [0.7, 0.7, 0.6], 0.5), 4)
    0.1271
    >>> corrected_p_value([0.8, 0.9], [0.8, 0.9], 1.0)
    1.0
    """
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    mean, error = float(np.mean(difference)), corrected_error(difference, test_to_training)
    if mean == 0:
        return 1.0
    from scipy.stats import t

    return float(2 * t.sf(abs(mean) / error if error > 0 else inf, len(difference) - 1))


def corrected_error(scores: Any, test_to_training: float) -> float:
    """Give the standard error of a mean over folds that share training rows.

    Examples
    --------
    >>> round(corrected_error([0.7, 0.8, 0.9], 0.5), 4)
    0.0913
    """
    values = np.asarray(scores, dtype=np.float64)
    return sqrt((1 / len(values) + test_to_training) * float(np.var(values, ddof=1)))


def corrected_interval(scores: Any, test_to_training: float, level: float = 0.95) -> tuple[float, float]:
    """Give the range in which the mean score would lie in so many of a hundred repetitions.

    Examples
    --------
    >>> low, high = corrected_interval([0.7, 0.8, 0.9], 0.5)
    >>> round(low, 3), round(high, 3)
    (0.407, 1.193)
    """
    from scipy.stats import t

    values = np.asarray(scores, dtype=np.float64)
    reach = float(t.ppf((1 + level) / 2, len(values) - 1)) * corrected_error(values, test_to_training)
    return float(np.mean(values)) - reach, float(np.mean(values)) + reach


# A comparison as a table of text.


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


_COSTS = ("size", "fit s", "predict s")  # the last one gives way first, and all of them before any measure


def comparison_cells(result: Comparison, width: int | None = None, gap: int = 2) -> tuple[list[str], list[list[str]]]:
    """Give headings and rows as texts; with a width, as many columns as fit into it with such gaps between them.

    How good a learner is counts for more than what it costs: seconds and sizes give way before measures do.
    """
    others, costs = [measure.name for measure in result.measures()[1:]], list(_COSTS)
    while True:
        headings, rows = _cells(result, others, costs)
        if width is None or not (others or costs) or table_width(headings, rows, gap) <= width:
            return headings, rows
        (costs or others).pop()


def _cells(result: Comparison, others: list[str], costs: list[str]) -> tuple[list[str], list[list[str]]]:
    decides, *rest = result.measures()
    shown = [measure for measure in rest if measure.name in others]
    paid = [cost for cost in ("fit s", "predict s", "size") if cost in costs]
    headings = ["learner", decides.title, "spread", "p", *(measure.title for measure in shown), *paid]
    rows = []
    for learner in result.learners:
        if not learner.scores:
            rows.append([learner.name, "failed", *[""] * (len(headings) - 2)])
            continue
        cost_texts = {
            "fit s": f"{learner.fit_seconds:.3f}",
            "predict s": f"{learner.predict_seconds:.3f}",
            "size": size_text(learner.n_bytes),
        }
        rows.append(
            [
                learner.name,
                decides.show(learner.mean(decides.name)),
                decides.show_spread(learner.spread(decides.name)),
                p_text(result, learner),
                *(measure.show(learner.mean(measure.name)) for measure in shown),
                *(cost_texts[cost] for cost in paid),
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


# The picture of a comparison: learners from top to bottom, scores from left to right.


def plot_comparison(
    result: Comparison, path: str | os.PathLike[str] | None, measure: Measure, ax: Axes | None
) -> Figure:
    """Draw each fold as a small point, the mean as a large one and its 95 % confidence interval as a line."""
    sign = -1 if measure.larger_is_better else 1
    known = [one for one in result.learners if one.mean(measure.name) == one.mean(measure.name)]
    if not known:
        raise DataError(f"No learner has the measure '{measure.name}', so there is nothing to draw.")
    shown = sorted(known, key=lambda one: rounded_to(sign * one.mean(measure.name)))
    with treewright_style():
        figure, ax = new_figure(7.0, 1.15 + 0.32 * len(shown), ax)
        _draw_baseline(ax, shown, measure)
        for place, learner in enumerate(shown):
            _draw_learner(ax, result, learner, measure, place)
        _label(ax, result, shown, measure)
        if path is not None:
            save_figure(figure, path)
    return figure


def _draw_learner(ax: Axes, result: Comparison, learner: LearnerScores, measure: Measure, place: int) -> None:
    colour = GREY if learner.name == BASELINE else PALETTE[1] if place == 0 else PALETTE[0]
    scores = np.asarray(learner.scores[measure.name])
    # Folds with the same score would hide each other: they are moved apart a little, each fold in the same way.
    heights = place + np.linspace(-0.22, 0.22, len(scores))
    ax.scatter(scores, heights, s=9, color=colour, alpha=0.35, linewidths=0)
    low, high = result.interval(learner.name, measure.name)
    ax.plot([low, high], [place, place], color=colour, linewidth=2, solid_capstyle="round")
    ax.plot([learner.mean(measure.name)], [place], "o", color=colour, markersize=7, markeredgecolor="white")


def _draw_baseline(ax: Axes, shown: list[LearnerScores], measure: Measure) -> None:
    for learner in shown:
        if learner.name == BASELINE:
            ax.axvline(learner.mean(measure.name), color=GREY, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0.5)


def _label(ax: Axes, result: Comparison, shown: list[LearnerScores], measure: Measure) -> None:
    ax.set_yticks(range(len(shown)), [learner.name for learner in shown])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    better = "" if measure.larger_is_better else " (smaller is better)"
    ax.set_xlabel(f"{measure.title}{better}: mean, 95 % confidence interval, each of {result.n_folds} folds")
    title = f"{len(shown)} learners on {result.n_rows:,} rows, {result.folds}"
    failed = [learner.name for learner in result.learners if not learner.scores]
    ax.set_title(title + (f"; failed: {', '.join(failed)}" if failed else ""))


NOTHING = float("nan")


@dataclass(frozen=True)
class LearnerScores:
    """One learner: its scores fold by fold, its times and its size. Without scores, `problem` says why."""

    name: str
    scores: dict[str, tuple[float, ...]] = field(default_factory=dict)  # measure → one score a fold
    fit_seconds: float = NOTHING  # processor time, the median over the folds, and so below
    predict_seconds: float = NOTHING
    n_bytes: int | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()

    def mean(self, measure: str) -> float:
        """Average a measure over the folds where it has a value."""
        known = self._known(measure)
        return float(np.mean(known)) if len(known) else NOTHING

    def spread(self, measure: str) -> float:
        """Give the standard deviation of a measure from fold to fold."""
        known = self._known(measure)
        return float(np.std(known, ddof=1)) if len(known) > 1 else NOTHING

    def _known(self, measure: str) -> Any:
        values = np.asarray(self.scores.get(measure, ()), dtype=np.float64)
        return values[~np.isnan(values)]


@dataclass(frozen=True)
class Comparison:
    """Learners on the same folds, the best first. Print it, plot it, or take it as a data frame.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> result = tw.compare(X, y, ["cart", "forest"], cv=5)
    >>> result
    <Comparison of 3 learners on 5 folds: best forest, accuracy 0.953>
    """

    task: str  # "classification" | "regression"
    scoring: str  # the measure that decides
    learners: tuple[LearnerScores, ...]
    n_rows: int
    n_columns: int
    n_folds: int
    folds: str  # in words
    test_to_training: float

    @property
    def best(self) -> str:
        """The name of the learner with the best mean score; of equals the first."""
        return self.learners[0].name

    def __getitem__(self, name: str) -> LearnerScores:
        """Give a learner by its name."""
        for learner in self.learners:
            if learner.name == name:
                return learner
        from treewright.errors import nearest

        raise KeyError(f"No learner '{name}'. {nearest(name, [learner.name for learner in self.learners])}")

    def measures(self) -> list[Measure]:
        """List the measures, the one that decides first."""
        chosen = find_measure(self.scoring, self.task)
        return [chosen, *(measure for measure in measures_of(self.task) if measure != chosen)]

    def p_value(self, name: str, measure: str | None = None) -> float:
        """Give the p-value of the corrected test that a learner scores as the best one does; 1 for the best itself.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_iris(return_X_y=True)
        >>> round(tw.compare(X, y, ["cart", "forest"]).p_value("baseline"), 6)
        0.0
        """
        measure = find_measure(measure, self.task).name if measure else self.scoring
        ours, best = self[name].scores.get(measure, ()), self.learners[0].scores.get(measure, ())
        both = [(a, b) for a, b in zip(ours, best, strict=False) if a == a and b == b]
        if len(both) < 2:
            return NOTHING
        return corrected_p_value([a for a, _ in both], [b for _, b in both], self.test_to_training)

    def interval(self, name: str, measure: str | None = None, level: float = 0.95) -> tuple[float, float]:
        """Give the range of a learner's mean score, corrected as the p-value is, within what the measure can be."""
        known = self[name]._known(measure or self.scoring)
        if len(known) < 2:
            return NOTHING, NOTHING
        low, high = corrected_interval(known, self.test_to_training, level)
        least, largest = find_measure(measure or self.scoring, self.task).limits
        return max(low, least), min(high, largest)

    def to_frame(self, folds: bool = False) -> pd.DataFrame:
        """Give the table as a data frame: a row a learner, or with `folds` a row a learner and fold.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_auto_mpg(return_X_y=True)
        >>> result = tw.compare(X, y, ["cart", "model_tree"], cv=3)
        >>> result.to_frame().columns.tolist()[:7]
        ['learner', 'rmse', 'rmse_spread', 'p_value', 'mae', 'mae_spread', 'r2']
        >>> result.to_frame(folds=True).shape
        (9, 5)
        """
        import pandas as pd

        if folds:
            return pd.DataFrame(
                [
                    {"learner": one.name, "fold": fold} | {name: scores[fold] for name, scores in one.scores.items()}
                    for one in self.learners
                    if one.scores
                    for fold in range(self.n_folds)
                ]
            )
        return pd.DataFrame([self._row(learner) for learner in self.learners])

    def _row(self, learner: LearnerScores) -> dict[str, Any]:
        row: dict[str, Any] = {"learner": learner.name}
        for measure in self.measures():
            row |= {measure.name: learner.mean(measure.name), f"{measure.name}_spread": learner.spread(measure.name)}
            if measure.name == self.scoring:
                row["p_value"] = self.p_value(learner.name)
        return row | {
            "fit_seconds": learner.fit_seconds,
            "predict_seconds": learner.predict_seconds,
            "bytes": NOTHING if learner.n_bytes is None else learner.n_bytes,
            "problem": learner.problem,
        }

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values, the scores of every fold too; what has no value is None."""
        return {
            "task": self.task,
            "scoring": self.scoring,
            "best": self.best,
            "rows": self.n_rows,
            "columns": self.n_columns,
            "folds": self.folds,
            "n_folds": self.n_folds,
            "learners": [
                {name: _plain(value) for name, value in self._row(learner).items()}
                | {
                    "notes": list(learner.notes),
                    "folds": {name: [_plain(score) for score in scores] for name, scores in learner.scores.items()},
                }
                for learner in self.learners
            ],
        }

    def to_json(self, indent: int | None = None) -> str:
        """Give everything as a JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_text(self, width: int | None = None) -> str:
        """Write the table; on narrow screens the measures that decide nothing are left out, the last first.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_iris(return_X_y=True)
        >>> print(tw.compare(X, y, "cart", cv=3).to_text(width=50).splitlines()[0])
        150 rows, 4 columns, classification. 3 folds, the same for all; spread is the standard deviation over them.
        """

        return comparison_text(self, width)

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, measure: str | None = None, ax: Axes | None = None
    ) -> Figure:
        """Draw the learners, the best on top: each fold a small point, the mean a large one, its range a line.

        Parameters
        ----------
        path : path, optional
            Save the picture: .png, .svg or .pdf.
        measure : str, optional
            Draw another measure than the one that decides.
        ax : matplotlib axes, optional
            Draw there.
        """

        return plot_comparison(self, path, find_measure(measure or self.scoring, self.task), ax)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        score = find_measure(self.scoring, self.task).show(self.learners[0].mean(self.scoring))
        return (
            f"<Comparison of {len(self.learners)} learners on {self.n_folds} folds: "
            f"best {self.best}, {self.scoring} {score}>"
        )

    def _repr_html_(self) -> str:
        html: str = self.to_frame().to_html(index=False, float_format=estimate_text, na_rep="")
        return html


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value

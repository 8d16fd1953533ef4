"""`tw.learning_curve`: the score by the number of training rows, averaged over many draws."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest
from treewright.learners.base.content_order import order_of_table
from treewright.learners.base.folds import Units
from treewright.learners.base.options import checked_run
from treewright.model_selection.cross_validation import Fold
from treewright.model_selection.measures import find_measure
from treewright.model_selection.run_jobs import AT_ONCE, Outcome, SideBySide, Task, run_fold
from treewright.model_selection.task import BASELINE, for_numbers_only, gather, is_large, named_estimator, open_task
from treewright.pages.plain_table import plain_table, table_width
from treewright.plot.style import looks, new_figure, save_figure, treewright_style
from treewright.table.column_remarks import told_once
from treewright.wording import all_of_it_words

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# The picture of learning curves: training rows from left to right, the score upwards, a colour a learner.


_FEW_POINTS = 30  # more than this and markers would hide the line
_LONG_WAY = 30  # sizes that grow by more than this factor, in steps, are drawn by their logarithm


def plot_curve(curve: LearningCurve, path: str | os.PathLike[str] | None, ax: Axes | None) -> Figure:
    """Draw each learner's mean as a line and one standard error on either side as a band."""
    scale = 100.0 if curve.scoring == "accuracy" else 1.0
    few = len(curve.sizes) <= _FEW_POINTS
    with treewright_style():
        figure, ax = new_figure(7.0, 4.2, ax)
        for learner, (colour, marker) in zip(curve.learners, looks(len(curve.learners)), strict=True):
            mean, error = learner.means() * scale, learner.errors() * scale
            ax.fill_between(curve.sizes, mean - error, mean + error, color=colour, alpha=0.18, linewidth=0)
            ax.plot(
                curve.sizes, mean, color=colour, linewidth=1.6, label=learner.name,
                marker=marker if few else None, markersize=4.5,
            )  # fmt: skip
        _label(ax, curve)
        if path is not None:
            save_figure(figure, path)
    return figure


def _label(ax: Axes, curve: LearningCurve) -> None:
    if len(curve.sizes) <= _FEW_POINTS and curve.sizes[-1] > _LONG_WAY * curve.sizes[0]:
        ax.set_xscale("log")
        ax.set_xticks(curve.sizes, [f"{size:,}" for size in curve.sizes])
        ax.tick_params(axis="x", which="minor", bottom=False)
    measure = find_measure(curve.scoring, curve.task)
    ax.set_xlabel("training rows")
    ax.set_ylabel("accuracy (%)" if curve.scoring == "accuracy" else measure.title)
    on = "the rest" if curve.test == "rest" else f"{curve.tested[0]:,} rows held out"
    ax.set_title(f"Learning curve: mean of {curve.trials} trials on {on}, ± standard error")
    if len(curve.learners) > 1:
        ax.legend(loc="lower right" if measure.larger_is_better else "upper right", ncols=1 + len(curve.learners) // 8)
    else:
        ax.set_title(f"Learning curve of {curve.learners[0].name}: mean of {curve.trials} trials on {on}")


# A learning curve: scores by training size, as a table, a text, JSON or a picture.


MOST_LINES = 20


@dataclass(frozen=True)
class CurveOfLearner:
    """The scores of one learner: a row a size, a column a trial; NaN where it could not learn, `problem` says why."""

    name: str
    scores: NDArray[np.float64]
    problem: str = ""

    def means(self) -> NDArray[np.float64]:
        """Average each size over the trials that have a score."""
        return _over_trials(self.scores, lambda known: float(np.mean(known)))

    def errors(self) -> NDArray[np.float64]:
        """Give the standard error of each mean; NaN for a single trial."""
        return _over_trials(self.scores, lambda known: float(np.std(known, ddof=1)) / len(known) ** 0.5, fewest=2)


@dataclass(frozen=True)
class LearningCurve:
    """The curves of several learners on the same draws. Print it, plot it, or take it as a data frame.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> curve = tw.learning_curve(X, y, ["cart", "forest"], sizes=[15, 60], trials=5)
    >>> curve
    <LearningCurve of cart, forest: 2 sizes from 15 to 60 rows, 5 trials>
    >>> curve["forest"].scores.shape
    (2, 5)
    """

    task: str
    scoring: str
    sizes: tuple[int, ...]
    tested: tuple[int, ...]  # rows that a score is of, size by size
    trials: int
    test: str  # "rest" | "fixed"
    n_rows: int
    learners: tuple[CurveOfLearner, ...]

    def __getitem__(self, name: str) -> CurveOfLearner:
        """Give the curve of a learner by its name."""
        for learner in self.learners:
            if learner.name == name:
                return learner
        from treewright.errors import nearest

        raise KeyError(f"No learner '{name}'. {nearest(name, [learner.name for learner in self.learners])}")

    def to_frame(self) -> pd.DataFrame:
        """Give a row for each learner and size: mean score, its standard error, rows tested, trials with a score.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_tennis(return_X_y=True)
        >>> curve = tw.learning_curve(X, y, "id3", sizes=[4, 8], trials=3)
        >>> print(curve.to_frame().round(3))
          learner  rows  accuracy  standard_error  tested  trials
        0     id3     4     0.567           0.033      10       3
        1     id3     8     0.611           0.056       6       3
        """
        import pandas as pd

        return pd.concat(
            [
                pd.DataFrame(
                    {
                        "learner": learner.name,
                        "rows": self.sizes,
                        self.scoring: learner.means(),
                        "standard_error": learner.errors(),
                        "tested": self.tested,
                        "trials": (~np.isnan(learner.scores)).sum(axis=1),
                    }
                )
                for learner in self.learners
            ],
            ignore_index=True,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values, the score of every trial too; what has no value is None."""
        return {
            "task": self.task,
            "scoring": self.scoring,
            "rows": self.n_rows,
            "trials": self.trials,
            "test": self.test,
            "sizes": list(self.sizes),
            "tested": list(self.tested),
            "learners": [
                {
                    "learner": one.name,
                    "means": _plain(one.means()),
                    "standard_errors": _plain(one.errors()),
                    "scores": [_plain(scores) for scores in one.scores],
                    "problem": one.problem,
                }
                for one in self.learners
            ],
        }

    def to_json(self, indent: int | None = None) -> str:
        """Give everything as a JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def cells(self, width: int | None = None, gap: int = 2) -> tuple[list[str], list[list[str]]]:
        """Give headings and rows of the table as texts; of many sizes some, evenly spread.

        Where the table would be wider than `width`, standard errors are left out.
        """
        headings, rows = self._cells()
        if width is None or table_width(headings, rows, gap) <= width:
            return headings, rows
        kept = [0, *range(1, len(headings), 2)]
        return [headings[i] for i in kept], [[row[i] for i in kept] for row in rows]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        measure = find_measure(self.scoring, self.task)
        headings = ["rows", *(text for one in self.learners for text in (one.name, "+-"))]
        shown = list(range(len(self.sizes)))
        if len(shown) > MOST_LINES:
            shown = sorted(set(np.rint(np.linspace(0, len(shown) - 1, MOST_LINES)).astype(int).tolist()))
        values = [(one.means(), one.errors()) for one in self.learners]
        rows = [
            [
                str(self.sizes[i]),
                *(text for mean, error in values for text in (measure.show(mean[i]), measure.show_spread(error[i]))),
            ]
            for i in shown
        ]
        return headings, rows

    def heading(self) -> str:
        """Tell what the numbers are."""
        measure = find_measure(self.scoring, self.task)
        title = measure.title[0].upper() + measure.title[1:]
        trials = "1 trial" if self.trials == 1 else f"{self.trials} trials"
        on = f"the rest of {self.n_rows:,} rows" if self.test == "rest" else f"{self.tested[0]:,} rows held out"
        return f"{title} by training rows: the mean of {trials}, tested on {on}; +- is its standard error."

    def __str__(self) -> str:
        headings, rows = self.cells()
        lines = [self.heading(), "", plain_table(headings, rows, headings)]
        if len(rows) < len(self.sizes):
            lines.append(f"… {len(rows)} of {len(self.sizes)} sizes; {all_of_it_words()}.")
        lines += [f"{one.name} failed: {one.problem}" for one in self.learners if one.problem]
        return "\n".join(lines)

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self.learners)
        span = f"{len(self.sizes)} sizes from {self.sizes[0]} to {self.sizes[-1]} rows"
        return f"<LearningCurve of {names}: {span}, {self.trials} trials>"

    def plot(self, path: str | os.PathLike[str] | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw the curves with a band of one standard error on either side.

        Parameters
        ----------
        path : path, optional
            Save the picture: .png, .svg or .pdf.
        ax : matplotlib axes, optional
            Draw there.
        """

        return plot_curve(self, path, ax)


def _over_trials(scores: NDArray[np.float64], value: Any, fewest: int = 1) -> NDArray[np.float64]:
    known = [row[~np.isnan(row)] for row in scores]
    return np.array([value(row) if len(row) >= fewest else np.nan for row in known])


def _plain(values: NDArray[np.float64]) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


FEW_ROWS = 100  # up to here every size is tried
STEPS = 10
TESTS = ("rest", "fixed")


@dataclass(frozen=True)
class Draws:
    """How rows are drawn: a function of seed, size and trial, so that nothing depends on what else is drawn."""

    pool: NDArray[np.int64]  # rows that may be learnt from
    fixed: NDArray[np.int64] | None  # rows that are always tested; None: those of the pool that were not drawn
    seed: int

    def fold(self, size: int, trial: int) -> Fold:
        """Give the rows of one trial."""
        drawn = np.random.default_rng([self.seed, size, trial]).permutation(self.pool)
        return Fold(drawn[:size], drawn[size:] if self.fixed is None else self.fixed)


@told_once()
def learning_curve(
    X: Any,
    y: Any,
    algorithms: Any = ("cart", "forest"),
    *,
    sizes: Sequence[int | float] | None = None,
    trials: int = 20,
    test: str = "rest",
    test_share: float = 0.3,
    scoring: str | None = None,
    task: str | None = None,
    positive: Any = None,
    column_kinds: Mapping[str, str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> LearningCurve:
    """Learn from more and more rows, drawn at random, and score on rows that were not drawn.

    Parameters
    ----------
    X, y : table and target
        As for `fit`.
    algorithms : names and estimators, default ("cart", "forest")
        As for `compare`. All learners get the same draws.
    sizes : list, optional
        Numbers of training rows, or shares of all rows below 1. Left out, every number on tables of up to 100 rows,
        else 10 numbers that grow by the same factor.
    trials : int, default 20
        Draws for each size. Raising it makes the curve smoother.
    test : {"rest", "fixed"}, default "rest"
        Score on all rows that were not drawn, of which there are fewer and fewer, so that the right end is noisy; or on
        rows that are held out from the beginning.
    test_share : float, default 0.3
        With ``test="fixed"``: the share of the rows that is held out.
    scoring : str, optional
        The measure, as for `compare`: accuracy for classes and RMSE for numbers if left out.
    task, positive, column_kinds, n_jobs
        As for `compare`.
    random_state : int, default 0
        The draw of a trial depends on this number, its size and its number, and on nothing else.

    Returns
    -------
    LearningCurve
        Print it, plot it, or take it as a data frame. Where all rows drawn are of one class, that class is the answer.

    Examples
    --------
    >>> import treewright as tw
    >>> guests = tw.datasets.make_restaurant(100)
    >>> curve = tw.learning_curve(guests.drop(columns="WillWait"), guests["WillWait"], "id3", sizes=[5, 20, 80])
    >>> print(curve)
    Accuracy by training rows: the mean of 20 trials, tested on the rest of 100 rows; +- is its standard error.
    <BLANKLINE>
    rows    id3     +-
       5  0.662  0.039
      20  0.875  0.010
      80  0.990  0.005
    """
    random_state, n_jobs = checked_run("tw.learning_curve", random_state, n_jobs)
    problem = open_task(
        X, y, "learning_curve", task=task, algorithms=algorithms, positive=positive, column_kinds=column_kinds
    )
    measure = find_measure(scoring, problem.name)
    problem = replace(problem, needs_scores=measure.needs_scores)
    contestants = gather(algorithms, problem.name, random_state=random_state, column_kinds=column_kinds)
    _check(trials, test, test_share)
    draws = _draws(problem, test, test_share, random_state)
    counts = _sizes(sizes, draws, len(problem.target))
    estimators = [for_numbers_only(one.estimator, problem.X, column_kinds)[0] for one in contestants]
    outcomes = _run(problem, estimators, draws, [(size, trial) for size in counts for trial in range(trials)], n_jobs)
    curves = tuple(
        _curve(one.name, [each[place] for each in outcomes], measure.name, len(counts))
        for place, one in enumerate(contestants)
    )
    if all(np.isnan(curve.scores).all() for curve in curves):
        raise DataError(f"Every learner failed. {curves[0].name}: {curves[0].problem}")
    tested = tuple(len(draws.fold(size, 0).test) for size in counts)
    return LearningCurve(problem.name, measure.name, tuple(counts), tested, trials, test, len(problem.target), curves)


def _check(trials: int, test: str, test_share: float) -> None:
    if isinstance(trials, bool) or not isinstance(trials, int | np.integer) or trials < 1:
        raise DataError(f"trials must be a whole number from 1 on. Got {trials!r}.")
    if not isinstance(test, str) or test not in TESTS:
        raise DataError(f"There is no test='{test}'. {nearest(str(test), TESTS)}")
    if not isinstance(test_share, Real) or not 0 < test_share < 1:
        raise DataError(f"test_share must lie between 0 and 1, without them. Got {test_share!r}.")


def _draws(task: Task, test: str, share: float, seed: int) -> Draws:
    n_rows = len(task.target)
    if n_rows < 2:
        raise DataError(f"A learning curve needs 2 rows at least, one to learn from and one to test. Got {n_rows}.")
    order = order_of_table(task.X, task.target)
    if test == "rest":
        return Draws(order.astype(np.int64), None, seed)
    codes = np.unique(task.target, return_inverse=True)[1].reshape(-1).astype(np.int32)
    units = Units.of(order, None, codes if task.name == "classification" else None)
    held = units.part(share, seed)
    if not held.any():
        raise DataError(f"test_share={share} of {n_rows} rows is no row at all. Raise it.")
    return Draws(order[~held].astype(np.int64), np.sort(order[held]).astype(np.int64), seed)


def _sizes(wished: Sequence[int | float] | None, draws: Draws, n_rows: int) -> list[int]:
    """The numbers of training rows, ascending."""
    most = len(draws.pool) - (1 if draws.fixed is None else 0)
    if wished is None:
        if n_rows <= FEW_ROWS:
            return list(range(1, most + 1))
        last = most if draws.fixed is not None else int(0.9 * n_rows)
        return sorted(set(np.rint(np.geomspace(10, last, STEPS)).astype(int).tolist()))
    counts = sorted({int(size) if size >= 1 else round(size * n_rows) for size in wished})
    if not counts:
        raise DataError("sizes is empty. Give some numbers of training rows, such as [10, 20, 50].")
    wrong = [size for size in counts if not 1 <= size <= most]
    if wrong:
        raise DataError(f"sizes must lie between 1 and {most}, so that a row is left to test. Got {wrong[0]}.")
    return counts


def _run(
    task: Task, estimators: Sequence[Any], draws: Draws, jobs: Sequence[tuple[int, int]], n_jobs: int | None
) -> list[list[Outcome]]:
    """For each size and trial the outcomes of all learners."""
    work = SideBySide(_one_trial, (task, tuple(estimators), draws), jobs)
    found = work.run(n_jobs, "Learning curve", at_once=0.0 if is_large(task) else AT_ONCE)
    return [[Outcome(problem=one)] * len(estimators) if isinstance(one, str) else one for one in found]


def _one_trial(shared: tuple[Task, tuple[Any, ...], Draws], size: int, trial: int) -> list[Outcome]:
    task, estimators, draws = shared
    fold = draws.fold(size, trial)
    known = task.target[fold.training]
    if task.name == "classification" and (known == known[0]).all():  # some learners refuse a single class
        estimators = (named_estimator(BASELINE, task.name),) * len(estimators)
    return [run_fold(task, estimator, fold, weigh=False) for estimator in estimators]


def _curve(name: str, outcomes: Sequence[Outcome], measure: str, n_sizes: int) -> CurveOfLearner:
    scores = [outcome.scores.get(measure, float("nan")) for outcome in outcomes]
    problems = [outcome.problem for outcome in outcomes if outcome.problem]
    told = f"{problems[0]} (in {len(problems)} of {len(outcomes)} fits)" if problems else ""
    return CurveOfLearner(name, np.array(scores).reshape(n_sizes, -1), told)

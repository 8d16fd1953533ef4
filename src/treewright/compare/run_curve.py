"""`tw.learning_curve`: the score by the number of training rows, averaged over many draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.compare.coded_columns import for_numbers_only
from treewright.compare.contestants import BASELINE, gather, named_estimator
from treewright.compare.curve import CurveOfLearner, LearningCurve
from treewright.compare.one_fold import Outcome, Task, run_fold
from treewright.compare.open_task import is_large, open_task
from treewright.compare.side_by_side import AT_ONCE, SideBySide
from treewright.errors import DataError, nearest
from treewright.estimators.folds import hold_out
from treewright.evaluate.fold_plan import Fold
from treewright.evaluate.measures import find_measure

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
       5  0.647  0.036
      20  0.893  0.014
      80  0.975  0.009
    """
    problem = open_task(X, y, "learning_curve", task=task, algorithms=algorithms, positive=positive)
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
    if test not in TESTS:
        raise DataError(f"There is no test='{test}'. {nearest(str(test), TESTS)}")
    if not 0 < test_share < 1:
        raise DataError(f"test_share must lie between 0 and 1, without them. Got {test_share!r}.")


def _draws(task: Task, test: str, share: float, seed: int) -> Draws:
    n_rows = len(task.target)
    if n_rows < 2:
        raise DataError(f"A learning curve needs 2 rows at least, one to learn from and one to test. Got {n_rows}.")
    if test == "rest":
        return Draws(np.arange(n_rows), None, seed)
    codes = np.unique(task.target, return_inverse=True)[1].reshape(-1).astype(np.int32)
    held = hold_out(n_rows, share, seed, codes if task.name == "classification" else None)
    if not held.any():
        raise DataError(f"test_share={share} of {n_rows} rows is no row at all. Raise it.")
    return Draws(np.flatnonzero(~held), np.flatnonzero(held), seed)


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

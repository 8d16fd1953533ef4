"""`tw.tune`: the best settings of one learner or of several, within a time, scored honestly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from time import monotonic
from typing import Any

import numpy as np

from treewright.errors import DataError
from treewright.learners.base.options import checked_run
from treewright.learners.base.parameters import is_double
from treewright.model_selection.cross_validation import Fold, plan_folds, take_rows
from treewright.model_selection.measures import Measure, find_measure
from treewright.model_selection.run_jobs import AT_ONCE, Outcome, SideBySide, Task, measure, run_fold
from treewright.model_selection.task import Contestant, coding_for, gather, is_large, open_task, with_coding
from treewright.model_selection.tuning import Candidate, Trial, Tuning, list_candidates
from treewright.table.column_remarks import told_once
from treewright.tree.format import largest_first, rounded_to


@told_once()
def tune(
    X: Any,
    y: Any,
    algorithms: Any = "cart",
    *,
    grid: Any = None,
    seconds: float | None = 60.0,
    candidates: int | None = None,
    search: str = "random",
    cv: int = 5,
    folds: Any = None,
    groups: Any = None,
    outer: int = 0,
    scoring: str | None = None,
    task: str | None = None,
    column_kinds: Mapping[str, str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Tuning:
    """Try settings of a learner by cross-validation, and fit the best on all rows.

    Every learner is tried as it is; then its grid is gone through in a random order until the time is up.

    Parameters
    ----------
    X, y : table and target
        As for `fit`.
    algorithms : names and estimators, default "cart"
        As for `compare`; with several the best learner is found together with its settings.
    grid : dict, optional
        Lists of values by parameter; with several learners a dict of such dicts by name. Left out, each learner of
        treewright has a small grid of its own.
    seconds : float, optional, default 60
        No candidate is begun later than this. None sets no limit. The same number of candidates gives the same result.
    candidates : int, optional
        The most candidates. Raising it (and the time) searches longer.
    search : {"random", "grid"}, default "random"
        The order in which combinations are tried.
    cv, folds, groups
        The folds, as for `compare`.
    outer : int, default 0
        With 2 or more: so many outer folds; in each the whole search is done anew without its rows, and its model is
        scored on them. The time is shared out among the searches.
    scoring, task, column_kinds, random_state, n_jobs
        As for `compare`.

    Returns
    -------
    Tuning
        `model`, `best_params`, `score` (of the best candidate, too good to be true), `honest_score` (each fold scored
        by what the other folds would choose) and `to_frame()`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
    >>> found = tw.tune(X, y, "c45", candidates=8, seconds=None)
    >>> found.best_params, round(found.score, 3), round(found.honest_score, 3)
    ({'confidence': 0.05, 'min_samples_leaf': 20, 'subsets': False}, 0.79, 0.79)
    """
    start = monotonic()
    random_state, n_jobs = checked_run("tw.tune", random_state, n_jobs)
    problem = open_task(X, y, "tune", task=task, algorithms=algorithms, column_kinds=column_kinds)
    chosen = find_measure(scoring, problem.name)
    problem = replace(problem, needs_scores=chosen.needs_scores)
    _check_limits(seconds, outer)
    learners = gather(algorithms, problem.name, random_state=random_state, column_kinds=column_kinds)
    stratify = problem.name == "classification"
    plan = plan_folds(
        problem.target, stratify=stratify, cv=cv, folds=folds, groups=groups, seed=random_state, table=problem.X
    )
    found = list_candidates(learners, grid, search, candidates, random_state)
    coding = {one.name: coding_for(one.estimator, problem.X, column_kinds)[0] for one in learners}
    found = [replace(one, ready=with_coding(one.estimator, coding[one.learner])) for one in found]
    share = None if seconds is None else seconds / (1 + outer)
    trials = _ranked(_try_all(problem, found, plan.folds, chosen, share, len(learners), n_jobs), chosen)
    settings = {
        "grid": grid, "seconds": share, "candidates": candidates, "search": search, "cv": cv, "scoring": scoring,
        "task": problem.name, "column_kinds": column_kinds, "random_state": random_state, "n_jobs": n_jobs,
    }  # fmt: skip
    outer_scores = _nested(problem, learners, outer, groups, settings, chosen) if outer else ()
    return Tuning(
        task=problem.name,
        scoring=chosen.name,
        model=_refit(trials[0].candidate, problem, n_jobs),
        trials=tuple(trials),
        honest_score=honest_score([trial.scores for trial in trials if trial.scores], chosen.larger_is_better),
        n_planned=len(found),
        seconds=monotonic() - start,
        outer_scores=outer_scores,
    )


def honest_score(scores: Sequence[Sequence[float]], larger_is_better: bool) -> float:
    """Score each fold by the candidate that is best on the other folds, and average.

    The best mean of many candidates is lucky as well as good. Here the fold that scores has no say in the choice.

    Parameters
    ----------
    scores : list of lists
        For each candidate its scores, fold by fold.
    larger_is_better : bool
        Which way is better.

    Examples
    --------
    >>> honest_score([[1.0, 0.0], [0.0, 1.0]], larger_is_better=True)
    0.0
    """
    table = np.asarray(scores, dtype=np.float64) * (1 if larger_is_better else -1)
    others = table.sum(axis=1, keepdims=True) - table
    chosen = [largest_first(column)[0] for column in others.T]
    return float(np.mean(table[chosen, np.arange(table.shape[1])])) * (1 if larger_is_better else -1)


def _check_limits(seconds: float | None, outer: int) -> None:
    if seconds is not None and not (isinstance(seconds, Real) and seconds > 0 and is_double(seconds)):
        raise DataError(f"seconds must be a positive number, or None for no limit. Got {seconds!r}.")
    if isinstance(outer, bool) or not isinstance(outer, int | np.integer) or outer < 0 or outer == 1:
        raise DataError(f"outer must be 0 for none, or 2 folds and more. Got {outer!r}.")


def _try_all(
    task: Task,
    candidates: Sequence[Candidate],
    folds: Sequence[Fold],
    chosen: Measure,
    seconds: float | None,
    n_first: int,
    n_jobs: int | None,
) -> list[Trial]:
    """Cross-validate candidates until the time is up; the first of each learner in any case."""
    start, outcomes = monotonic(), []
    for part, limit in ((candidates[:n_first], None), (candidates[n_first:], seconds)):
        left = None if limit is None else max(limit - (monotonic() - start), 0.0)
        jobs = [(number, fold) for number in range(len(part)) for fold in range(len(folds))]
        shared = (task, tuple(one.ready for one in part), tuple(folds))
        results = SideBySide(_one_job, shared, jobs, left).run(
            n_jobs, "Tuning", at_once=0.0 if is_large(task) else AT_ONCE
        )
        outcomes += [results[i : i + len(folds)] for i in range(0, len(results), len(folds))]
    trials = [_trial(one, outcome, chosen.name) for one, outcome in zip(candidates, outcomes, strict=True)]
    tried = [trial for trial in trials if trial is not None]
    if not any(trial.scores for trial in tried):
        raise DataError(f"Every candidate failed. {tried[0].candidate.learner}: {tried[0].problem}")
    return tried


def _one_job(shared: tuple[Task, tuple[Any, ...], tuple[Fold, ...]], candidate: int, fold: int) -> Outcome:
    task, estimators, folds = shared
    return run_fold(task, estimators[candidate], folds[fold], weigh=False)


def _trial(candidate: Candidate, outcomes: Sequence[Outcome | str | None], name: str) -> Trial | None:
    """What the folds gave; None where the time was up before the last of them."""
    if any(outcome is None for outcome in outcomes):
        return None
    problems = [one if isinstance(one, str) else one.problem for one in outcomes if one is not None]
    told = next((problem for problem in problems if problem), "")
    if told:
        return Trial(candidate, problem=told)
    scores = tuple(one.scores[name] for one in outcomes if isinstance(one, Outcome))
    if any(score != score for score in scores):
        return Trial(candidate, problem=f"It gives no {name}.")
    return Trial(candidate, scores)


def _ranked(trials: Sequence[Trial], chosen: Measure) -> list[Trial]:
    sign = -1 if chosen.larger_is_better else 1
    return sorted(trials, key=lambda one: (not one.scores, rounded_to(sign * one.mean) if one.scores else 0.0))


def _refit(candidate: Candidate, task: Task, n_jobs: int | None) -> Any:
    """The model of the best settings on all rows, on as many threads as were allowed; trials had one each."""
    from sklearn.base import clone

    model = clone(candidate.ready)
    threads = {name: n_jobs for name, value in model.get_params(deep=True).items() if _is_one_thread(name, value)}
    return model.set_params(**threads).fit(task.X, task.target)


def _is_one_thread(name: str, value: Any) -> bool:
    return name.rpartition("__")[2] == "n_jobs" and value == 1


def _nested(
    task: Task, learners: Sequence[Contestant], outer: int, groups: Any, settings: dict[str, Any], chosen: Measure
) -> tuple[float, ...]:
    """Search anew on the training rows of each outer fold, and score what was found on its test rows."""
    seed = settings["random_state"]
    stratify = task.name == "classification"
    # Dealt by another seed, so that outer and inner folds have nothing to do with each other.
    plan = plan_folds(task.target, stratify=stratify, cv=outer, groups=groups, seed=seed + 1, table=task.X)
    by_row = None if groups is None else np.asarray(groups)
    pairs, scores = [(one.name, one.estimator) for one in learners], []
    for fold in plan.folds:
        inner = None if by_row is None else by_row[fold.training]
        rows, truth = take_rows(task.X, fold.training), task.target[fold.training]
        model = tune(rows, truth, pairs, groups=inner, **settings).model
        test = take_rows(task.X, fold.test)
        predicted = np.asarray(model.predict(test))
        scores.append(measure(task, model, test, task.target[fold.test], predicted)[chosen.name])
    return tuple(scores)

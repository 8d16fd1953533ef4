"""`tw.compare`: every learner on the same folds of one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.errors import DataError
from treewright.learners.base.options import checked_run
from treewright.model_selection.comparison import Comparison, LearnerScores
from treewright.model_selection.cross_validation import Fold, plan_folds
from treewright.model_selection.measures import find_measure
from treewright.model_selection.run_jobs import AT_ONCE, Outcome, SideBySide, Task, run_fold
from treewright.model_selection.slow_learners import SlowOnes, tell_slow_ones
from treewright.model_selection.task import (
    BASELINE,
    Contestant,
    for_numbers_only,
    gather,
    is_large,
    named_estimator,
    open_task,
)
from treewright.table.column_remarks import told_once
from treewright.tree.format import rounded_to


@told_once()
def compare(
    X: Any,
    y: Any,
    algorithms: Any = None,
    *,
    cv: int = 10,
    repeats: int = 1,
    folds: Any = None,
    groups: Any = None,
    scoring: str | None = None,
    task: str | None = None,
    positive: Any = None,
    column_kinds: Mapping[str, str] | None = None,
    baseline: bool = True,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Comparison:
    """Cross-validate several learners on the same folds: scores, their spread, who is really better, time and size.

    Parameters
    ----------
    X, y : table and target
        As for `fit`.
    algorithms : names and estimators, optional
        Names such as "cart" or "forest" (``tw.learners()`` lists them), estimators of treewright or scikit-learn,
        pipelines, (name, estimator) pairs, or a dict of them. Left out, all algorithms that can learn the target. A
        name means what it means to ``treewright train --algorithm``. A scikit-learn estimator that takes numbers only
        gets levels as columns of 0 and 1 and holes filled with the mean; a note says so. A pipeline gets the table as
        it is.
    cv, repeats : int, default 10 and 1
        So many folds, dealt anew so many times. More of both: steadier numbers, more work.
    folds : array, splitter or pairs, optional
        Folds of your own: a fold number a row (-1: always trains), a splitter of scikit-learn, or pairs of row numbers.
    groups : array, optional
        Rows of one group stay in one fold.
    scoring : str, optional
        The measure that decides: "accuracy" (the default for classes), "balanced_accuracy", "log_loss", "auc", "f1";
        "rmse" (the default for numbers), "mae", "r2". All of them are computed.
    task : {"classification", "regression"}, optional
        Told by the estimators given or by the target if left out.
    positive : class, optional
        The class of which F1 is told. Left out, F1 is the mean over the classes.
    column_kinds : dict, optional
        Kinds of columns for all learners, for instance ``{"zip": "nominal"}``.
    baseline : bool, default True
        Whether the guess that looks at no column takes part: the most frequent class, or the mean.
    random_state : int, default 0
        Deals out the folds, and is the seed of learners that have none.
    n_jobs : int, optional
        Processes; None and -1 use all processors, 1 starts none. It changes the time, never the scores. Every fit has
        one thread.

    Returns
    -------
    Comparison
        The learners, the best first. A learner that failed is there too, with what went wrong.

    Examples
    --------
    >>> import treewright as tw
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> result = tw.compare(X, y, ["cart", "forest", GaussianNB()])
    >>> result.best, round(result["cart"].mean("accuracy"), 3)
    ('forest', 0.933)
    """
    random_state, n_jobs = checked_run("tw.compare", random_state, n_jobs)
    problem = open_task(X, y, "compare", task=task, algorithms=algorithms, positive=positive, column_kinds=column_kinds)
    measure = find_measure(scoring, problem.name)
    contestants = gather(algorithms, problem.name, random_state=random_state, column_kinds=column_kinds)
    if baseline and all(one.name != BASELINE for one in contestants):
        contestants = (*contestants, Contestant(BASELINE, named_estimator(BASELINE, problem.name)))
    plan = plan_folds(
        problem.target, stratify=problem.name == "classification",
        cv=cv, repeats=repeats, folds=folds, groups=groups, seed=random_state, table=problem.X,
    )  # fmt: skip
    ready = [for_numbers_only(one.estimator, problem.X, column_kinds) for one in contestants]
    slow = SlowOnes([one.name for one in contestants], len(plan.folds))
    outcomes = _run(problem, [estimator for estimator, _ in ready], plan.folds, n_jobs, slow)
    learners = [
        _summarise(one.name, note, outcomes[i])
        for i, (one, (_, note)) in enumerate(zip(contestants, ready, strict=True))
    ]
    if not any(learner.scores for learner in learners):
        raise DataError(f"Every learner failed. {learners[0].name}: {learners[0].problem}")
    learners = tell_slow_ones(learners, len(plan.folds))
    sign = -1 if measure.larger_is_better else 1
    return Comparison(
        task=problem.name,
        scoring=measure.name,
        learners=tuple(sorted(learners, key=lambda one: _rank(sign * one.mean(measure.name), bool(one.scores)))),
        n_rows=len(problem.target),
        n_columns=int(problem.X.shape[1]),
        n_folds=len(plan.folds),
        folds=plan.text,
        test_to_training=plan.test_to_training,
    )


def _rank(signed_mean: float, has_scores: bool) -> tuple[int, float]:
    """The best first, then those without this measure, then those that failed."""
    known = signed_mean == signed_mean
    return (0 if known else 1 if has_scores else 2), rounded_to(signed_mean) if known else 0.0


def _run(
    task: Task, estimators: Sequence[Any], folds: Sequence[Fold], n_jobs: int | None, slow: SlowOnes
) -> list[list[Outcome]]:
    """The outcomes of each learner, fold by fold; what the first fold tells of slow ones is told at once."""
    jobs = [(learner, fold) for fold in range(len(folds)) for learner in range(len(estimators))]

    def watch(number: int, result: Outcome | str) -> None:
        learner, fold = jobs[number]
        if fold == 0:
            slow.first_fold(learner, _outcome(result).fit_seconds)

    work = SideBySide(_one_job, (task, tuple(estimators), tuple(folds)), jobs, watch=watch)
    title = f"Comparing {len(estimators)} learners"
    results = work.run(n_jobs, title, at_once=0.0 if is_large(task) else AT_ONCE)
    done = dict(zip(jobs, results, strict=True))
    return [[_outcome(done[learner, fold]) for fold in range(len(folds))] for learner in range(len(estimators))]


def _one_job(shared: tuple[Task, tuple[Any, ...], tuple[Fold, ...]], learner: int, fold: int) -> Outcome:
    task, estimators, folds = shared
    return run_fold(task, estimators[learner], folds[fold], weigh=fold == 0)


def _outcome(result: Outcome | str) -> Outcome:
    return Outcome(problem=result) if isinstance(result, str) else result


def _summarise(name: str, note: str, outcomes: Sequence[Outcome]) -> LearnerScores:
    notes = [note] if note else []
    counts = Counter(text for outcome in outcomes for text in outcome.warnings)
    notes += [f"{text} (in {n} of {len(outcomes)} folds)" for text, n in counts.items()]
    problems = [outcome.problem for outcome in outcomes if outcome.problem]
    if problems:
        some = "" if len(problems) == len(outcomes) else f" (in {len(problems)} of {len(outcomes)} folds)"
        return LearnerScores(name, problem=f"{problems[0]}{some}", notes=tuple(notes))
    return LearnerScores(
        name,
        {measure: tuple(one.scores[measure] for one in outcomes) for measure in outcomes[0].scores},
        float(np.median([one.fit_seconds for one in outcomes])),
        float(np.median([one.predict_seconds for one in outcomes])),
        outcomes[0].n_bytes,
        notes=tuple(notes),
    )

"""One learner on one fold: fit, predict, measure, and tell what went wrong in a sentence."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.evaluate.cross_validation import take_rows
from treewright.evaluate.fold_plan import Fold
from treewright.evaluate.measures import Answers, measure_classes, measure_numbers


@dataclass(frozen=True)
class Outcome:
    """What one fit on one fold gave; without scores, `problem` says why."""

    scores: dict[str, float] = field(default_factory=dict)
    fit_seconds: float = float("nan")  # of processor time
    predict_seconds: float = float("nan")
    n_bytes: int | None = None
    problem: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """What is learnt, from what: the same for all learners and folds."""

    X: Any
    target: NDArray[Any]
    name: str  # "classification" | "regression"
    positive: Any = None
    needs_scores: bool = True  # whether log loss and AUC are wanted, which take a second look at the rows


def run_fold(task: Task, estimator: Any, fold: Fold, weigh: bool) -> Outcome:
    """Fit a copy of the estimator on a fold's training rows and score it on its test rows; never raises.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> task = Task(np.zeros((4, 1)), np.array(["a", "a", "b", "a"]), "classification")
    >>> outcome = run_fold(task, DummyClassifier(), Fold(np.array([0, 1]), np.array([2, 3])), weigh=False)
    >>> outcome.scores["accuracy"], outcome.problem
    (0.5, None)
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            outcome = _fit_and_score(task, estimator, fold, weigh)
        except Exception as error:
            return Outcome(problem=sentence(error), warnings=_texts(told))
    return Outcome(outcome.scores, outcome.fit_seconds, outcome.predict_seconds, outcome.n_bytes, None, _texts(told))


def _fit_and_score(task: Task, estimator: Any, fold: Fold, weigh: bool) -> Outcome:
    from sklearn.base import clone

    training, test = take_rows(task.X, fold.training), take_rows(task.X, fold.test)
    model = clone(estimator)
    start = process_time()
    model.fit(training, task.target[fold.training])
    fitted = process_time()
    predicted = np.asarray(model.predict(test))
    answered = process_time()
    return Outcome(
        scores=measure(task, model, test, task.target[fold.test], predicted),
        fit_seconds=fitted - start,
        predict_seconds=answered - fitted,
        n_bytes=model_bytes(model) if weigh else None,
    )


def measure(task: Task, model: Any, X: Any, truth: NDArray[Any], predicted: NDArray[Any]) -> dict[str, float]:
    """Measure a fitted model's answers to some rows."""
    if task.name == "regression":
        return measure_numbers(truth, predicted)
    classes = np.asarray(model.classes_)
    if not task.needs_scores:
        return measure_classes(truth, Answers(classes, predicted), task.positive)
    probabilities = np.asarray(model.predict_proba(X)) if hasattr(model, "predict_proba") else None
    scores = probabilities
    if probabilities is None and hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X))
        scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    return measure_classes(truth, Answers(classes, predicted, probabilities, scores), task.positive)


def model_bytes(model: Any) -> int:
    """The size of a fitted model: of its file where it has one, else of its pickle.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_tennis(return_X_y=True)
    >>> 500 < model_bytes(tw.ID3Classifier().fit(X, y)) < 5000
    True
    """
    return len(model._tw_bytes()) if hasattr(model, "_tw_bytes") else len(pickle.dumps(model))


def sentence(error: BaseException) -> str:
    """What went wrong in one line: the first paragraph of the message, with the kind of error where it is not our own.

    Examples
    --------
    >>> sentence(ValueError("Input X contains NaN.\\nLong advice follows."))
    'Input X contains NaN.'
    >>> sentence(KeyError("age"))
    "KeyError: 'age'"
    """
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    if isinstance(error, ValueError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _texts(told: list[warnings.WarningMessage]) -> tuple[str, ...]:
    first_lines = [str(one.message).strip().split("\n")[0] for one in told]
    return tuple(dict.fromkeys(first_lines))

"""The algorithms that have a teacher: their estimators, and how each is explained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.utils.multiclass import type_of_target

from treewright.errors import DataError, nearest
from treewright.learners.record import LearnerRecord, loaded
from treewright.learners.registry import LEARNERS, record_of
from treewright.lesson.methods.method import Method
from treewright.lesson.pruning.section import PruningLesson


@dataclass(frozen=True)
class Teacher:
    """Who explains an algorithm: its method, the settings that leave pruning out, and the section about pruning."""

    method: type[Method]
    unpruned: Mapping[str, Any]
    pruning: Callable[[Any, Any, Method], PruningLesson | None] | None  # (grown, model, method) → section


def with_a_lesson() -> list[str]:
    """List the algorithms that have a teacher.

    Examples
    --------
    >>> with_a_lesson()[:3]
    ['cart', 'id3', 'c45']
    """
    return [name for name, record in LEARNERS.items() if record.teacher is not None]


def find_teacher(algorithm: Any) -> Teacher:
    """Give the teacher of an algorithm, named or given as an estimator.

    Examples
    --------
    >>> find_teacher("cart").method.__name__
    'CartMethod'
    >>> find_teacher("carrt")
    Traceback (most recent call last):
    treewright.errors.DataError: There is no lesson in 'carrt'. Did you mean 'cart'?
    """
    teacher = _record(algorithm).teacher
    assert teacher is not None
    pruning = loaded(teacher.pruning) if teacher.pruning else None
    return Teacher(loaded(teacher.method), teacher.unpruned, pruning)


def _record(algorithm: Any) -> LearnerRecord:
    """The record of an algorithm that has a teacher."""
    if isinstance(algorithm, BaseEstimator):
        found = record_of(algorithm)
        if found is not None and found.teacher is not None:
            return found
        kind = type(algorithm).__name__
        raise DataError(f"There is no lesson for {kind}. There are lessons in: {', '.join(with_a_lesson())}.")
    if algorithm not in with_a_lesson():
        raise DataError(f"There is no lesson in {algorithm!r}. {nearest(str(algorithm), with_a_lesson())}")
    return LEARNERS[algorithm]


def make_estimator(algorithm: Any, task: str | None, y: Any, parameters: Mapping[str, Any]) -> Any:
    """Make the estimator that the lesson is about; a target of numbers with fractions is a regression.

    Examples
    --------
    >>> make_estimator("cart", None, [1.5, 2.5], {"max_depth": 2})
    DecisionTreeRegressor(max_depth=2)
    """
    if isinstance(algorithm, BaseEstimator):
        _record(algorithm)  # which says so where there is no lesson
        return clone(algorithm).set_params(**parameters)
    kind = _estimator_class(algorithm, task or ("regression" if _is_continuous(y) else "classification"))
    known = kind._get_param_names()
    for parameter in parameters:
        if parameter not in known:
            raise DataError(f"{kind.__name__} has no parameter '{parameter}'. {nearest(parameter, known)}")
    return kind(**parameters)


def parameters_of_algorithm(algorithm: str, task: str) -> list[str]:
    """List the names that can be set.

    Examples
    --------
    >>> "max_depth" in parameters_of_algorithm("cart", "regression")
    True
    """
    return [name for name in _estimator_class(algorithm, task)._get_param_names() if name != "column_kinds"]


def _estimator_class(algorithm: str, task: str) -> Any:
    record = _record(algorithm)
    if task not in ("classification", "regression"):
        raise DataError(f"There is no task {task!r}. Choose task='classification' or task='regression'.")
    if task not in record.classes:
        others = ", ".join(name for name in with_a_lesson() if task in LEARNERS[name].classes)
        learns, wanted = ("classes", "numbers") if task == "regression" else ("numbers", "classes")
        raise DataError(f"The algorithm {algorithm!r} learns {learns} only. For {wanted} choose one of: {others}.")
    return record.load(task)


def _is_continuous(y: Any) -> bool:
    try:
        return bool(type_of_target(y) == "continuous")
    except (TypeError, ValueError):  # the estimator will say what is wrong with it
        return False

"""The algorithms that have a teacher: their estimators, and how each is explained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.utils.multiclass import type_of_target

from treewright.errors import DataError, nearest
from treewright.lesson.methods.c45 import C45Method
from treewright.lesson.methods.cart import CartMethod
from treewright.lesson.methods.chaid import ChaidMethod
from treewright.lesson.methods.conditional import ConditionalMethod
from treewright.lesson.methods.id3 import ID3Method
from treewright.lesson.methods.method import Method
from treewright.lesson.methods.model_tree import ModelTreeMethod
from treewright.lesson.methods.oblique import ObliqueMethod
from treewright.lesson.pruning.equations import equations_lesson
from treewright.lesson.pruning.pessimistic_section import pessimistic_lesson
from treewright.lesson.pruning.price import price_lesson
from treewright.lesson.pruning.price_of_tests import price_of_tests_lesson
from treewright.lesson.pruning.section import PruningLesson


@dataclass(frozen=True)
class Teacher:
    """Who explains an algorithm: the names of its estimators, its method, and the settings that leave pruning out."""

    classifier: str | None
    regressor: str | None
    method: type[Method]
    unpruned: Mapping[str, Any] = field(default_factory=dict)
    pruning: Callable[[Any, Any, Method], PruningLesson | None] | None = None  # (grown, model, method) → section


TEACHERS = {
    "id3": Teacher("ID3Classifier", None, ID3Method),
    "c45": Teacher(
        "C45Classifier",
        None,
        C45Method,
        {"prune": False, "reduced_error": False},
        pruning=pessimistic_lesson,
    ),
    "chaid": Teacher("CHAIDClassifier", "CHAIDRegressor", ChaidMethod),
    "ctree": Teacher("ConditionalTreeClassifier", "ConditionalTreeRegressor", ConditionalMethod),
    "cart": Teacher(
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
        CartMethod,
        {"prune": None, "ccp_alpha": 0.0},
        pruning=price_lesson,
    ),
    "oblique": Teacher(
        "ObliqueTreeClassifier",
        "ObliqueTreeRegressor",
        ObliqueMethod,
        {"prune": None},
        pruning=price_of_tests_lesson,
    ),
    "model_tree": Teacher(None, "ModelTreeRegressor", ModelTreeMethod, {"prune": False}, pruning=equations_lesson),
}


def find_teacher(algorithm: Any) -> Teacher:
    """Give the teacher of an algorithm, named or given as an estimator.

    Examples
    --------
    >>> find_teacher("cart").classifier
    'DecisionTreeClassifier'
    >>> find_teacher("carrt")
    Traceback (most recent call last):
    treewright.errors.DataError: There is no lesson in 'carrt'. Did you mean 'cart'?
    """
    if isinstance(algorithm, BaseEstimator):
        kind = type(algorithm).__name__
        for teacher in TEACHERS.values():
            if kind in (teacher.classifier, teacher.regressor):
                return teacher
        raise DataError(f"There is no lesson for {kind}. There are lessons in: {', '.join(TEACHERS)}.")
    if algorithm not in TEACHERS:
        raise DataError(f"There is no lesson in {algorithm!r}. {nearest(str(algorithm), TEACHERS)}")
    return TEACHERS[algorithm]


def make_estimator(algorithm: Any, task: str | None, y: Any, parameters: Mapping[str, Any]) -> Any:
    """Make the estimator that the lesson is about; a target of numbers with fractions is a regression.

    Examples
    --------
    >>> make_estimator("cart", None, [1.5, 2.5], {"max_depth": 2})
    DecisionTreeRegressor(max_depth=2)
    """
    if isinstance(algorithm, BaseEstimator):
        find_teacher(algorithm)
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
    import treewright as tw

    teacher = find_teacher(algorithm)
    if task not in ("classification", "regression"):
        raise DataError(f"There is no task {task!r}. Choose task='classification' or task='regression'.")
    name = teacher.classifier if task == "classification" else teacher.regressor
    if name is None:
        able = [
            key for key, other in TEACHERS.items() if (other.regressor if task == "regression" else other.classifier)
        ]
        learns, wanted = ("classes", "numbers") if task == "regression" else ("numbers", "classes")
        others = ", ".join(able)
        raise DataError(f"The algorithm {algorithm!r} learns {learns} only. For {wanted} choose one of: {others}.")
    return getattr(tw, name)


def _is_continuous(y: Any) -> bool:
    try:
        return bool(type_of_target(y) == "continuous")
    except (TypeError, ValueError):  # the estimator will say what is wrong with it
        return False

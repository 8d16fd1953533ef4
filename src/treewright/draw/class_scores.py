"""What plots of classifiers work on: the truth of a class, and how sure each model is of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.draw.named_models import named_models
from treewright.draw.style import plain
from treewright.errors import DataError, nearest
from treewright.evaluate.alike_scores import alike_scores

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassScores:
    """One line of a plot: its label, which rows are of the class, and the probability that each was given."""

    label: str
    is_class: NDArray[np.bool_]
    scores: Floats


def class_scores(models: Any, X: Any, y: Any, positive: Any, owner: str) -> tuple[list[ClassScores], str]:
    """Ask fitted models for probabilities; give a line for each model and class, and the name of the class, if one.

    Two classes, or a class that is named, give one line a model. One model and more classes give a line a class.
    """
    truth = np.asarray(y)
    named = named_models(models, owner)
    asked = {name: (_classes(model, owner), np.asarray(model.predict_proba(X))) for name, model in named.items()}
    if any(len(truth) != len(shares) for _, shares in asked.values()):
        raise DataError(f"{owner}: X and y must have the same number of rows.")
    classes = next(iter(asked.values()))[0]
    wanted = _wanted(classes, positive, len(named), owner)
    lines = []
    for name, (own, shares) in asked.items():
        for label in wanted:
            shown = str(label) if len(wanted) > 1 else name
            lines.append(ClassScores(plain(shown), truth == label, alike_scores(shares[:, own.index(label)])))
    for line in lines:
        if line.is_class.all() or not line.is_class.any():
            raise DataError(f"{owner} needs rows of the class and rows of others. Here {_which(line)}.")
    return lines, plain(wanted[0]) if len(wanted) == 1 else ""


def _which(line: ClassScores) -> str:
    return "all rows are of it" if line.is_class.all() else "no row is of it"


def _classes(model: Any, owner: str) -> list[Any]:
    check_is_fitted(model)
    if not hasattr(model, "predict_proba"):
        raise DataError(f"{owner} needs probabilities, and {type(model).__name__} has no predict_proba.")
    classes: list[Any] = np.asarray(model.classes_).tolist()
    return classes


def _wanted(classes: list[Any], positive: Any, n_models: int, owner: str) -> list[Any]:
    if positive is not None:
        if positive not in classes:
            raise DataError(
                f"positive={positive!r} is no class of the model. {nearest(str(positive), map(str, classes))}"
            )
        return [positive]
    if len(classes) <= 2:
        return classes[-1:]
    if n_models > 1:
        raise DataError(f"{owner}: several models and {len(classes)} classes are too many lines. Say positive=.")
    return classes

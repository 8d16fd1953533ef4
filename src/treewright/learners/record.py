"""What the library has to know of a learner, in one record: its classes, what it is, what to try, who explains it.

Nothing heavy is imported here: the help of the command line reads the records. Classes are named by the module that
they live in, and loaded when they are asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class TeacherRecord:
    """Who explains a learner in a lesson; method and pruning as "module:name".

    Parameters
    ----------
    method : str
        The class that explains how a node is split.
    pruning : str, optional
        The function that explains the pruning, of (grown, model, method).
    unpruned : dict
        The settings that leave pruning out.
    """

    method: str
    pruning: str = ""
    unpruned: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LearnerRecord:
    """One learner.

    Parameters
    ----------
    name : str
        How the command line, `compare`, `tune` and `lesson` call it.
    module : str
        Where its classes live.
    classifier, regressor : str
        Its classes by task; "" where it does not learn classes, or numbers.
    model, scoring, optimisation, columns, missing, cost : str
        What it is, in a few words a question: `tw.learners()` prints them.
    in_words : str, optional
        What the command line calls a model of many trees, before "of 30 trees"; left out, it is the name of its class.
    grid : dict of lists
        The few parameters that matter most, with values from cautious to bold: what `tune` tries. Parameters and values
        that a class does not take are passed over, so that one line serves classes and numbers.
    teacher : TeacherRecord, optional
        Who explains it, where it has a lesson.
    readable : dict
        Settings for a reader, who wants a model that fits on a page and is no worse for it, with probabilities that can
        be believed: what the command line and `compare` begin with; those that a class does not take are passed over.
        The library's own defaults are those of scikit-learn, where it has the learner.

    Examples
    --------
    >>> from treewright.learners.registry import LEARNERS
    >>> LEARNERS["forest"].classes
    {'classification': 'RandomForestClassifier', 'regression': 'RandomForestRegressor'}
    >>> LEARNERS["forest"].load("regression").__name__
    'RandomForestRegressor'
    """

    name: str
    module: str
    classifier: str = ""
    regressor: str = ""
    model: str
    scoring: str
    optimisation: str
    columns: str
    missing: str
    cost: str
    in_words: str = ""
    grid: Mapping[str, Sequence[Any]]
    teacher: TeacherRecord | None = None
    readable: Mapping[str, Any] = field(default_factory=dict)

    @property
    def classes(self) -> dict[str, str]:
        """The names of its classes by task."""
        both = {"classification": self.classifier, "regression": self.regressor}
        return {task: name for task, name in both.items() if name}

    def load(self, task: str) -> Any:
        """Give its class for a task."""
        return loaded(f"{self.module}:{self.classes[task]}")


def loaded(path: str) -> Any:
    """Give what a module has under a name.

    Examples
    --------
    >>> loaded("math:pi")
    3.141592653589793
    """
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)

"""Who takes part: learners by name, estimators of treewright or scikit-learn, all under names of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from treewright.algorithms import ALGORITHMS, READABLE
from treewright.errors import DataError, nearest

BASELINE = "baseline"


@dataclass(frozen=True)
class Contestant:
    """A learner under its name; the estimator is not fitted."""

    name: str
    estimator: Any


def named_estimator(name: str, task: str, random_state: int = 0, **settings: Any) -> Any:
    """Make the learner of a name, as `treewright train --algorithm NAME` does: so a CART tree is pruned.

    Examples
    --------
    >>> named_estimator("forest", "regression", n_estimators=7)
    RandomForestRegressor(n_estimators=7, random_state=0)
    >>> named_estimator("forrest", "regression")
    Traceback (most recent call last):
    treewright.errors.DataError: There is no algorithm 'forrest'. Did you mean 'forest'?
    """
    import treewright as tw

    if name == BASELINE:
        return _baseline(task)
    if name not in ALGORITHMS:
        raise DataError(f"There is no algorithm '{name}'. {nearest(name, [*ALGORITHMS, BASELINE])}")
    by_task = ALGORITHMS[name]
    if task not in by_task:
        able = ", ".join(algorithms_for(task))
        raise DataError(f"The algorithm {name} does no {task}. Those that do: {able}.")
    estimator = getattr(tw, by_task[task])()
    known = estimator.get_params(deep=False)
    own = {} if "ccp_alpha" in settings else READABLE.get(name, {})
    seed = {"random_state": random_state} if "random_state" in known else {}
    return estimator.set_params(**{**own, **seed, **settings})


def algorithms_for(task: str) -> list[str]:
    """List the names of the algorithms that learn classes, or numbers.

    Examples
    --------
    >>> algorithms_for("regression")[:2]
    ['cart', 'chaid']
    """
    return [name for name, by_task in ALGORITHMS.items() if task in by_task]


def gather(
    algorithms: Any, task: str, *, random_state: int = 0, column_kinds: Mapping[str, str] | None = None
) -> tuple[Contestant, ...]:
    """Give every learner a name and an estimator; None stands for all that can do the task.

    Names that occur twice are numbered. Where no seed is set, `random_state` is, so that every run gives the same.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> [one.name for one in gather(["cart", GaussianNB(), ("mine", GaussianNB()), GaussianNB()], "classification")]
    ['cart', 'GaussianNB', 'mine', 'GaussianNB 2']
    """
    named: dict[str, Any] = {}
    for name, given in _pairs(algorithms_for(task) if algorithms is None else algorithms):
        estimator = named_estimator(given, task, random_state) if isinstance(given, str) else _checked(given, task)
        named[_free_name(name, named)] = _settled(estimator, random_state, column_kinds)
    if not named:
        raise DataError("There is no algorithm to run. Name some, such as algorithms=['cart', 'forest'].")
    return tuple(Contestant(name, estimator) for name, estimator in named.items())


def task_of_estimators(algorithms: Any) -> str | None:
    """Tell the task that given estimators are for; None where only names are given.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> task_of_estimators(["cart", Ridge()]), task_of_estimators("cart")
    ('regression', None)
    """
    from sklearn.base import is_classifier, is_regressor

    every = [] if algorithms is None else [one for _, one in _pairs(algorithms)]
    given = [one for one in every if hasattr(one, "fit") and not isinstance(one, type)]
    if any(map(is_classifier, given)):
        return "classification"
    return "regression" if any(map(is_regressor, given)) else None


def _pairs(algorithms: Any) -> Iterable[tuple[str, Any]]:
    """Every form of the argument as (name, name or estimator)."""
    if isinstance(algorithms, str):
        algorithms = [part.strip() for part in algorithms.split(",") if part.strip()]
    elif isinstance(algorithms, Mapping):
        algorithms = list(algorithms.items())
    elif hasattr(algorithms, "fit"):
        algorithms = [algorithms]
    for one in algorithms:
        if isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str):
            yield one
        else:
            yield (one if isinstance(one, str) else type(one).__name__), one


def _checked(estimator: Any, task: str) -> Any:
    """Refuse what is no estimator, or one for the other task."""
    from sklearn.base import is_classifier, is_regressor

    if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        shown = estimator.__name__ + " itself" if isinstance(estimator, type) else repr(estimator)
        raise DataError(
            f"An algorithm is a name or an estimator of treewright or scikit-learn. Got {shown}. "
            "Make one, for instance tw.RandomForestClassifier()."
        )
    other = is_regressor(estimator) if task == "classification" else is_classifier(estimator)
    if other:
        raise DataError(
            f"{type(estimator).__name__} does no {task}. Leave it out, or say task= if the target is meant otherwise."
        )
    return estimator


def _free_name(name: str, taken: Mapping[str, Any]) -> str:
    number = 1
    while (free := name if number == 1 else f"{name} {number}") in taken:
        number += 1
    return free


def _settled(estimator: Any, random_state: int, column_kinds: Mapping[str, str] | None) -> Any:
    """A copy on one thread (fits run side by side), with a seed and with the kinds that were given for all."""
    from sklearn.base import clone

    copy = clone(estimator)
    changes: dict[str, Any] = {}
    for name, value in copy.get_params(deep=True).items():
        last = name.rpartition("__")[2]
        if last == "n_jobs" and (value is not None or _is_ours(copy)):  # elsewhere None is one thread already
            changes[name] = 1
        elif last == "random_state" and value is None:
            changes[name] = random_state
        elif last == "column_kinds" and value is None and column_kinds:
            changes[name] = dict(column_kinds)
    return copy.set_params(**changes)


def _is_ours(estimator: Any) -> bool:
    return type(estimator).__module__.startswith("treewright.")


def _baseline(task: str) -> Any:
    """The guess that looks at no column."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyClassifier(strategy="prior") if task == "classification" else DummyRegressor()

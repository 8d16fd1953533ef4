"""Who is compared on what: learners by name, a table that can be cut into rows, a clean target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from treewright.errors import DataError, nearest
from treewright.learners.base.design_matrix import Columns, Design, Floats, columns_of, learn_design
from treewright.learners.registry import LEARNERS, learners_for
from treewright.model_selection.run_jobs import Task
from treewright.model_selection.suspicious import warn_of_table
from treewright.table.encode import RowEncoder, lay_out
from treewright.table.frame import InputFrame, open_frame, to_table
from treewright.table.target import target_column

if TYPE_CHECKING:
    import pandas as pd


# Is a target column one of classes or one of numbers?


FEW_VALUES = 10


def holds_numbers(target: pd.Series) -> bool:
    """Tell whether a column holds numbers at all; truth values are none.

    Examples
    --------
    >>> import pandas as pd
    >>> holds_numbers(pd.Series([1, 2])), holds_numbers(pd.Series([True, False])), holds_numbers(pd.Series(["1", "2"]))
    (True, False, False)
    """
    from pandas.api import types

    return bool(types.is_numeric_dtype(target) and not types.is_bool_dtype(target))


def is_target_of_classes(target: pd.Series) -> bool:
    """Text, categories and booleans are classes; so are integers with at most ten different values.

    Examples
    --------
    >>> import pandas as pd
    >>> is_target_of_classes(pd.Series(["good", "bad"])), is_target_of_classes(pd.Series([0, 1, 1]))
    (True, True)
    >>> is_target_of_classes(pd.Series([1.5, 2.5])), is_target_of_classes(pd.Series(range(100)))
    (False, False)
    """
    return not holds_numbers(target) or (_holds_integers(target) and target.nunique() <= FEW_VALUES)


def _holds_integers(target: pd.Series) -> bool:
    """Tell whole numbers, also where missing values have made a column of integers one of floats."""
    from pandas.api import types

    known = target.dropna()
    return types.is_integer_dtype(target) or bool((known == known.round()).all())


# Tables for estimators that take numbers only: levels as columns of 0 and 1, holes filled.


class CodedColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table with levels, dates and holes into a matrix of numbers, by what the training rows say.

    A nominal column becomes a column of 0 and 1 for each level, an ordinal one the numbers of its levels; dates are
    numbers too. A hole, and a level never seen, take the mean of the training rows.

    Parameters
    ----------
    column_kinds : dict, optional
        Kinds that override the guess, as for the estimators.
    keep_missing : bool, default False
        Leave holes among numbers as NaN, for estimators that know what to do with them.

    Examples
    --------
    >>> CodedColumns().fit_transform([[1.0, "red"], [2.0, "blue"], [None, "red"]])
    array([[1. , 0. , 1. ],
           [2. , 1. , 0. ],
           [1.5, 0. , 1. ]])
    """

    def __init__(self, *, column_kinds: Mapping[str, str] | None = None, keep_missing: bool = False) -> None:
        self.column_kinds = column_kinds
        self.keep_missing = keep_missing

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn levels and means."""
        self.design_: Design = learn_design(_laid_out(_open(X), self.column_kinds), None, contrasts="full")
        return self

    def transform(self, X: Any) -> Floats:
        """Give the matrix of numbers of a table with the same columns."""
        schema = self.design_.schema
        columns = columns_of(RowEncoder(schema).encode(_open(X)), schema)
        matrix = self.design_.matrix(columns)
        if self.keep_missing and np.isnan(columns.numbers).any():
            starts = np.concatenate([[0], np.cumsum(self.design_.widths)])
            matrix[:, starts[list(columns.numeric)]] = columns.numbers
        return matrix

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def for_numbers_only(estimator: Any, X: Any, column_kinds: Mapping[str, str] | None = None) -> tuple[Any, str]:
    """Put the coding of columns before an estimator that would refuse the table; say so, or "" where nothing was done.

    Learners of treewright take tables as they are, and a pipeline has its own way of preparing them: both stay as they
    are.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = [[1.0, "red"], [None, "blue"]]
    >>> for_numbers_only(LogisticRegression(), X)[1]
    'levels as columns of 0 and 1, holes filled with the mean'
    """
    coding, note = coding_for(estimator, X, column_kinds)
    return with_coding(estimator, coding), note


def with_coding(estimator: Any, coding: CodedColumns | None) -> Any:
    """Put a coding, if there is one, before an estimator."""
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline

    return estimator if coding is None else make_pipeline(clone(coding), estimator)


def coding_for(
    estimator: Any, X: Any, column_kinds: Mapping[str, str] | None = None
) -> tuple[CodedColumns | None, str]:
    """Tell what has to be done to a table before an estimator takes it, if anything, and say so."""
    from sklearn.pipeline import Pipeline
    from sklearn.utils import get_tags

    home = type(estimator).__module__
    if home.startswith("treewright.") or home == "sklearn.dummy" or isinstance(estimator, Pipeline):
        return None, ""
    try:
        columns = _laid_out(_open(X), column_kinds)
    except DataError:  # whatever is wrong with the table, the learner will be told in its own words
        return None, ""
    keeps = bool(get_tags(estimator).input_tags.allow_nan)
    plain = all(column.kind == "numeric" and column.value_type == "number" for column in columns.schema.columns)
    done = [] if plain else ["levels as columns of 0 and 1"]
    if not keeps and np.isnan(columns.numbers).any():
        done.append("holes filled with the mean")
    coding = CodedColumns(column_kinds=column_kinds, keep_missing=keeps)
    return (coding, ", ".join(done)) if done else (None, "")


def _open(X: Any) -> InputFrame:
    table = to_table(X)
    return open_frame(table if hasattr(table, "shape") else np.asarray(table))


def _laid_out(frame: InputFrame, column_kinds: Mapping[str, str] | None) -> Columns:
    table = lay_out(frame, column_kinds)
    return columns_of(table.rows, table.schema)


# Who takes part: learners by name, estimators of treewright or scikit-learn, all under names of their own.


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
    if name == BASELINE:
        return _baseline(task)
    if name not in LEARNERS:
        raise DataError(f"There is no algorithm '{name}'. {nearest(name, [*LEARNERS, BASELINE])}")
    record = LEARNERS[name]
    if task not in record.classes:
        able = ", ".join(learners_for(task))
        raise DataError(f"The algorithm {name} does no {task}. Those that do: {able}.")
    estimator = record.load(task)()
    known = estimator.get_params(deep=False)
    begins = record.readable
    own = {name: value for name, value in begins.items() if name in known and "ccp_alpha" not in settings}
    seed = {"random_state": random_state} if "random_state" in known else {}
    return estimator.set_params(**{**own, **seed, **settings})


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
    for name, given in _pairs(learners_for(task) if algorithms is None else algorithms):
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
    elif not isinstance(algorithms, Iterable):
        raise DataError(f"algorithms are names or estimators, such as ['cart', 'forest']. Got {algorithms!r} instead.")
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


# From what the user gives to what is compared: a table that can be cut into rows, a clean target, a task.


TASKS = ("classification", "regression")
LARGE = 2_000_000  # cells; processes are started at once


def open_task(
    X: Any, y: Any, owner: str, *, task: str | None, algorithms: Any, positive: Any = None,
    column_kinds: Mapping[str, Any] | None = None,
) -> Task:  # fmt: skip
    """Check table and target, and tell the task: as wished, else by the estimators given, else by the target.

    What is odd about the columns of a frame is warned of here, once for all learners and folds.

    Examples
    --------
    >>> open_task([[1], [2]], ["a", "b"], "compare", task=None, algorithms=None).name
    'classification'
    >>> open_task([[1], [2]], ["a", None], "compare", task=None, algorithms=None)
    Traceback (most recent call last):
    treewright.errors.DataError: The target of compare has no value in row 1 (the first is 0). Leave such rows out.
    """
    if hasattr(X, "fit") or isinstance(X, str):
        raise DataError(f"{owner} takes the table first: tw.{owner}(X, y, …). Got {type(X).__name__} as the table.")
    table = to_table(X)
    table = table if hasattr(table, "shape") else np.asarray(table)
    if len(table.shape) != 2:
        raise DataError(f"A table has rows and columns, but X has the shape {table.shape}. Reshape it.")
    if task is not None and not (isinstance(task, str) and task in TASKS):
        raise DataError(f"There is no task '{task}'. {nearest(str(task), TASKS)}")
    column = target_column(y, table.shape[0], owner)
    values = column if isinstance(column, np.ndarray) else column.to_numpy()
    _refuse_holes(values, owner)
    said = task or task_of_estimators(algorithms)
    wanted = said or _told_by(values)
    warn_of_table(
        table, column, wanted == "classification", column_kinds, is_guess=said is None, name=getattr(y, "name", None)
    )
    return Task(table, _numbers(values) if wanted == "regression" else values, wanted, _class(positive, values))


def is_large(task: Task) -> bool:
    """Whether a fit is likely to take so long that processes are worth their start."""
    return bool(task.X.shape[0] * task.X.shape[1] > LARGE)


def _refuse_holes(values: NDArray[Any], owner: str) -> None:
    import pandas as pd

    holes = np.flatnonzero(pd.isna(values))
    if len(holes):
        more = f" and {len(holes) - 1} more" if len(holes) > 1 else ""
        raise DataError(
            f"The target of {owner} has no value in row {holes[0]}{more} (the first is 0). Leave such rows out."
        )
    if not len(values):
        raise DataError(f"The table of {owner} has no rows.")


def _told_by(values: NDArray[Any]) -> str:
    import pandas as pd

    return "classification" if is_target_of_classes(pd.Series(values)) else "regression"


def _numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    import pandas as pd

    if not holds_numbers(pd.Series(values).infer_objects()):
        raise DataError(
            f"The target holds no numbers ({values[0]!r} in its first row), so it cannot be learnt by regression."
        )
    return np.asarray(values, dtype=np.float64)


def _class(positive: Any, values: NDArray[Any]) -> Any:
    if positive is not None and positive not in set(values.tolist()):
        known = [str(value) for value in dict.fromkeys(values.tolist())]
        raise DataError(f"positive={positive!r} is no class of the target. {nearest(str(positive), known)}")
    return positive

"""Models of several targets: `y` with a column for each of them.

Such a model is one fitted model for each target (`targets_`), which share their tests where they are trees. What is
asked of it is asked of each of them: `predict` puts the answers side by side, `predict_proba` gives a list.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.errors import DataError
from treewright.save.persist import params_to_json, restore_params

_PREFIX = "target_"
_MOST_TARGETS = 200  # that a model file holds


# ---------------------------------------------------------------- the columns of y


def columns_of_targets(y: Any) -> list[Any] | None:
    """Give the columns of a target that has several; None where it has one, or is something else.

    Examples
    --------
    >>> columns_of_targets([[1, 5], [2, 6]])
    [array([1, 2]), array([5, 6])]
    >>> columns_of_targets([1, 2]) is None
    True
    """
    if y is None or isinstance(y, str) or nw.dependencies.is_pandas_series(y):
        return None
    if not isinstance(y, np.ndarray | list | tuple):  # of which narwhals would ask every library
        if nw.dependencies.is_into_series(y) or not nw.dependencies.is_into_dataframe(y):
            return None
        frame = nw.from_native(y, eager_only=True)
        return [frame[name].to_native() for name in frame.columns] if len(frame.columns) > 1 else None
    if isinstance(y, np.ndarray):
        table = y
    else:
        if not len(y) or not isinstance(y[0], list | tuple | np.ndarray):
            return None
        try:
            table = np.asarray(y)
        except ValueError:  # rows of different lengths
            return None
        if table.dtype.kind == "U":  # a list that mixes numbers and text: numpy alone would make text of all
            table = np.array(y, dtype=object)
    if table.ndim != 2 or table.shape[1] < 2:
        return None
    return [np.ascontiguousarray(table[:, t]) for t in range(table.shape[1])]


def fit_one_by_one(model: Any, X: Any, columns: Sequence[Any], *others: Any) -> list[Any]:
    """One model for each target, each learnt for itself; a warm start goes on from those that are there."""
    before = model.__dict__.get("targets_", ()) if getattr(model, "warm_start", False) else ()
    if len(before) == len(columns):
        begun = [copy(target).set_params(**model.get_params(deep=False)) for target in before]
    else:
        begun = [clone(model) for _ in columns]
    return [one.fit(X, column, *others) for one, column in zip(begun, columns, strict=True)]


# ---------------------------------------------------------------- what is asked of each


def _stacked(method: Callable[..., Any], models: Sequence[Any], *args: Any, **kwargs: Any) -> NDArray[Any]:
    return np.column_stack([method(model, *args, **kwargs) for model in models])


def _listed(method: Callable[..., Any], models: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
    return [method(model, *args, **kwargs) for model in models]


def _of_the_first(method: Callable[..., Any], models: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
    return method(models[0], *args, **kwargs)


def _staged(method: Callable[..., Any], models: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
    stages = zip(*(method(model, *args, **kwargs) for model in models), strict=True)
    return (np.column_stack(stage) for stage in stages)


def _text(method: Callable[..., Any], models: Sequence[Any]) -> str:
    return "\n\n".join(method(model) for model in models)


def joint_importance(models: Sequence[Any]) -> NDArray[np.float64]:
    """How much each column lowered the mean impurity of the targets, tree by tree, as shares that sum to 1."""
    n_columns = models[0].n_features_in_
    forests = [[model.tree_] if hasattr(model, "tree_") else model.trees_ for model in models]
    total = np.zeros(n_columns)
    for i in range(len(forests[0])):
        worth = np.zeros(n_columns)
        for forest in forests:
            arrays = forest[i].arrays
            asks = arrays["column"] >= 0
            gained = (arrays["weight"] * arrays["gain"])[asks]
            worth += np.bincount(arrays["column"][asks], gained, minlength=n_columns)
        total += worth / worth.sum() if worth.sum() > 0 else worth
    return total / total.sum() if total.sum() > 0 else total


_ASKED: Mapping[str, Callable[..., Any]] = {
    "predict": _stacked,
    "staged_predict": _staged,
    "predict_proba": _listed,
    "predict_log_proba": _listed,
    "apply": _of_the_first,
    "decision_path": _of_the_first,
    "get_depth": _of_the_first,
    "get_n_leaves": _of_the_first,
    "proximities": _of_the_first,
    "kneighbors": _of_the_first,
    "kneighbors_graph": _of_the_first,
    "__str__": _text,
}


def _trees_of_targets(method: Callable[..., Any], models: Sequence[Any]) -> list[Any]:
    """The trees of a forest, each as a fitted tree of several targets."""
    return [_joined(parts) for parts in zip(*(method(model) for model in models), strict=True)]


def _joined(parts: Sequence[Any]) -> Any:
    if getattr(type(parts[0]), "_fit_targets", None) is None:
        raise AttributeError(
            f"{type(parts[0]).__name__} learns one target. Ask model.targets_[0].estimators_, those of the first."
        )
    joined = clone(parts[0])
    set_targets(joined, parts)
    return joined


class TreeOfTargets:
    """The arrays of a tree of several targets, as scikit-learn names them: its shape, its tests, and all values.

    Everything but `value`, `impurity`, `n_outputs` and `n_classes` is that of the tree of the first target; whoever
    wants to print or draw takes one of ``model.targets_``.
    """

    def __init__(self, trees: Sequence[Any]) -> None:
        self._trees = tuple(trees)
        self.n_outputs = len(trees)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_trees":
            raise AttributeError(name)
        return getattr(self._trees[0], name)

    @property
    def impurity(self) -> NDArray[np.float64]:
        """The mean of the impurities of the targets, node by node."""
        return np.asarray(np.mean([tree.impurity for tree in self._trees], axis=0))

    @property
    def value(self) -> NDArray[np.float64]:
        """What each node answers: nodes × targets × classes (the most that a target has, 1 for numbers)."""
        each = [tree.value.reshape(len(tree.value), -1) for tree in self._trees]
        values = np.zeros((len(each[0]), len(each), max(one.shape[1] for one in each)))
        for t, one in enumerate(each):
            values[:, t, : one.shape[1]] = one
        return values


_PROPERTIES = {
    "estimators_": _trees_of_targets,
    "feature_importances_": lambda method, models: joint_importance(models),
    "max_features_": _of_the_first,
    "estimators_samples_": _of_the_first,
}
_STACKED_ATTRIBUTES = ("coef_", "intercept_")
_BESIDE_EACH_OTHER = ("oob_prediction_",)
_MEANS = ("oob_score_",)
_LISTS = ("oob_decision_function_",)
_REFUSED = ("why", "rules", "candidates", "shap_values", "pruned", "predict_quantiles", "cp_table", "stability")


def answer_for_each_target(cls: Any) -> None:
    """Make the methods of an estimator answer for models of several targets too."""
    for name, how in _ASKED.items():
        method = getattr(cls, name, None)
        if method is not None and (name != "__str__" or method is not object.__str__):
            setattr(cls, name, _asking(method, how))
    for name in _REFUSED:
        if callable(getattr(cls, name, None)):
            setattr(cls, name, _refusing(getattr(cls, name)))
    for name, how in _PROPERTIES.items():
        own = getattr(cls, name, None)
        if isinstance(own, property):
            setattr(cls, name, property(_asking(own.fget, how), doc=own.__doc__))
    cls._tw_state, cls._tw_restore = _state_of(cls._tw_state), _restoring(cls._tw_restore)


class SeveralLookup:
    """One row for each of several targets: what `Learner.predict_one` asks of any model."""

    def __init__(self, targets: Sequence[Any]) -> None:
        self._lookups = [target._lookup for target in targets]
        self.known_names = self._lookups[0].known_names
        self.refuse_misnamed = self._lookups[0].refuse_misnamed
        self.text_levels, self.with_meant_levels = self._lookups[0].text_levels, self._lookups[0].with_meant_levels

    def answer_one(self, values: Any) -> list[Any]:
        """The answer for each target, by the quick door."""
        return [lookup.answer_one(values) for lookup in self._lookups]

    def answer_by_frame(self, values: Any) -> list[Any]:
        """The same, by the door that can read anything."""
        return [lookup.answer_by_frame(values) for lookup in self._lookups]


def _asking(method: Any, how: Callable[..., Any]) -> Any:
    @functools.wraps(method)
    def asked(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "targets_" in self.__dict__:
            return how(method, self.targets_, *args, **kwargs)
        return method(self, *args, **kwargs)

    return asked


def _refusing(method: Any) -> Any:
    @functools.wraps(method)
    def asked(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "targets_" in self.__dict__:
            raise DataError(ask_one_target(self, f"{method.__name__}(…)"))
        return method(self, *args, **kwargs)

    return asked


def ask_one_target(model: Any, asked: str) -> str:
    """The sentence for what only a model of one target has."""
    return (
        f"This model has learnt {len(model.targets_)} targets, and {asked} is for one: ask model.targets_[0].{asked}, "
        "the model of the first of them, or another."
    )


def for_one_target(name: str) -> Callable[[Any], bool]:
    """Say of a method that only models of one target have it: for `available_if` of scikit-learn."""

    def has_one(model: Any) -> bool:
        if "targets_" in model.__dict__:
            raise AttributeError(ask_one_target(model, f"{name}(…)"))
        return True

    return has_one


def attribute_of_targets(model: Any, name: str) -> Any:
    """What a model of several targets has under a name that its models have: stacked, or refused with a sentence."""
    if name in _STACKED_ATTRIBUTES:
        return np.stack([getattr(target, name) for target in model.targets_])
    if name == "tree_" and hasattr(model.targets_[0], "tree_"):
        return TreeOfTargets([target.tree_ for target in model.targets_])
    if name in _BESIDE_EACH_OTHER:
        return np.column_stack([getattr(target, name) for target in model.targets_])
    if name in _MEANS:
        return float(np.mean([getattr(target, name) for target in model.targets_]))
    if name in _LISTS:
        each = [getattr(target, name) for target in model.targets_]
        return np.stack(each, axis=2) if len({shares.shape for shares in each}) == 1 else each
    if not name.startswith("_") and hasattr(model.targets_[0], name):
        raise AttributeError(ask_one_target(model, name))
    raise AttributeError(f"{type(model).__name__!r} object has no attribute {name!r}")


# ---------------------------------------------------------------- the fitted model and its file


def set_targets(model: Any, targets: Sequence[Any], **others: Any) -> None:
    """Make a model the one of these fitted targets, in one step; parameters and what the user has set stay."""
    first = targets[0]
    before = model.__dict__.get("_made_by_fit", frozenset())
    kept = {name: value for name, value in model.__dict__.items() if name not in before}
    made: dict[str, Any] = {
        "targets_": tuple(targets),
        "n_outputs_": len(targets),
        "n_features_in_": first.n_features_in_,
        "_lookup": SeveralLookup(targets),
        **others,
    }
    if hasattr(first, "feature_names_in_"):
        made["feature_names_in_"] = first.feature_names_in_
    if model._predicts_classes:
        made |= {"classes_": [t.classes_ for t in targets], "n_classes_": [len(t.classes_) for t in targets]}
    model.__dict__ = {**kept, **made, "_made_by_fit": frozenset({*made, "_made_by_fit"})}


def _state_of(method: Any) -> Any:
    @functools.wraps(method)
    def state(self: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        if "targets_" not in self.__dict__:
            return method(self)  # type: ignore[no-any-return]
        if len(self.targets_) > _MOST_TARGETS:
            raise DataError(
                f"A model file holds up to {_MOST_TARGETS} targets, and this model has {len(self.targets_)}. Save some "
                "of model.targets_ each by itself."
            )
        states = [method(target) for target in self.targets_]
        first = states[0][1]
        arrays = {
            f"{_PREFIX}{t}_{name}": array
            for t, (_, own) in enumerate(states)
            for name, array in own.items()
            if t == 0 or not _is_same(array, first.get(name))  # most are shared: the tests, the rows of neighbours
        }
        headers = [{**header, "shared": sorted(_shared(t, own, arrays))} for t, (header, own) in enumerate(states)]
        header = {"estimator": type(self).__name__, "params": params_to_json(self), "targets": headers}
        return header, arrays

    return state


def _shared(t: int, own: Mapping[str, Any], stored: Mapping[str, Any]) -> list[str]:
    return [name for name in own if f"{_PREFIX}{t}_{name}" not in stored]


def _is_same(array: NDArray[Any], first: NDArray[Any] | None) -> bool:
    if first is None or array.dtype != first.dtype or array.shape != first.shape:
        return False
    return np.ascontiguousarray(array).tobytes() == np.ascontiguousarray(first).tobytes()


def _restoring(method: Any) -> Any:
    @functools.wraps(method)
    def restore(self: Any, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        if "targets" not in header:
            return method(self, header, arrays, source)  # type: ignore[no-any-return]
        headers = header["targets"]
        if not isinstance(headers, list) or not 2 <= len(headers) <= _MOST_TARGETS:
            raise ValueError("its targets are not several")
        restore_params(self, header, source)
        parts = _arrays_by_target(headers, arrays)
        arrays.clear()
        targets = [object.__new__(type(self)) for _ in headers]
        for target, own, part in zip(targets, headers, parts, strict=True):
            method(target, own, part, source)
        if any(_columns(own) != _columns(headers[0]) for own in headers):
            raise ValueError("its targets have different columns")
        set_targets(self, targets)
        return None

    return restore


def _columns(header: Mapping[str, Any]) -> tuple[Any, ...]:
    """What the model of a target wants of a table: all targets answer for the same one."""
    return header.get("has_names"), header["schema"]["columns"]


def _arrays_by_target(headers: list[Any], arrays: Mapping[str, NDArray[Any]]) -> list[dict[str, NDArray[Any]]]:
    """The arrays of each target; those that it shares are the first one's."""
    parts: list[dict[str, NDArray[Any]]] = [{} for _ in headers]
    for name, array in arrays.items():
        number, _, own = name.removeprefix(_PREFIX).partition("_")
        if not name.startswith(_PREFIX) or not number.isdecimal() or int(number) >= len(headers):
            raise ValueError(f"array '{name}' belongs to none of its targets")
        parts[int(number)][own] = array
    for header, part in zip(headers, parts, strict=True):
        shared = header.get("shared") if isinstance(header, dict) else None
        if not isinstance(shared, list) or not all(isinstance(name, str) and name in parts[0] for name in shared):
            raise ValueError("what its targets share is not there")
        for name in shared:
            part[name] = parts[0][name].copy()
    return parts

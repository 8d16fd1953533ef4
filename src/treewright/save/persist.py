"""Models to files and back: `save`, `load`, and the state that pickle and joblib use, all the same bytes."""

from __future__ import annotations

import os
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

import treewright
from treewright import _core
from treewright.errors import DataError, ModelFileError
from treewright.prune.choice import pruner_from_json, pruner_to_json
from treewright.prune.cp_table import PriceTable
from treewright.prune.pruner import Pruner
from treewright.save.model_bytes import from_bytes, to_bytes
from treewright.save.model_file import read_model, write_model
from treewright.save.tree_header import check_tree_header, check_tree_tests
from treewright.table.schema import Schema

_REGISTRY: dict[str, type[FittedState]] = {}


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted model; a file that was there before stays whole until the new one is.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.save(model, pathlib.Path(folder) / "iris.tw")
    ...     tw.load(pathlib.Path(folder) / "iris.tw").fingerprint() == model.fingerprint()
    True
    """
    if not isinstance(model, FittedState):
        raise DataError(f"tw.save takes a fitted treewright model. Got {type(model).__name__} instead.")
    check_is_fitted(model)
    write_model(path, *model._tw_state())


def load(path: str | os.PathLike[str]) -> Any:
    """Load a saved model. The whole file is checked first, and nothing in it is ever run.

    Examples
    --------
    >>> load("no_such_model.tw")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: no_such_model.tw could not be read: No such file or directory. Check the path.
    """
    return _restore(*read_model(path), source=os.fspath(path))


def load_bytes(data: bytes, source: str = "<bytes>") -> Any:
    """Load a model from the bytes of a model file."""
    return _restore(*from_bytes(data, source), source=source)


def _restore(header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> Any:
    name = header.get("estimator")
    if isinstance(name, str) and name not in _REGISTRY:
        getattr(treewright, name, None)  # names are loaded when they are first used
    if not isinstance(name, str) or name not in _REGISTRY:
        raise ModelFileError(f"{source} holds a model of kind {name!r}, which this version does not know.")
    model = _REGISTRY[name].__new__(_REGISTRY[name])
    model._tw_restore(header, arrays, source)
    return model


class FittedState:
    """The fitted state of an estimator as a JSON header and arrays, and as bytes for pickle."""

    _predicts_classes: bool  # set by each estimator
    _fitted_by = "tree_"  # the attribute that a fitted model has

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _REGISTRY[cls.__name__] = cls

    def _tw_header(self, schema: Schema, n_classes: int) -> dict[str, Any]:
        """What every model says of itself; `n_classes` is 0 where its trees hold numbers."""
        model = cast(Any, self)
        classes = getattr(model, "classes_", None)
        return {
            "estimator": type(self).__name__,
            "params": _params_to_json(model),
            "schema": schema.to_json(),
            "has_names": hasattr(model, "feature_names_in_"),
            "classes": None if classes is None else classes.tolist(),
            "classes_dtype": None if classes is None else classes.dtype.str,
            "n_columns": len(schema.columns),
            "n_classes": n_classes,
        }

    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        model = cast(Any, self)
        header = self._tw_header(model.tree_.schema, model.tree_.core.n_classes)
        if hasattr(model, "prices_"):
            header["prices"] = model.prices_.to_json()
        return header, dict(model.tree_.core.arrays())

    def _tw_bytes(self) -> bytes:
        return to_bytes(*self._tw_state())

    def _tw_restore(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        try:
            core = _core.Tree(arrays, _count(header, "n_columns"), _count(header, "n_classes"))
        except (ValueError, TypeError, OverflowError) as problem:
            raise ModelFileError(f"{source} is damaged: {problem}. Copy it again from where it was made.") from None
        schema, classes = check_tree_header(header, core.n_columns, core.n_classes, source)
        check_tree_tests(schema, core.arrays(), source)
        self._restore_params(header, source)
        self._restore_fitted(header, core, schema, classes, source)

    def _restore_params(self, header: dict[str, Any], source: str) -> None:
        saved = header.get("params")
        known = set(cast(Any, self)._get_param_names())
        if not isinstance(saved, dict) or not set(saved) <= known:
            raise ModelFileError(f"{source} is damaged: its parameters are not those of {type(self).__name__}.")
        try:
            params = {name: _param_from_json(value) for name, value in saved.items()}
            self.__init__(**params)  # type: ignore[misc]
            cast(Any, self)._validate_params()
        except (TypeError, ValueError) as problem:
            raise ModelFileError(f"{source} is damaged: {problem}") from None

    def _restore_fitted(
        self, header: dict[str, Any], core: _core.Tree, schema: Schema, classes: list[Any] | None, source: str
    ) -> None:
        fitted = self._fitted_from(header, core, schema, classes, source)
        if header.get("prices") is not None:
            try:
                fitted["prices_"] = PriceTable.from_json(header["prices"])
            except ValueError as problem:
                raise ModelFileError(f"{source} is damaged: {problem}. Copy it again from where it was made.") from None
        cast(Any, self)._set_fitted(fitted)

    def _fitted_from(
        self, header: dict[str, Any], core: _core.Tree, schema: Schema, classes: list[Any] | None, source: str
    ) -> dict[str, Any]:
        """The attributes of a fitted model, out of a checked header and a tree."""
        if (classes is not None) != self._predicts_classes:
            raise ModelFileError(f"{source} is damaged: its tree is not one of a {type(self).__name__}.")
        labels = None if classes is None else class_array(classes, header.get("classes_dtype"), source)
        names = np.array(schema.names, dtype=object) if header.get("has_names") else None
        return fitted_attributes(core, schema, labels, names)

    def __getstate__(self) -> dict[str, Any]:
        if self._fitted_by not in self.__dict__:
            return dict(self.__dict__)
        params = cast(Any, self).get_params(deep=False)
        return {"params": params, "model": self._tw_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "model" not in state:
            self.__dict__.update(state)
            return
        header, arrays = from_bytes(state["model"], "the pickle")
        self._tw_restore(header, arrays, "the pickle")
        for name, value in state["params"].items():  # the very objects, where JSON could only describe them
            setattr(self, name, value)


def fitted_attributes(
    core: _core.Tree, schema: Schema, classes: NDArray[Any] | None, names: NDArray[Any] | None
) -> dict[str, Any]:
    """Everything that a fitted model has, by attribute; the tree still as `core` and `schema`."""
    fitted: dict[str, Any] = {"core": core, "schema": schema, "n_features_in_": core.n_columns, "n_outputs_": 1}
    if names is not None:
        fitted["feature_names_in_"] = names
    if classes is not None:
        fitted |= {"classes_": classes, "n_classes_": len(classes)}
    return fitted


def _count(header: dict[str, Any], name: str) -> int:
    value = header.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise ValueError(f"its {name} is {value!r}")
    return value


def class_array(classes: list[Any], dtype: Any, source: str) -> NDArray[Any]:
    try:
        wanted = np.dtype(dtype)
        if wanted.kind not in "biufUO" or wanted.itemsize > 2**20:
            raise ValueError(dtype)
        array = np.array(classes, dtype=wanted)
    except (TypeError, ValueError, OverflowError):
        raise ModelFileError(f"{source} is damaged: its classes do not fit their type {dtype!r}.") from None
    return array


def _params_to_json(model: Any) -> dict[str, Any]:
    return {
        name: _param_to_json(value)
        for name, value in model.get_params(deep=False).items()
        if name != "n_jobs"  # belongs to the machine: any number of threads makes the same file
    }


def _param_to_json(value: Any) -> Any:
    if isinstance(value, FittedState):  # the recipe of an ensemble
        return {"recipe": type(value).__name__, "params": _params_to_json(value)}
    if isinstance(value, Pruner):
        return pruner_to_json(value)
    if isinstance(value, dict):
        return {"dict": [[_param_to_json(key), _param_to_json(entry)] for key, entry in value.items()]}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_param_to_json(entry) for entry in value]}
    return _plain_to_json(value)


def _plain_to_json(value: Any) -> Any:
    """A plain value; None for what JSON cannot hold (a generator of random numbers)."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, str | bool | int | float) else None


def _param_from_json(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "pruner" in value:
        return pruner_from_json(value)
    if "recipe" in value:
        return _recipe_from_json(value)
    for kind, make in (("list", list), ("tuple", tuple)):
        if isinstance(value.get(kind), list):
            return make(_param_from_json(entry) for entry in value[kind])
    entries = value.get("dict")
    if not isinstance(entries, list) or not all(isinstance(entry, list) and len(entry) == 2 for entry in entries):
        raise ValueError("one of its parameters is neither a value nor a table of values")
    return {_param_from_json(key): _param_from_json(entry) for key, entry in entries}


def _recipe_from_json(value: dict[str, Any]) -> Any:
    kind, params = _REGISTRY.get(str(value.get("recipe"))), value.get("params")
    if kind is None or not isinstance(params, dict) or not set(params) <= set(cast(Any, kind)._get_param_names()):
        raise ValueError("its recipe is none that this version knows")
    return cast(Any, kind)(**{name: _param_from_json(entry) for name, entry in params.items()})

"""Models to files and back: `save`, `load`, and the state that pickle and joblib use, all the same bytes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

import treewright
from treewright.errors import DataError, ModelFileError
from treewright.prune.choice import pruner_from_json, pruner_to_json
from treewright.prune.pruner import Pruner
from treewright.renamed import with_new_names
from treewright.save.attached import attach, take_apart, whole_state
from treewright.save.header import read_header, write_header
from treewright.save.model_bytes import from_bytes
from treewright.save.model_file import beginning_of, path_text, read_model, write_model
from treewright.save.model_json import to_json
from treewright.save.other_formats import BEGINNING, reader_of
from treewright.save.refusing_damage import refusing_damage
from treewright.save.tree_header import class_array
from treewright.table.schema import Schema

KINDS: dict[str, type[Any]] = {}  # every estimator by its name; they enter themselves


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
    if not hasattr(type(model), "_tw_state"):
        raise DataError(f"tw.save takes a fitted treewright model. Got {type(model).__name__} instead.")
    write_model(path, *_state_to_save(model))


def model_json(model: Any) -> str:
    """Give a fitted model as JSON that `load` reads; `tw.export(model, "model.json")` writes it.

    Examples
    --------
    >>> import treewright as tw
    >>> print(model_json(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]))[:44])
    {"format": "treewright model", "version": 1,
    """
    if not hasattr(type(model), "_tw_state"):
        raise DataError(f"JSON is written of fitted treewright models. Got {type(model).__name__} instead.")
    return to_json(*_state_to_save(model))


def _state_to_save(model: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    model._refuse_file()
    header, arrays = whole_state(model)
    _refuse_what_load_refuses(model, header, arrays)
    return header, arrays


def load(path: str | os.PathLike[str]) -> Any:
    """Load a saved model, or one exported as JSON. The whole file is checked first, and nothing in it is ever run.

    A text file of LightGBM, a `.json` or `.ubj` file of XGBoost and what the R script of the package writes of a tree
    of rpart are loaded too, as `tw.from_lightgbm`, `tw.from_xgboost` and `tw.from_r` do it.

    Examples
    --------
    >>> load("no_such_model.tw")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: no_such_model.tw could not be read: No such file or directory. Check the path.
    """
    other = reader_of(beginning_of(path, BEGINNING))
    if other is not None:
        return getattr(treewright, other)(path)
    return _restore(*read_model(path), source=path_text(path))


def _refuse_what_load_refuses(model: Any, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Run the checks of `load` before a file is touched: a model that could not come back is not saved."""
    source = "the model"
    try:
        restore_into(object.__new__(type(model)), read_header(write_header(header), source), dict(arrays), source)
    except ModelFileError as problem:
        why = str(problem).removeprefix(f"{source} is damaged: ").partition(". Copy it again")[0]
        raise ModelFileError(
            f"The model cannot be saved, because it could not be loaded again: {why}. Nothing was written. Train it "
            "again without extreme numbers: scale the target or the weights, or leave out the rows that are far off."
        ) from problem


def load_bytes(data: bytes, source: str = "<bytes>") -> Any:
    """Load a model from the bytes of a model file."""
    return _restore(*from_bytes(data, source), source=source)


def _restore(header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str, is_member: bool = False) -> Any:
    name = header.get("estimator")
    kind = _kind_of(name)
    if kind is None:
        raise ModelFileError(f"{source} holds a model of kind {name!r}, which this version does not know.")
    model = object.__new__(kind)
    restore_into(model, header, arrays, source, is_member)
    return model


def _kind_of(name: Any) -> Any:
    """The class of a name; names are loaded when they are first used, and nobody may have used this one."""
    if isinstance(name, str) and name not in KINDS:
        getattr(treewright, name, None)
    return KINDS.get(name) if isinstance(name, str) else None


def restore_into(
    model: Any, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str, is_member: bool = False
) -> None:
    """Make a bare model the one that a header and arrays describe; whatever is wrong with them is a ModelFileError.

    A member is the model of a fold, inside the file of another.
    """
    with refusing_damage(header, source):
        own_header, own, carried = take_apart(header, arrays)
        arrays.clear()
        model._tw_restore(*with_new_names(model._renamed, own_header, own), source)
        attach(model, header, carried, lambda words, parts: _restore(words, parts, source, is_member=True), is_member)


# What every model writes of itself, and reads again.


def model_header(model: Any, schema: Schema, n_classes: int) -> dict[str, Any]:
    """Give what every model says of itself; `n_classes` is 0 where its trees hold numbers."""
    classes = getattr(model, "classes_", None)
    return {
        "estimator": type(model).__name__,
        "params": params_to_json(model),
        "schema": schema.to_json(),
        "has_names": hasattr(model, "feature_names_in_"),
        "classes": None if classes is None else classes.tolist(),
        "classes_dtype": None if classes is None else classes.dtype.str,
        "n_columns": len(schema.columns),
        "n_classes": n_classes,
    }


def restore_params(model: Any, header: dict[str, Any], source: str) -> None:
    """Set the parameters that a header tells."""
    saved = header.get("params")
    if not isinstance(saved, dict) or not set(saved) <= set(model._get_param_names()):
        raise ModelFileError(f"{source} is damaged: its parameters are not those of {type(model).__name__}.")
    try:
        model.__init__(**{name: _param_from_json(value) for name, value in saved.items()})
        model._validate_params()
    except TypeError as problem:  # such as a list as the name of something
        raise ValueError(f"one of its parameters is none ({problem})") from problem


def names_of(header: dict[str, Any], schema: Schema) -> NDArray[Any] | None:
    """The names of the columns, where the model was trained on a table that had some."""
    return np.array(schema.names, dtype=object) if header.get("has_names") else None


def labels_of(model: Any, header: dict[str, Any], classes: list[Any] | None, source: str) -> NDArray[Any] | None:
    """The classes of a model of trees as they were when it was trained; None for numbers."""
    if (classes is not None) != model._predicts_classes:
        raise ModelFileError(f"{source} is damaged: its tree is not one of a {type(model).__name__}.")
    return None if classes is None else class_array(classes, header.get("classes_dtype"), source)


def params_to_json(model: Any) -> dict[str, Any]:
    """The parameters of a model as a header has them."""
    return {
        name: _param_to_json(value)
        for name, value in model.get_params(deep=False).items()
        if name not in ("n_jobs", "leaf_size")  # they change the time, never the answer: all make the same file
    }


def _param_to_json(value: Any) -> Any:
    if hasattr(type(value), "_tw_state"):  # the recipe of an ensemble
        return {"recipe": type(value).__name__, "params": params_to_json(value)}
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


def _param_from_json(value: Any, in_recipe: bool = False) -> Any:
    if isinstance(value, list):  # none is written so; saved again it would be nested twice as deep
        raise ValueError("one of its parameters is neither a value nor a table of values")
    if not isinstance(value, dict):
        return value
    if "pruner" in value:
        return pruner_from_json(value)
    if "recipe" in value:
        if in_recipe:
            raise ValueError("its recipe holds a recipe")  # and that another: each would be checked with all it holds
        return _recipe_from_json(value)
    for kind, make in (("list", list), ("tuple", tuple)):
        if isinstance(value.get(kind), list):
            return make(_param_from_json(entry, in_recipe) for entry in value[kind])
    entries = value.get("dict")
    if not isinstance(entries, list) or not all(isinstance(entry, list) and len(entry) == 2 for entry in entries):
        raise ValueError("one of its parameters is neither a value nor a table of values")
    return {_param_from_json(key, in_recipe): _param_from_json(entry, in_recipe) for key, entry in entries}


def _recipe_from_json(value: dict[str, Any]) -> Any:
    kind, params = _kind_of(value.get("recipe")), value.get("params")
    if kind is None or not isinstance(params, dict) or not set(params) <= set(kind._get_param_names()):
        raise ValueError("its recipe is none that this version knows")
    return kind(**{name: _param_from_json(entry, in_recipe=True) for name, entry in params.items()})

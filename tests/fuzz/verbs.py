"""Everything that a loaded model is asked in the fuzz: answers, texts, explanations, pictures, saving again."""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from treewright.cli.fitted_model import schema_of, summary
from treewright.errors import DataError
from treewright.export.expected import expected_answers
from treewright.export.export import FORMATS, Wanted
from treewright.export.model_formula import exported_of
from treewright.inspection.rules import Rules, read_rules
from treewright.save.persist import load_bytes
from treewright.table.schema import Column, Schema

_DAY = datetime.date(2020, 5, 17)
_VALUES: dict[str, list[Any]] = {
    "number": [0.0, 1.5, 40.0],
    "date": [_DAY, _DAY + datetime.timedelta(days=400), datetime.date(1999, 1, 1)],
    "datetime": [pd.Timestamp(_DAY), pd.Timestamp("2021-03-01 10:00"), pd.Timestamp("1960-01-01")],
    "time": [datetime.time(8), datetime.time(12, 30), datetime.time(23, 59, 59)],
    "duration": [pd.Timedelta(hours=1), pd.Timedelta(days=3), pd.Timedelta(seconds=-1)],
}


def _values(column: Column, n: int) -> list[Any]:
    found = column.levels or _VALUES.get(column.value_type, ["x"])
    if column.zoned and column.value_type in ("date", "datetime"):
        found = [pd.Timestamp(value, tz="UTC") for value in found]
    return [found[k % len(found)] for k in range(n)]


def rows_for(schema: Schema) -> pd.DataFrame:
    """Three rows without holes for a model of such columns."""
    return _rows_of(schema, tuple(column.zoned for column in schema.columns))


@lru_cache(maxsize=256)
def _rows_of(schema: Schema, zones: tuple[bool | None, ...]) -> pd.DataFrame:
    """Schemas that differ only in whether dates have a zone are equal, so that is said beside."""
    columns = [_values(column, 3) for column in schema.columns]
    frame = pd.DataFrame({place: pd.Series(values, dtype=_dtype(values)) for place, values in enumerate(columns)})
    frame.columns = pd.Index(schema.names, dtype=object)  # any text may be a name, also one that is no UTF-8
    return frame


def _dtype(values: list[Any]) -> Any:
    return np.float64 if all(type(value) is float for value in values) else object


def with_a_hole(X: pd.DataFrame) -> pd.DataFrame:
    """The same rows, the first without its first value."""
    holed = X.copy()
    holed.iloc[0, 0] = None
    return holed


def verbs(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What this model can be asked, by name."""
    if "targets_" in model.__dict__:
        return _verbs_of_targets(model)
    return iter([("str", lambda: str(model))]) if _knows_no_row(model) else _verbs_of_one(model)


def _knows_no_row(model: Any) -> bool:
    """Whether every row has a value that the model refuses: one of a column of which it knows no level."""
    columns = schema_of(model).columns
    return getattr(model, "missing", None) == "refuse" and any(c.kind != "numeric" and not c.levels for c in columns)


def _verbs_of_one(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    X = rows_for(schema_of(model))
    row = dict(X.iloc[1])
    yield "predict" if hasattr(model, "predict") else "transform", lambda: answers(model, X)
    if getattr(model, "missing", None) != "refuse" and X.shape[1]:
        yield "predict holes", lambda: answers(model, with_a_hole(X))
    for name in ("predict_proba", "predict_log_proba", "decision_function", "apply", "staged_predict"):
        if hasattr(model, name):
            yield name, lambda name=name: listed(getattr(model, name)(X))
    if hasattr(model, "predict"):
        yield "predict_one", lambda: model.predict_one(list(row.values()))
    yield "str", lambda: (str(model), repr(model), summary(model))
    yield "fingerprint", model.fingerprint
    yield "save", lambda: load_bytes(model._tw_bytes(), "saved again")
    for name in ("feature_importances_", "cp_table_", "path_", "coefficient_names_", "r_squared_", "aliased_"):
        if hasattr(type(model), name) or name in model.__dict__:
            yield name, lambda name=name: str(attribute(model, name))
    for name in ("summary", "coefficients"):
        if hasattr(type(model), name):
            yield name, lambda name=name: str(getattr(model, name)())
    if hasattr(type(model), "why") and is_explained(model):
        yield "why", lambda: shown(model.why(row))
    yield from _promises(model, X)
    yield from _verbs_of_trees(model, X)
    yield from _exports(model)


def _promises(model: Any, X: pd.DataFrame) -> Iterator[tuple[str, Callable[[], Any]]]:
    if "conformal_" in model.__dict__:
        yield "promises", lambda: model.predict_set(X) if hasattr(model, "classes_") else model.predict_interval(X)
    if "calibration_" in model.__dict__:
        yield "calibration", lambda: str(model.calibration_)


def _exports(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every format is written; one that can be run in this process is proven. What a format cannot say is said."""
    for ending in (".py", ".js", ".c", ".R", ".onnx", ".pmml", ".xlsx"):
        yield f"export {ending}", lambda ending=ending: written(model, ending)
    for dialect in ("duckdb", "postgresql", "sqlite", "mysql"):
        yield f"export {dialect}", lambda dialect=dialect: written(model, ".sql", dialect)
    yield "export and prove", lambda: proven(model)


def written(model: Any, ending: str, dialect: str = "duckdb") -> None:
    """Write a format without running it."""
    try:
        program = exported_of(model)
        wanted = Wanted(
            dialect, "rows", (), lambda: model.rules().to_frame(), partial(expected_answers, model, program)
        )
        FORMATS[ending](program, Path(f"model{ending}"), wanted)
    except DataError:
        return


def proven(model: Any) -> None:
    """Write a statement of SQLite, and let it answer its probes."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            verdict = tw.export(model, Path(folder) / "model.sql", dialect="sqlite")
        except DataError as refusal:
            if "does not answer as the model does" in str(refusal):  # a wrong export, which is no refusal
                raise
            return
    if not verdict.proven:
        raise AssertionError(verdict.text)


def _verbs_of_targets(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """A model of several targets: what it is asked itself, and then what each of its models is."""
    X = rows_for(schema_of(model.targets_[0]))
    for name in ("predict", "predict_proba", "predict_log_proba", "apply"):
        if hasattr(model, name):
            yield name, lambda name=name: listed(getattr(model, name)(X))
    yield "predict_one", lambda: model.predict_one(list(X.iloc[1]))
    yield "str", lambda: (str(model), repr(model), model.fingerprint())
    yield "save", lambda: load_bytes(model._tw_bytes(), "saved again")
    for t, target in enumerate(model.targets_):
        yield from ((f"{name} of target {t}", ask) for name, ask in verbs(target))


def _verbs_of_trees(model: Any, X: pd.DataFrame) -> Iterator[tuple[str, Callable[[], Any]]]:
    if not hasattr(model, "tree_") and not hasattr(model, "trees_"):
        return
    trees = [model.tree_] if hasattr(model, "tree_") else [model.trees_[0], model.trees_[-1]]
    if hasattr(model, "shap_values") and is_explained(model):
        yield "shap", lambda: (model.shap_values(X), model.expected_value)
    yield "rules", lambda: [Rules(list(read_rules(tree))).to_text() for tree in trees]
    if hasattr(model, "rules"):
        yield "rules of the model", lambda: (str(model.rules(stops=True)), model.rules().to_frame())
    yield "text", lambda: [tree.to_text(missing=True) for tree in trees]
    yield "json", lambda: [same_json(tree) for tree in trees]
    yield "frame", lambda: [tree.to_frame() for tree in trees]
    yield "draw", lambda: tw.draw(trees[-1], max_depth=3).to_svg()
    if hasattr(model, "estimators_"):
        yield "estimators_", lambda: model.estimators_[-1].predict(X)
    if "candidate_start" in trees[0].arrays and getattr(model, "keep_candidates", False):
        yield "candidates", lambda: [model.candidates(i) for i in range(trees[0].n_nodes) if trees[0].node(i).children]


def is_explained(model: Any) -> bool:
    """Whether answers are told by trees alone; not where a booster adds to another model, which is said."""
    return "init_" not in model.__dict__ and not _spreads_votes(model)


def _spreads_votes(model: Any) -> bool:
    """Whether a row has one vote and may be in several leaves: such votes are not explained, and that is said."""
    votes = hasattr(model, "estimator_weights_") or getattr(model, "voting", "mean") == "vote"
    return votes and hasattr(model, "estimator_") and any(tree.core.spreads for tree in model.trees_)


def same_json(tree: Any) -> None:
    text = tree.to_json()
    if type(tree).from_json(text).to_json() != text:
        raise AssertionError("a tree from its JSON has another JSON")


def answers(model: Any, X: pd.DataFrame) -> Any:
    found = model.predict(X) if hasattr(model, "predict") else model.transform(X)
    if len(found) != len(X):
        raise AssertionError("not one answer a row")
    return found


def attribute(model: Any, name: str) -> Any:
    try:
        return getattr(model, name)
    except AttributeError as problem:
        if "is there for" in str(problem):  # path_ without a path
            return None
        raise


def listed(found: Any) -> Any:
    return list(found) if not isinstance(found, np.ndarray) else found


def shown(why: Any) -> None:
    str(why)
    for name in ("to_dict", "to_html"):
        if hasattr(why, name):
            getattr(why, name)()

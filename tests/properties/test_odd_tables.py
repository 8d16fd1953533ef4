"""Every estimator on tables that nobody would make: it learns or says a sentence; what it learnt is saved, loaded and
answered alike, and is the same in another order of the rows.

One row, one level, nothing but holes, numbers at the ends of their range and a last bit apart, classes that are one,
dates and spans of time, weights of every size; each with one or two options that are not the usual ones.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.utils._param_validation import Interval

import treewright as tw
from properties.same_bytes import ASKS_FOR_THE_ORDER, NAMES_ROWS, Rows, bytes_of, estimators, made, settings_of
from thorough import examples
from treewright.errors import DataError
from treewright.save.persist import load_bytes
from treewright.table.target import encode_weights

Draw = np.random.Generator
COLUMNS: list[Callable[[Draw, int], Any]] = [
    lambda r, n: r.normal(size=n).round(1),
    lambda r, n: r.integers(0, 3, n).astype(float),
    lambda r, n: r.normal(size=n) * 10.0 ** r.integers(-300, 300),
    lambda r, n: np.full(n, 7.0),
    lambda r, n: np.where(r.random(n) < 0.5, np.nan, r.normal(size=n)),
    lambda r, n: np.full(n, np.nan),
    lambda r, n: r.choice(["a", "b", "c", None], n),
    lambda r, n: np.full(n, "x", dtype=object),
    lambda r, n: r.choice([f"level {j}" for j in range(40)], n),
    lambda r, n: pd.Categorical(r.choice(["x", "y"], n), categories=["z", "y", "x"]),
    lambda r, n: r.random(n) < 0.3,
    lambda r, n: pd.to_datetime(r.integers(0, 10**9, n), unit="s"),
    lambda r, n: pd.to_timedelta(r.integers(0, 10**6, n), unit="s"),
    lambda r, n: r.choice([-0.0, 0.0, 5e-324, -5e-324, 1e308, -1e308], n),
    lambda r, n: r.choice([1.0, np.nextafter(1, 2), np.nextafter(1, 0)], n),
]
CLASSES: list[Callable[[Draw, int], Any]] = [
    lambda r, n: r.integers(0, 2, n),
    lambda r, n: r.choice(["u", "v", "w"], n),
    lambda r, n: np.zeros(n, dtype=int),
    lambda r, n: r.integers(0, 12, n),
]
NUMBERS: list[Callable[[Draw, int], Any]] = [
    lambda r, n: r.normal(size=n),
    lambda r, n: np.full(n, 3.0),
    lambda r, n: r.integers(0, 4, n).astype(float),
    lambda r, n: r.normal(size=n) * 10.0 ** r.integers(-290, 290),
    lambda r, n: np.where(r.random(n) < 0.05, 1e150, 1.0),
]
WEIGHTS: list[Callable[[Draw, int], Any]] = [
    lambda r, n: None,
    lambda r, n: None,
    lambda r, n: r.integers(0, 3, n).astype(float),
    lambda r, n: r.random(n),
    lambda r, n: np.full(n, 5e-324),
    lambda r, n: 10.0 ** r.integers(-300, 300, n).astype(float),
]
# Words of numpy, scipy and the core: no sentence of ours has them.
WORDS_BELOW = (
    "std::",
    "nanobind",
    "incompatible function",
    "broadcast",
    "ambiguous",
    "zero-size",
    "singular",
    "LAPACK",
)
# Rows that a model took may be too far from each other, or from all others, to be answered: that is said of the row.
ABOUT_THE_ROW = ("too far apart for their distance", "has no neighbour within its bandwidth")


def drawn(choices: list[Callable[[Draw, int], Any]], draw: Draw, n: int) -> Any:
    return choices[int(draw.integers(len(choices)))](draw, n)


def odd_rows(draw: Draw) -> Rows:
    n = int(draw.choice([1, 2, 3, 5, 12, 40, 150]))
    X = pd.DataFrame({f"c{j}": pd.Series(drawn(COLUMNS, draw, n)) for j in range(int(draw.integers(1, 6)))})
    weights = drawn(WEIGHTS, draw, n)
    if weights is not None and weights.any():  # as learners see them: of very different ones the smallest are equal
        weights = encode_weights(weights, n)
    return Rows(X, drawn(CLASSES, draw, n), drawn(NUMBERS, draw, n), weights)


def ends_of(name: str) -> list[dict[str, Any]]:
    """Each number of the estimator at its lower end, alone."""
    found = []
    for parameter, rules in getattr(tw, name)._parameter_constraints.items():
        for rule in rules if isinstance(rules, list) else []:
            if isinstance(rule, Interval) and parameter not in ("n_jobs", "n_estimators", "max_iter"):
                low = int(rule.left) if rule.type is Integral else float(rule.left)
                found += [{parameter: low}] if low > -100 and rule.is_satisfied_by(low) else []
    return found


def odd_settings(name: str, draw: Draw) -> dict[str, Any]:
    """None, one or two options together, but for those that ask for an order of the rows or name rows by it."""
    options = [*settings_of(name), *ends_of(name)]  # pruners are among the settings
    picked: dict[str, Any] = {}
    for _ in range(int(draw.integers(0, 3))):
        picked |= options[int(draw.integers(len(options)))]
    return {key: value for key, value in picked.items() if (key, str(value)) not in ORDERED}


ORDERED = {(name, str(value)) for name, value in ASKS_FOR_THE_ORDER | NAMES_ROWS}


def fitted(name: str, settings: dict[str, Any], rows: Rows) -> Any:
    """The model, or None where it is refused in a sentence."""
    model = made(name, settings)
    target = rows.classes if is_classifier(model) else rows.numbers
    weights = {} if rows.weights is None or name == "Autoencoder" else {"sample_weight": rows.weights}
    try:
        return model.fit(rows.X, target, **weights)
    except ValueError as refusal:  # DataError is one, and what scikit-learn says of parameters
        if any(words in str(refusal) for words in WORDS_BELOW):
            raise
        return None


def answers(model: Any, X: pd.DataFrame) -> bytes:
    """All answers as bytes, after a look whether they are numbers."""
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        assert np.isfinite(shares).all()
        assert np.allclose(shares.sum(axis=1), 1)
        return bytes(shares.tobytes())
    found = model.predict(X) if hasattr(model, "predict") else model.transform(X)
    if not is_classifier(model):
        assert np.isfinite(found).all()
    return pickle.dumps(found.tolist())


def look_at(name: str, settings: dict[str, Any], rows: Rows, order: np.ndarray, path: Path) -> None:
    model = fitted(name, settings, rows)
    again = fitted(name, settings, rows.in_order(order))
    assert (model is None) == (again is None)
    if model is None:
        return
    assert bytes_of(again, rows.in_order(order)) == bytes_of(model, rows)
    tw.save(model, path)
    loaded = tw.load(path)
    assert loaded._tw_bytes() == model._tw_bytes() == pickle.loads(pickle.dumps(model))._tw_bytes()
    assert load_bytes(path.read_bytes(), "again").fingerprint() == model.fingerprint()
    str(model), repr(model)
    try:
        assert answers(model, rows.X) == answers(loaded, rows.X)
        if hasattr(model, "why"):
            str(model.why(dict(rows.X.iloc[0])))
    except DataError as refusal:
        if not any(words in str(refusal) for words in (*ABOUT_THE_ROW, "explain")):
            raise


@pytest.mark.random_examples
@pytest.mark.parametrize("name", estimators())
def test_odd_tables_are_learnt_from_or_refused_and_what_was_learnt_holds(name: str, tmp_path: Path) -> None:
    for number in range(examples(60)):
        draw = np.random.default_rng([number, *name.encode()])
        rows, settings = odd_rows(draw), odd_settings(name, draw)
        if name == "ID3Classifier":
            rows = Rows(rows.X.astype(str), rows.classes, rows.numbers, rows.weights)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of rounds that were not enough, and of columns that say nothing
            try:
                look_at(name, settings, rows, draw.permutation(len(rows.X)), tmp_path / "model.tw")
            except Exception as error:
                error.add_note(f"example {number}: {settings} on {len(rows.X)} rows of\n{rows.X.dtypes}")
                raise

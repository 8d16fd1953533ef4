"""Every estimator with every option that it names, and tables that are hard on promises, for `test_same_bytes`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.utils._param_validation import StrOptions

import treewright as tw
from treewright.learners.base.learner import Learner
from treewright.prune.pruner import Pruner
from treewright.save.model_bytes import to_bytes

# Arrays with an entry for each row of the table. They follow the rows: put in the same order they are equal.
PER_ROW = {"oob_decision_function_", "oob_prediction_", "training_nodes_", "training_target_", "training_weights_"}
ROW_NUMBERS = "fit_rows_"  # the place in the table of each row that the model keeps, which it keeps by content
ASKS_FOR_THE_ORDER = {("shuffle", False), ("ties", "first"), ("reduced_error", True)}  # the last as J48 does
NAMES_ROWS = {("keep_trace", True)}  # what the model tells of its steps names rows by their place in the table
PRUNERS = [
    tw.CostComplexity(cv=3, rule="min"),
    tw.CostComplexity(cv=4, repeats=3),
    tw.CostComplexity(cp=0.02),
    tw.ReducedError(share=0.4),
    tw.ValidationGain(share=0.3, lookahead=2),
    tw.PessimisticError(variant="1987"),
    tw.CriticalValue(0.02),
]
QUICK = {"n_estimators": 3, "max_iter": 15, "n_permutations": 99}
OTHERS: dict[str, list[Any]] = {
    "n_neighbors": ["cv"],
    "cv": [3],
    "min_samples_leaf": [5],
    "max_depth": [2],
    "subsample": [0.7],
    "max_samples": [0.6],
    "n_iter_no_change": [2],
    "max_features": [1, 0.5],
    "bandwidth": ["loo"],
    "span": [0.4],
    "max_bins": [8],
    "basis": ["spline:3", "polynomial:2"],
    "keep_candidates": [True],
    "class_weight": ["balanced"],
    "q": [2.0],
    "l1_ratio": [0.5],
    "folds": [3],
}


def estimators() -> list[str]:
    """The names of all estimators of the package."""
    found = [
        name for name in tw.__all__ if isinstance(getattr(tw, name), type) and issubclass(getattr(tw, name), Learner)
    ]
    return sorted(found)


def settings_of(name: str) -> list[dict[str, Any]]:
    """The usual settings, and each option of each parameter alone; those that ask for an order of the rows left out."""
    kind = getattr(tw, name)
    settings: list[dict[str, Any]] = [{}]
    for parameter, rules in kind._parameter_constraints.items():
        if parameter in ("n_jobs", "verbose", "warm_start", "column_kinds", "random_state"):
            continue
        values = list(OTHERS.get(parameter, []))
        for rule in rules if isinstance(rules, list) else []:
            values += (
                sorted(rule.options) if isinstance(rule, StrOptions) else [True, False] if rule == "boolean" else []
            )
        if parameter == "prune" and any(rule is Pruner for rule in rules):
            values += PRUNERS
        settings += [
            {parameter: value}
            for value in dict.fromkeys(values)
            if (parameter, value) not in ASKS_FOR_THE_ORDER | NAMES_ROWS
        ]
    return settings


def made(name: str, settings: dict[str, Any], n_jobs: int = 1) -> Any:
    """The estimator with these settings, so set that it is quick."""
    known = getattr(tw, name)._parameter_constraints
    quick = {parameter: value for parameter, value in QUICK.items() if parameter in known}
    others = {"random_state": 0} if "random_state" in known else {}
    if "early_stopping" in known and (settings.get("early_stopping") or "n_iter_no_change" in settings):
        others["early_stopping"] = True
    if "folds" in settings:
        others["n_neighbors"] = "cv"
    return getattr(tw, name)(**{**quick, **others, **settings, "n_jobs": n_jobs})


@dataclass(frozen=True)
class Rows:
    """A table with its target and its weights."""

    X: pd.DataFrame
    classes: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray | None

    def in_order(self, order: np.ndarray) -> Rows:
        """The rows in another order."""
        weights = None if self.weights is None else self.weights[order]
        return Rows(self.X.iloc[order].reset_index(drop=True), self.classes[order], self.numbers[order], weights)

    def contents(self, has_classes: bool) -> list[str]:
        """All that is in each row, as a text; −0 is 0, as to every learner."""
        weights = np.ones(len(self.X)) if self.weights is None else self.weights
        parts = self.X.assign(target=self.classes if has_classes else self.numbers, weights=weights)
        rows = parts.itertuples(index=False, name=None)
        return [repr([x + 0.0 if isinstance(x, float) else x for x in row]) for row in rows]


@cache
def table(kind: str) -> Rows:
    """Rows with ties, twins (some of another weight), few rows of one class, and by kind holes, levels and weights."""
    rng = np.random.default_rng(5)
    n = 150
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n).round(1), "c": rng.integers(0, 4, n) / 3})
    if "levels" in kind:
        X["d"] = rng.choice(list("pqrs"), n)
        X["e"] = rng.choice(["low", "high"], n)
    if "only" in kind:
        X = X[["d", "e"]].assign(f=rng.choice(list("xyz"), n))
    if "holes" in kind:
        for column in X.columns[1:]:
            X.loc[rng.random(n) < 0.15, column] = np.nan if X[column].dtype.kind == "f" else None
    signal = rng.normal(size=n) + (X["a"] if "a" in X else (X["d"] == "p") * 2.0)
    numbers = np.abs(np.asarray(signal, dtype=np.float64)) + 0.1
    classes = np.where(numbers > 1.9, "rare", np.where(numbers > 0.8, "many", "most"))
    twins = rng.integers(0, n - 30, 30)
    X.iloc[n - 30 :] = X.iloc[twins].to_numpy()
    X = X.infer_objects()
    numbers[n - 30 :], classes[n - 30 :] = numbers[twins], classes[twins]
    weights = None
    if "weights" in kind:
        weights = rng.choice([0.1, 0.7, 1.3, 2.9], n)
    if "counts" in kind:
        weights = rng.integers(0, 4, n).astype(np.float64)
    return Rows(X, classes, numbers, weights)


TABLES = (
    "numbers holes weights",
    "numbers levels holes weights",
    "numbers levels holes",
    "numbers",
    "levels only holes",
    "levels only",
    "levels counts holes",
)


def fit(name: str, settings: dict[str, Any], rows: Rows, n_jobs: int = 1) -> Any:
    """Fit; None where the estimator does not take such a table, or such settings, and says so."""
    model = made(name, settings, n_jobs)
    target = rows.classes if is_classifier(model) else rows.numbers
    weights = {} if rows.weights is None else {"sample_weight": rows.weights}
    try:
        return model.fit(rows.X, target, **weights)
    except (tw.errors.DataError, TypeError) as problem:
        if isinstance(problem, TypeError) and "sample_weight" not in str(problem):
            raise
        return None


def bytes_of(model: Any, rows: Rows) -> tuple[bytes, dict[str, list[Any]]]:
    """The bytes of the model file without the arrays that belong to rows, and these put in the order of content.

    Rows that are equal in everything may stand for each other: one of two twins is in the bag of a tree.
    """
    header, arrays = model._tw_state()
    content = rows.contents(is_classifier(model))
    rest, of_rows = {}, {}
    for key, array in arrays.items():
        plain = key.removeprefix("learnt_")
        if plain == ROW_NUMBERS:
            of_rows[plain] = [content[row] for row in array]  # the rows themselves stand by content
        elif plain in PER_ROW:
            assert len(array) == len(content)
            of_rows[plain] = sorted(zip(content, (entry.tobytes() for entry in array), strict=True))
        else:
            rest[key] = array
    return to_bytes(header, rest), of_rows


def orders(n_rows: int, how_many: int) -> Iterator[np.ndarray]:
    """As they stand, backwards, then shuffled."""
    rng = np.random.default_rng(1)
    yield np.arange(n_rows)
    yield np.arange(n_rows)[::-1]
    for _ in range(how_many - 2):
        yield rng.permutation(n_rows)

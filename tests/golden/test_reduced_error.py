"""Trees pruned by reduced error beside Weka's, cross-validated on the same folds.

The trees are not the same: Weka's have a branch for every level and other splits, and other rows are held out. So the
scores are compared: on no table worse by more than a standard error of the difference, and on the whole not worse.
Which rows are held out is luck, of up to two standard errors, so ours is the mean of ten draws: the seeds 0 to 9.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import datasets

HERE = Path(__file__).parent
WEKA = json.loads((HERE / "reduced_error" / "weka.json").read_text(encoding="utf-8"))
CLASSES = [name for name, table in WEKA.items() if table["task"] == "classification"]
PEERS = [(name, peer) for name, table in WEKA.items() for peer in ("REPTree", "J48_R") if peer in table]


def rows_of(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """The table, its text as text."""
    table = WEKA[name]
    own = HERE / "tables" / f"{name}.csv"  # tables that are here for these tests only
    text = {column: "str" for column, kind in table["kinds"].items() if kind != "numeric"}
    if table["task"] == "classification":
        text[table["target"]] = "str"
    path = own if own.exists() else datasets.path(name)
    frame = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=[""])
    for column, levels in table["levels"].items():
        frame[column] = pd.Categorical(frame[column], levels, ordered=True)
    return frame.drop(columns=table["target"]), frame[table["target"]]


@cache
def our_scores(name: str) -> list[float]:
    """Accuracy, or root mean squared error, on each fold: the mean of ten draws of the rows that judge."""
    X, y = rows_of(name)
    folds = np.array([int(digit) for digit in WEKA[name]["folds"]])
    is_class = WEKA[name]["task"] == "classification"
    estimator = tw.DecisionTreeClassifier if is_class else tw.DecisionTreeRegressor
    scores = np.empty((10, 10))
    for seed, fold in np.ndindex(scores.shape):
        model: Any = estimator(prune="reduced_error", column_kinds=WEKA[name]["kinds"], random_state=seed)
        held = folds == fold
        answers, truth = model.fit(X[~held], y[~held]).predict(X[held]), y[held].to_numpy()
        scores[seed, fold] = np.mean(answers == truth) if is_class else np.sqrt(np.mean((answers - truth) ** 2))
    return [float(score) for score in scores.mean(axis=0)]


def their_scores(name: str, peer: str) -> list[float]:
    return next(WEKA[name][peer][measure] for measure in ("accuracy", "rmse") if measure in WEKA[name][peer])


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "peer"), PEERS)
def test_a_tree_pruned_by_reduced_error_is_about_as_good_as_that_of_weka(name: str, peer: str) -> None:
    ours, theirs = our_scores(name), their_scores(name, peer)
    error = np.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / 10)
    better = np.mean(ours) - np.mean(theirs)
    if name not in CLASSES:
        better = -better
    assert better >= -error, f"{np.mean(ours):.4f} against {np.mean(theirs):.4f}, standard error {error:.4f}"


@pytest.mark.thorough
@pytest.mark.parametrize("peer", ["REPTree", "J48_R"])
def test_on_the_whole_it_is_not_worse_than_weka(peer: str) -> None:
    accuracy = [(np.mean(our_scores(n)), np.mean(their_scores(n, p))) for n, p in PEERS if p == peer and n in CLASSES]
    ours, theirs = np.mean(accuracy, axis=0)
    assert ours >= theirs
    rmse = [np.mean(our_scores(n)) / np.mean(their_scores(n, p)) for n, p in PEERS if p == peer and n not in CLASSES]
    assert not rmse or np.mean(rmse) <= 1

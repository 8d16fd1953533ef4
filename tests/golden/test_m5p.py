"""Model trees and Weka's M5P on the same folds: ours are not worse by more than a standard error on any table."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

HERE = Path(__file__).parent / "m5p"
TABLES = sorted(path.stem for path in HERE.glob("*.json"))


def load(name: str) -> tuple[dict[str, Any], pd.DataFrame]:
    """Read the scores of a table, and the table."""
    content = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    text = {column: "str" for column, kind in content["kinds"].items() if kind != "numeric"}
    own = HERE.parent / "tables" / f"{name}.csv"
    frame = pd.read_csv(own if own.exists() else tw.datasets.path(name), dtype=text)
    for column, levels in content["levels"].items():
        frame[column] = pd.Categorical(frame[column], levels, ordered=True)
    return content, frame


@cache
def errors(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The root mean squared errors on the ten folds: ours, and M5P's."""
    content, frame = load(name)
    target, fold = content["target"], np.array(content["fold"])
    kinds = {column: kind for column, kind in content["kinds"].items() if column != target}
    X, y = frame.drop(columns=target), frame[target].to_numpy(dtype=float)
    ours = []
    for k in range(10):
        model = tw.ModelTreeRegressor(column_kinds=kinds).fit(X[fold != k], y[fold != k])
        ours.append(np.sqrt(np.mean((model.predict(X[fold == k]) - y[fold == k]) ** 2)))
    return np.array(ours), np.array(content["fold_rmse"])


@pytest.mark.parametrize("name", TABLES)
def test_the_error_is_not_a_standard_error_above_that_of_m5p(name: str) -> None:
    ours, theirs = errors(name)
    assert ours.mean() <= theirs.mean() + theirs.std(ddof=1) / np.sqrt(len(theirs))


def test_over_all_tables_the_error_is_not_above_that_of_m5p() -> None:
    ratios = [errors(name)[0].mean() / errors(name)[1].mean() for name in TABLES]
    assert len(ratios) == 7
    assert np.exp(np.mean(np.log(ratios))) < 1

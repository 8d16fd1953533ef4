"""`C45Classifier` grows the trees that Weka's J48 prints, and gives its answers.

Levels and classes are named by their place here, so that their order is Weka's: where two of them are exactly equal,
the first one wins.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from golden.weka_tree import SETTINGS, TABLES, Reference, Seen, differences, load
from thorough import some
from treewright.reference.c45 import heaviest
from treewright.reference.error_based import fit
from treewright.reference.table import Table

DECLARED_CLASSES_MATTER = {("glass", "J48_laplace"), ("heart_c", "J48_laplace")}


def place(i: int) -> str:
    """A name that sorts by its number."""
    return f"{i:03}"


@cache
def columns(name: str) -> pd.DataFrame:
    """The table as a user would have it."""
    table = load(name)
    found = {}
    for column in table.names:
        texts = table.frame[column]
        if table.content["kinds"][column] == "numeric":
            found[column] = pd.to_numeric(texts.replace("", None)).astype("float64")
        else:
            names = {level: place(i) for i, level in enumerate(table.levels(column))}
            found[column] = texts.map(names)
    return pd.DataFrame(found)


def labels(table: Reference) -> np.ndarray[Any, Any]:
    """The target by the place of each class."""
    return np.array([table.classes.index(text) for text in table.frame[table.target]])


def model(which: str) -> tw.C45Classifier:
    """The estimator with Weka's settings."""
    return tw.C45Classifier(**asdict(SETTINGS[which]))


def seen(fitted: tw.C45Classifier, table: Reference, binary: bool) -> Seen:
    """Our tree in Weka's words."""
    a, core = fitted.tree_.arrays, fitted.tree_.core
    nodes = [Seen() for _ in range(fitted.tree_.n_nodes)]
    for i, said in enumerate(nodes):
        counts = a["count_weight"][slice(*a["count_start"][i : i + 2])]
        said.children = [nodes[j] for j in core.children[slice(*core.children_start[i : i + 2])]]
        if not said.children:
            said.n, said.errors = float(a["weight"][i]), float(a["weight"][i] - max(counts, default=0))
            said.answer = table.classes[int(fitted.classes_[a["prediction"][i]])]
            continue
        said.column = table.names[a["column"][i]]
        if not np.isnan(a["threshold"][i]):
            said.branches = [("<=", float(a["threshold"][i])), (">", float(a["threshold"][i]))]
            continue
        names = table.levels(said.column)
        at = slice(*a["level_start"][i : i + 2])
        said.branches = [("=", names[code - 1]) for code in a["level"][at]]
        if binary:
            one = names[a["level"][at][list(a["level_branch"][at]).index(0)] - 1]
            said.branches = [("=", one), ("!=", one)]
    return nodes[0]


@pytest.mark.parametrize("which", SETTINGS)
@pytest.mark.parametrize("name", TABLES)
def test_the_tree_is_the_one_that_weka_prints(name: str, which: str) -> None:
    table, X, y = load(name), columns(name), labels(load(name))
    fitted = model(which).fit(X, y)
    assert differences(seen(fitted, table, SETTINGS[which].binary), table.tree(which)) == []
    assert fitted.score(X, y) == pytest.approx(table.result(which)["accuracy"])
    if (name, which) in DECLARED_CLASSES_MATTER:  # Weka adds a row of classes that never occur as well
        return
    misses = fitted.predict_proba(X) - (y[:, None] == fitted.classes_)
    cells = len(y) * len(table.classes)
    told = table.result(which)
    assert np.abs(misses).sum() / cells == pytest.approx(told["mean_absolute_error"], abs=1e-7)
    assert np.sqrt((misses**2).sum() / cells) == pytest.approx(told["root_mean_squared_error"], abs=1e-7)


def out_of_fold(table: Reference, which: str) -> str:
    """The answer to each row of trees that have not seen it."""
    X, y, folds = columns(table.content["table"]), labels(table), table.folds
    answers = np.full(len(y), -1)
    for fold in range(10):
        fitted = model(which).fit(X[folds != fold], y[folds != fold])
        answers[folds == fold] = fitted.predict(X[folds == fold])
    return "".join(map(str, answers))


@pytest.mark.parametrize("name", some([name for name in TABLES if name != "heart_c"], 4))
def test_rows_that_were_not_seen_get_the_answers_of_weka(name: str) -> None:
    table = load(name)
    for which in ("J48", "J48_U", "J48_B", "J48_R"):
        assert out_of_fold(table, which) == table.result(which)["out_of_fold"], which


def test_classes_that_are_declared_and_never_occur_do_not_count() -> None:
    # heart_c declares five classes and has two. Weka asks each side of a cut for a tenth of a fifth of the rows, we for
    # a tenth of half of them. The trees of the whole table are the same; a few of those from nine folds are not.
    table, which = load("heart_c"), "J48_U"
    given = table.oracle_table()
    answers = [-1] * len(table.folds)
    for fold in range(10):
        data = Table(given.columns, given.target, tuple(int(other != fold) for other in table.folds), n_classes=2)
        tree, root = fit(data, SETTINGS[which])
        for row in (table.folds == fold).nonzero()[0]:
            answers[row] = heaviest(tree.predict(root, [column.values[row] for column in data.columns]))
    ours = out_of_fold(table, which)
    assert ours == "".join(map(str, answers)) != table.result(which)["out_of_fold"]


def test_laplace_adds_a_row_of_each_class_that_occurs() -> None:
    table = load("heart_c")
    fitted = model("J48_laplace").fit(columns("heart_c"), labels(table))
    assert len(fitted.classes_) == 2 < len(table.classes)
    assert fitted.predict_proba(columns("heart_c")).sum(axis=1) == pytest.approx(1)

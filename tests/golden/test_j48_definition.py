"""The slow definition of C4.5 gives the trees that Weka's J48 prints, and the same answers."""

from __future__ import annotations

import math

import pytest

from golden.weka_tree import SETTINGS, TABLES, Reference, Seen, differences, load
from treewright.reference.c45 import C45, heaviest
from treewright.reference.error_based import fit
from treewright.reference.growing import Node

pytestmark = pytest.mark.thorough


def seen(root: Node, table: Reference, binary: bool) -> Seen:
    """An oracle's tree in Weka's words."""
    found = Seen()
    waiting = [(root, found)]
    while waiting:
        node, said = waiting.pop()
        if node.split is None:
            said.n, said.errors, said.answer = node.weight, node.tally.errors, table.classes[node.answer]
            continue
        said.column = table.names[node.split.column]
        if node.split.cuts:
            said.branches = [("<=", float(node.split.cuts[0])), (">", float(node.split.cuts[0]))]
        else:
            names = table.levels(said.column)
            said.branches = [("=", names[code - 1]) for code in sorted(node.split.levels)]
            if binary:
                one = next(code for code, branch in node.split.levels.items() if branch == 0)
                said.branches = [("=", names[one - 1]), ("!=", names[one - 1])]
        said.children = [Seen() for _ in node.children]
        waiting += zip(node.children, said.children, strict=True)
    return found


# The oracle takes a second and a half for the largest table.
PAIRS = [(name, which) for name in TABLES for which in SETTINGS if name != "segment" or which in ("J48", "J48_R")]


@pytest.mark.parametrize(("name", "which"), PAIRS)
def test_the_definition_grows_the_tree_of_weka(name: str, which: str) -> None:
    table = load(name)
    data = table.oracle_table()
    tree, root = fit(data, SETTINGS[which])
    assert differences(seen(root, table, SETTINGS[which].binary), table.tree(which)) == []
    # How sure each answer is: the mean absolute and the root mean squared error of the class shares, as Weka has them.
    shares = [tree.predict(root, [column.values[row] for column in data.columns]) for row in range(len(data.target))]
    pairs = list(zip(shares, data.target, strict=True))
    misses = [share - (k == label) for row, label in pairs for k, share in enumerate(row)]
    told = table.result(which)
    assert sum(map(abs, misses)) / len(misses) == pytest.approx(told["mean_absolute_error"], abs=1e-9)
    assert math.hypot(*misses) / math.sqrt(len(misses)) == pytest.approx(told["root_mean_squared_error"], abs=1e-9)
    right = [heaviest(row) == label for row, label in pairs]
    assert sum(right) / len(right) == pytest.approx(told["accuracy"])


@pytest.mark.parametrize("which", ["J48", "J48_R"])
@pytest.mark.parametrize("name", ["labor", "vote", "glass", "weather_numeric", "penguins"])
def test_the_definition_answers_rows_it_has_not_seen_as_weka_does(name: str, which: str) -> None:
    table = load(name)
    answers = [-1] * len(table.folds)
    for fold in range(10):
        data = table.oracle_table(tuple(int(other != fold) for other in table.folds))
        tree, root = fit(data, SETTINGS[which])
        for row in (table.folds == fold).nonzero()[0]:
            answers[row] = heaviest(tree.predict(root, [column.values[row] for column in data.columns]))
    assert "".join(map(str, answers)) == table.result(which)["out_of_fold"]


def as_weka_looks_for_it(values: list[float], middle: float) -> float:
    """The largest value not above the middle, as Weka finds it: row by row, with a margin of a millionth."""
    found = -math.inf
    for value in values:
        if value - found > 1e-6 and value - middle < 1e-6:
            found = value
    return found


def test_where_weka_prints_another_threshold_its_margin_did_it() -> None:
    table = load("segment")
    data = table.oracle_table()
    root = C45(data.as_floats(), SETTINGS["J48"]).grow()  # before raising: a node still has the rows that it was cut by
    others = []
    for node in root.preorder():
        if node.split is None:
            continue
        column = [value for value in data.columns[node.split.column].values if value is not None]
        here = [data.columns[node.split.column].values[row] for row in node.rows]
        [threshold] = node.split.cuts
        low = max(value for value in here if value <= threshold)
        high = min(value for value in here if value > threshold)
        wekas = as_weka_looks_for_it(column, (low + high) / 2)
        if wekas != threshold:
            others.append((table.names[node.split.column], threshold, wekas))
    assert others == [("hedge_mean", 0.833336, 0.833335), ("hedge_mean", 0.277779, 0.277778)]  # one step of the file
    printed = [node["branches"] for node in table.result("J48")["nodes"] if node.get("column") == "hedge_mean"]
    assert [["<=", 0.277778], [">", 0.277778]] in printed

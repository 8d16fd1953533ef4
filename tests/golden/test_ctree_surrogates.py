"""Our surrogates and partykit's from the same rows, node by node.

Two differences are let pass. One is shown to be a slip: partykit looks for the cut of a surrogate without a least size
of its sides, and rounding then lets it cut behind the last value. Such a surrogate sends every row the same way and
tells nothing. The other: levels are turned by what goes right on their left side alone, and which side that is depends
on the order of the levels; ours are turned where that sends more rows right, and shown to be so. Where such a surrogate
may have sent rows, the nodes below are not compared. Cuts with equal statistics may also differ: rounding decides which
of them partykit takes, where ours is the first.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from golden.ctree_tree import load

HERE = Path(__file__).parent / "ctree_surrogates"
CHOICES = {
    "maxsurrogate = 3": {"max_surrogates": 3},
    "maxsurrogate = 5, alpha = 0.5": {"max_surrogates": 5, "alpha": 0.5},
}
CASES = [(path.stem, control) for path in sorted(HERE.glob("*.json")) for control in CHOICES]


def fit(name: str, control: str) -> tuple[Any, pd.DataFrame]:
    """Our tree with the same choices, and its rows."""
    reference = load(name)
    X = reference.frame.drop(columns=reference.target)
    for column, kind in reference.kinds.items():
        if kind == "ordinal":
            X[column] = pd.Categorical(X[column], reference.content["levels"][column], ordered=True)
    estimator = tw.ConditionalTreeClassifier if reference.is_classification else tw.ConditionalTreeRegressor
    model = estimator(column_kinds=reference.kinds, missing="surrogates", n_jobs=1, **CHOICES[control])
    return model.fit(X, reference.frame[reference.target]), X


def ours(model: Any, node: int) -> list[tuple[str, Any]]:
    """Of every surrogate its column, and the threshold with its side, or the levels on the left and on the right."""
    a, columns = model.tree_.arrays, model.tree_.schema.columns
    found: list[tuple[str, Any]] = []
    for k in range(*a["surrogate_start"][node : node + 2]):
        column = columns[int(a["surrogate_column"][k])]
        if not np.isnan(a["surrogate_threshold"][k]):
            found.append((column.name, (float(a["surrogate_threshold"][k]), bool(a["surrogate_flip"][k]))))
            continue
        here = range(*a["surrogate_level_start"][node : node + 2])
        of_levels = [j for j in here if a["surrogate_level_which"][j] == k - a["surrogate_start"][node]]
        sides: tuple[set[str], set[str]] = (set(), set())
        for j in of_levels:
            sides[int(a["surrogate_level_branch"][j])].add(str(column.levels[int(a["surrogate_level_level"][j]) - 1]))
        found.append((column.name, sides))
    return found


def theirs(node: dict[str, Any], turned: bool) -> list[tuple[str, Any]]:
    """The same of partykit's; `turned`: its left branch is our right one."""
    found: list[tuple[str, Any]] = []
    for s in node.get("surrogates", ()):
        if s["var"] == node["split"]["var"]:
            continue  # listed where no other column is left; it can tell nothing
        if "threshold" in s:
            found.append((s["var"], (float(s["threshold"]), bool(s["turned"]) != turned)))
        else:
            left, right = set(s["left"]), set(s["right"])
            found.append((s["var"], (right, left) if turned else (left, right)))
    return found


def tells_nothing(surrogate: tuple[str, Any], rows: pd.DataFrame) -> bool:
    """Whether all rows with a value go the same way."""
    name, (first, second) = surrogate
    known = rows[name].dropna()
    if isinstance(first, float):
        values = known.cat.codes + 1 if isinstance(known.dtype, pd.CategoricalDtype) else known
        return bool((values <= first).all())
    return not (set(known) & first and set(known) & second)


def is_turned_for_worse(mine: tuple[str, Any], peer: tuple[str, Any], rows: pd.DataFrame, goes_right: Any) -> bool:
    """Whether two surrogates by level are each other's mirror image, and the peer's sends no more rows right."""
    if isinstance(peer[1][0], float) or mine != (peer[0], peer[1][::-1]):
        return False
    known = rows[peer[0]].dropna()
    says_right = known.isin(peer[1][1]).to_numpy()
    agree = (says_right == goes_right[known.index.to_numpy()]).sum()
    return bool(2 * agree <= len(known))


def is_as_good(mine: tuple[str, Any], peer: tuple[str, Any], rows: pd.DataFrame, goes_right: Any) -> bool:
    """Whether two different cuts of a number tell left from right equally well, and ours is the lower one."""
    if not isinstance(peer[1][0], float) or mine[1][0] >= peer[1][0]:
        return False
    known = rows[peer[0]].dropna()
    right = goes_right[known.index.to_numpy()].astype(float)
    below = [(known <= cut).to_numpy().astype(float) for cut in (mine[1][0], peer[1][0])]
    ours_told, theirs_told = (np.corrcoef(side, right)[0, 1] ** 2 for side in below)
    return bool(abs(ours_told - theirs_told) < 1e-12)


@pytest.mark.parametrize(("name", "control"), CASES, ids=[f"{name}-{control}" for name, control in CASES])
def test_surrogates_are_those_of_partykit(name: str, control: str) -> None:
    content = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    nodes = {n["id"]: n for n in next(t for t in content["trees"] if t["control"] == control)["nodes"]}
    model, X = fit(name, control)
    ways = model.decision_path(X).toarray().astype(bool)
    waiting, compared = [(0, 1)], 0
    while waiting:
        mine, peer = waiting.pop()
        node = nodes[peer]
        assert model.tree_.arrays["n_rows"][mine] == node["n"]
        below = model.tree_.child_ids(mine)
        assert bool(below) == ("split" in node)
        if not below:
            continue
        test = model.tree_.node(mine).test
        assert test.column == node["split"]["var"]
        turned = "left" in node["split"] and min(node["split"]["right"]) < min(node["split"]["left"])
        found, expected = ours(model, mine), theirs(node, turned)
        assert [s[0] for s in found] == [s[0] for s in expected]
        known = X[ways[:, mine] & X[test.column].notna().to_numpy()]
        goes_right = ways[:, below[1]]
        slips = [
            tells_nothing(s, known)
            or is_turned_for_worse(mine_is, s, known, goes_right)
            or is_as_good(mine_is, s, known, goes_right)
            for mine_is, s in zip(found, expected, strict=True)
        ]
        assert [s for s, slip in zip(found, slips, strict=True) if not slip] == [
            s for s, slip in zip(expected, slips, strict=True) if not slip
        ]
        assert not any(tells_nothing(s, known) for s in found)
        compared += len(found)
        if any(slips) and len(known) < ways[:, mine].sum():
            continue
        first = peer + 1
        sizes = {i: n["n"] for i, n in nodes.items()}
        second = first + subtree_size(nodes, first)
        assert sizes[first] + sizes[second] == node["n"]
        waiting += zip(below, (second, first) if turned else (first, second), strict=True)
    assert compared > 0


def subtree_size(nodes: dict[int, dict[str, Any]], root: int) -> int:
    """How many nodes stand below and at a node, by their numbers in preorder."""
    open_nodes, at = 1, root
    while open_nodes:
        open_nodes += 1 if "split" in nodes[at] else -1
        at += 1
    return at - root

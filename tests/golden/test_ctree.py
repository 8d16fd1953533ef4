"""Our conditional trees and partykit's from the same rows, node by node.

No difference is let pass: every tree on every table has the same columns, thresholds and sets of levels, the same
statistics to six digits and the same p-values to four. For the maximum statistic partykit's p-values are random
approximations, so those are compared to two digits only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from golden.ctree_tree import TABLES, Reference, Seen, load

CASES = [(name, i, tree["name"]) for name in TABLES for i, tree in enumerate(load(name).content["trees"])]


def fit(reference: Reference, tree: dict[str, Any]) -> Any:
    """Our tree with the same choices."""
    parameters = dict(tree["parameters"])
    if parameters.pop("ordinal_target", False):
        parameters["class_scores"] = {k: i for i, k in enumerate(reference.content["levels"][reference.target], 1)}
    estimator = tw.ConditionalTreeClassifier if reference.is_classification else tw.ConditionalTreeRegressor
    X = reference.frame.drop(columns=reference.target)
    for name, kind in reference.kinds.items():
        if kind == "ordinal":
            X[name] = pd.Categorical(X[name], reference.content["levels"][name], ordered=True)
    model = estimator(column_kinds=reference.kinds, n_jobs=1, **parameters)
    weights = reference.weights(tree) if tree["weights"] else None
    return model.fit(X, reference.frame[reference.target], sample_weight=weights)


def our_nodes(model: Any, reference: Reference) -> list[Seen]:
    """Our nodes in the form of ctree's; of the tests there is only the one of the column that was best."""
    a = model.tree_.arrays
    names = list(reference.kinds)
    found = []
    for i in range(len(a["n_children"])):
        p = float(np.exp(a["log_p_adjusted"][i]))
        tests = {} if np.isnan(a["statistic"][i]) else {"best": (float(a["statistic"][i]), p)}
        if a["n_children"][i] == 0:
            found.append(Seen(int(a["n_rows"][i]), None, None, frozenset(), tests))
            continue
        column = model.tree_.schema.columns[a["column"][i]]
        levels = range(*a["level_start"][i : i + 2])
        left = frozenset(str(column.levels[a["level"][j] - 1]) for j in levels if a["level_branch"][j] == 0)
        threshold = None if np.isnan(a["threshold"][i]) else float(a["threshold"][i])
        found.append(Seen(int(a["n_rows"][i]), names[a["column"][i]], threshold, left, tests))
    return found


def best_test(node: Seen) -> tuple[float, float] | None:
    """The one of ctree's tests that ours is compared with: of the column that is cut, or of the smallest p."""
    if node.column is not None:
        return node.tests[node.column]
    return min(node.tests.values(), key=lambda test: (test[1], -test[0]), default=None)


@pytest.mark.parametrize(("name", "place"), [c[:2] for c in CASES], ids=[f"{c[0]}-{c[2]}" for c in CASES])
def test_the_tree_is_the_tree_of_ctree(name: str, place: int) -> None:
    reference = load(name)
    tree = reference.content["trees"][place]
    ours, theirs = our_nodes(fit(reference, tree), reference), reference.nodes(tree)
    close = 0.008 if tree["parameters"].get("statistic") == "maximum" else 1e-6
    assert len(ours) == len(theirs)
    for mine, peer in zip(ours, theirs, strict=True):
        assert (mine.column, mine.threshold, mine.left) == (peer.column, peer.threshold, peer.left)
        assert peer.n is None or mine.n == peer.n
        expected = best_test(peer)
        assert (expected is None) == (not mine.tests)
        if expected is not None:
            assert mine.tests["best"][0] == pytest.approx(expected[0], rel=1e-6, abs=1e-9)
            assert mine.tests["best"][1] == pytest.approx(expected[1], abs=close)

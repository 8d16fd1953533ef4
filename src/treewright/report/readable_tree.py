"""The tree that a report draws: the best of all that were compared that a person can read, and is it any good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.registry import LEARNERS
from treewright.model_selection.comparison import Comparison
from treewright.model_selection.measures import Answers, Measure, measure_classes, measure_numbers
from treewright.model_selection.task import named_estimator
from treewright.prune.readable import Readable
from treewright.report.split_rows import SplitTable

MOST_LEAVES = 16
_HARDLY = 0.55  # so high an AUC may have what tells nothing
NO_BETTER = (
    "The tree is no better than a guess that looks at no column: what it shows may be chance. Do not build on it; "
    "other columns, or more rows, would have to tell more."
)


@dataclass(frozen=True)
class ReadableTree:
    """A fitted tree, the name of its learner, and how it came about."""

    name: str
    model: Any
    words: str


def best_readable_tree(
    comparison: Comparison,
    makers: Mapping[str, Any],
    rows: SplitTable,
    column_kinds: Mapping[str, str] | None,
    random_state: int,
) -> ReadableTree:
    """Take the best learner of single trees whose tree has 2 to 16 leaves; if there is none, CART cut to be read."""
    from sklearn.base import clone

    for learner in comparison.learners:
        record = LEARNERS.get(learner.name)
        is_tree = record is not None and record.module.startswith("treewright.learners.trees.")
        if learner.problem or learner.name not in makers or not is_tree:
            continue
        model = clone(makers[learner.name])
        if learner.name == "cart" and "prune" in model.get_params() and isinstance(model.get_params()["prune"], str):
            model.set_params(prune=Readable(leaves=MOST_LEAVES))
        model = model.fit(rows.table, rows.truth)
        if hasattr(model, "tree_") and 2 <= model.tree_.n_leaves <= MOST_LEAVES:
            return ReadableTree(learner.name, model, f"{learner.name}, the best learner of trees that can be read")
    cart = named_estimator("cart", rows.task, random_state, prune=Readable(leaves=MOST_LEAVES))
    if column_kinds is not None:
        cart.set_params(column_kinds=dict(column_kinds))
    return ReadableTree("cart", cart.fit(rows.table, rows.truth), "cart, cut to the size that holds up and can be read")


def is_no_better(rows: SplitTable, measure: Measure, scores: Mapping[str, float]) -> bool:
    """Tell whether the held-out rows say no more for a tree than for the most frequent class, or the mean."""
    truth = rows.held_out_truth.to_numpy()
    if rows.has_classes:
        shares = rows.truth.value_counts(normalize=True).sort_index()
        guessed = np.full(len(truth), shares.idxmax(), dtype=object)
        table: NDArray[np.float64] = np.tile(np.asarray(shares, dtype=np.float64), (len(truth), 1))
        guess = measure_classes(truth, Answers(np.asarray(shares.index), guessed, table))[measure.name]
        if scores.get("auc", 0.0) > _HARDLY:  # it may tell probabilities where it makes no fewer errors
            return False
    else:
        guess = measure_numbers(truth, np.full(len(truth), float(rows.truth.mean())))[measure.name]
    value = scores[measure.name]
    if measure.name == "auc":  # not known where held-out rows lack a class
        return value <= _HARDLY
    return not (value > guess if measure.larger_is_better else value < guess)

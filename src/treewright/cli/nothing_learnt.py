"""What `train` says where no split holds up: that it is so, what comes nearest, and what to try."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_LEAVES = 8  # of the tree that is tried without pruning
_WORTH_TELLING = 0.05  # of its AUC above one half, or of its R squared above nothing
_CANDIDATES = 3
_WIDTH = 78  # of a candidate


def nothing_learnt(fitted: Any, columns: pd.DataFrame, target: pd.Series, task: str) -> list[str]:
    """Give the lines; none where the model is no tree, or one that asks something or answers by an equation."""
    from treewright.tree.format import name_text

    if not hasattr(fitted, "tree_") or fitted.tree_.n_leaves > 1 or not columns.shape[1]:
        return []
    if len(fitted.tree_.arrays.get("equation_column", ())):
        return []
    if target.nunique() < 2:
        return [f"\nAll rows have the same '{target.name}': there is nothing to learn."]
    of = "this column" if columns.shape[1] == 1 else f"these {columns.shape[1]:,} columns"
    guess = "the mean" if task == "regression" else f"'{name_text(fitted.tree_.root.prediction)}'"
    lines = [f"\nNo split of {of} beats always answering {guess} on rows not seen."]
    lines += _what_comes_nearest(fitted, columns, target)
    return [*lines, *_what_to_try(fitted, columns, target, task)]


def _what_comes_nearest(fitted: Any, columns: pd.DataFrame, target: pd.Series) -> list[str]:
    from treewright.errors import TreewrightError
    from treewright.tree.format import measured_text

    try:
        found = fitted.candidates(0, columns, target)
    except (TreewrightError, ValueError):  # not every kind of tree can say what it had to choose from
        return []
    found = found[found["gain"] > 0]
    if found.empty:
        return ["Not one of them splits the rows with any gain."]
    # a column with a level for nearly every row splits the rows that were seen in any way one likes
    by_heart = [name for name in columns if _is_text(columns[name]) and 2 * columns[name].nunique() > len(columns)]
    found = found[~found["column"].isin(by_heart)].head(_CANDIDATES)
    if found.empty:
        return ["Only columns with a level for nearly every row would split them."]
    told = [
        f"  {shorten(test, _WIDTH, placeholder=' …')}   (gain {measured_text(gain, 2)})"
        for test, gain in zip(found["test"], found["gain"], strict=True)
    ]
    return ["What comes nearest, on the rows that were seen:", *told]


def _is_text(column: pd.Series) -> bool:
    return column.dtype.kind not in "biufcmM"


def _what_to_try(fitted: Any, columns: pd.DataFrame, target: pd.Series, task: str) -> list[str]:
    """Say whether a tree without pruning tells anything, by cross-validation, and how to see it."""
    import treewright as tw
    from treewright.model_selection.measures import MEASURES

    scoring = "auc" if task == "classification" else "r2"
    limits = {"max_leaf_nodes": _LEAVES, "min_samples_leaf": max(5, len(columns) // 100)}
    kind = tw.DecisionTreeClassifier if task == "classification" else tw.DecisionTreeRegressor
    folds = min(10, len(target) // 2)
    if folds < 2 or type(fitted) is not kind:
        return []
    tried = kind(**limits, column_kinds=fitted.column_kinds)
    made = tw.compare(columns, target, [("tree", tried)], cv=folds, scoring=scoring, task=task, n_jobs=1)
    value = next((one.mean(scoring) for one in made.learners if one.name == "tree" and not one.problem), float("nan"))
    told = f"{'AUC' if scoring == 'auc' else 'R²'} {MEASURES[scoring].show(value)}"
    if not value > _WORTH_TELLING + (0.5 if scoring == "auc" else 0.0):
        return [f"A tree of {_LEAVES} leaves has {told} on rows not seen, which is no better than guessing."]
    measure = "--measure auc, " if task == "classification" else ""
    wish = " or --set class_weight=balanced" if task == "classification" else ""
    return [
        f"A tree of {_LEAVES} leaves has {told} on rows not seen, though: some of it is there. "
        f"Try {measure}--set prune=None --set max_leaf_nodes={_LEAVES}{wish}, or treewright compare for other learners."
    ]

"""From a fitted model to its routing program: the only file of the exports that knows estimators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.export.correction import correction_of
from treewright.export.program import NodeTable, Program, node_table
from treewright.learners.adaboost.adaboost import AdaBoostClassifier, AdaBoostRegressor, whole_says
from treewright.learners.bagging.bagging import BaggingTreesClassifier, BaggingTreesRegressor
from treewright.learners.base.calibration import Calibration
from treewright.learners.boosting.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from treewright.learners.ensemble.ensemble_model import EnsembleModel
from treewright.learners.ensemble.reweighted_trees import ReweightedTrees
from treewright.learners.trees.tree_lookup import node_answers
from treewright.learners.trees.tree_model import TreeModel
from treewright.table.schema import Schema

_MANY_TREES = (AdaBoostClassifier, AdaBoostRegressor, BaggingTreesClassifier, BaggingTreesRegressor)
_WITH_TREES = (TreeModel, EnsembleModel, *_MANY_TREES)
LOG_LINKS = ("poisson", "gamma")


def program_of(model: Any) -> Program:
    """Give the routing program of a fitted model; a model that has none is refused by name.

    Examples
    --------
    >>> import treewright as tw
    >>> program = program_of(tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]))
    >>> program.link, program.labels, program.trees[0].rule_number
    ('node', ['a', 'b'], [1.5, 1.5])
    """
    if isinstance(model, _WITH_TREES) and getattr(model, "n_outputs_", 1) > 1:
        refuse_several_targets(model, model.n_outputs_)
    program = _program_of(model)
    calibration = model.__dict__.get("calibration_")
    return program if calibration is None else _corrected(program, calibration)


def _corrected(program: Program, calibration: Calibration) -> Program:
    """A program whose probabilities are corrected: in the nodes of a tree, or behind the link."""
    if program.link != "node" or program.spreads:
        return replace(program, correction=correction_of(calibration))
    only = replace(program.trees[0], answers=calibration.apply(program.trees[0].answers))
    return replace(program, trees=[only], has_corrected_answers=True)


def _program_of(model: Any) -> Program:
    if isinstance(model, TreeModel):
        check_is_fitted(model)
        return _of_tree(model)
    if isinstance(model, EnsembleModel):
        check_is_fitted(model)
        return _of_small_trees(model)
    if isinstance(model, _MANY_TREES):
        check_is_fitted(model)
        if not hasattr(model, "trees_"):
            raise DataError(
                f"This {type(model).__name__} cannot be exported: it is made of {type(model.estimator_).__name__}, and "
                "exports are written for trees of treewright. Bag or boost one of its trees."
            )
        return _of_ordinary_trees(model)
    raise DataError(
        f"{type(model).__name__} cannot be exported: exports are written for single trees, forests, bagging, AdaBoost, "
        "gradient boosting, linear and logistic regression, naive Bayes and small networks. Save it with "
        "tw.save, or train one of them on its answers (tw.surrogate_model)."
    )


def refuse_several_targets(model: Any, n_targets: int) -> None:
    """Refuse a model of several targets."""
    raise DataError(
        f"This {type(model).__name__} predicts {n_targets} targets, and exports are written for one. Train "
        "a model for each target and export them one by one."
    )


def _of_tree(model: Any) -> Program:
    core = cast(_core.Tree, model.tree_.core)
    labels = None if model.tree_.classes is None else list(model.tree_.classes)
    said = None if labels is None else core.arrays()["prediction"].astype(np.int64)
    answers = model._node_numbers(core)
    table = node_table(core, answers, said)
    return _program(model, model.tree_.schema, [table], [0.0] * answers.shape[1], "node", labels)


def _of_small_trees(model: Any) -> Program:
    model._refuse_beside_trees("An export holds trees alone")
    trees, lookup = model.trees_, model._lookup
    labels = None if "classes_" not in model.__dict__ else model.classes_.tolist()
    tables = [node_table(tree, node_answers(tree, lookup.output_kind)) for tree in _cores(trees)]
    start = lookup.start.tolist()
    return _program(model, trees.schema, tables, start, _link(model, labels, len(start)), labels)


def _cores(trees: Any) -> Any:
    return (trees.core.tree(i) for i in range(len(trees)))


def _link(model: Any, labels: list[Any] | None, n_outputs: int) -> str:
    if isinstance(model, GradientBoostingClassifier):
        return "softmax" if n_outputs > 1 or len(labels or ()) == 1 else "logistic"
    if isinstance(model, GradientBoostingRegressor):
        return "exp" if model.loss in LOG_LINKS else "identity"
    return "mean"


def _of_ordinary_trees(model: ReweightedTrees) -> Program:
    labels = None if "classes_" not in model.__dict__ else model.classes_.tolist()
    cores = [cast(_core.Tree, core) for core in _cores(model.trees_)]
    start = [0.0] * (len(labels) if labels else 1)
    if isinstance(model, AdaBoostClassifier):
        if any(core.spreads for core in cores):
            _refuse_spread_votes(model)
        says = model.estimator_weights_.tolist()
        tables = [node_table(core, node_answers(core, "votes") * say) for core, say in zip(cores, says, strict=True)]
        if len(cores) == 1 and cores[0].n_nodes == 1:  # no tree was worth keeping: the shares of the classes
            only = node_table(cores[0], model.estimator_._node_numbers(cores[0]), cores[0].arrays()["prediction"])
            return _program(model, model.trees_.schema, [only], start, "node", labels)
        program = _program(model, model.trees_.schema, tables, start, "samme", labels)
        return replace(program, all_votes=float(sum(says)))
    tables = [_member_table(model, core) for core in cores]
    if isinstance(model, AdaBoostRegressor):
        program = _program(model, model.trees_.schema, tables, [0.0] * len(tables), "median", None)
        return replace(program, says=tuple(whole_says(model.estimator_weights_).tolist()))
    return _program(model, model.trees_.schema, tables, start, "mean", labels, "answers" if labels else "")


def _member_table(model: Any, core: _core.Tree) -> NodeTable:
    if getattr(model, "voting", "mean") == "mean":
        return node_table(core, model.estimator_._node_numbers(core))
    if core.spreads:
        _refuse_spread_votes(model)
    return node_table(core, node_answers(core, "votes"))


def _refuse_spread_votes(model: Any) -> None:
    raise DataError(
        f"This {type(model).__name__} cannot be exported: each tree has one vote, and its trees part a row with a "
        "missing value among several leaves, so a vote is no sum over leaves. Use voting='mean', or a recipe that "
        "sends such a row to one leaf (missing='learn')."
    )


def _program(
    model: Any, schema: Schema, tables: list[NodeTable], start: list[float], link: str, labels: Any, label_by: str = ""
) -> Program:
    if labels is not None and not label_by:
        label_by = {"node": "node", "logistic": "sign"}.get(link, "sums")
    refuses, recipe = model._lookup.refuse_missing, getattr(model, "estimator_", model)
    return Program(
        schema.columns,
        tables,
        len(start),
        start,
        link,
        label_by,
        labels,
        schema.target,
        type(model).__name__,
        model.fingerprint(),
        takes_missing=not refuses and getattr(recipe, "missing", "") != "refuse",
        takes_unknown=not refuses,
    )

"""The estimators of scikit-learn that hold given trees: fitted on a row or two, then their trees are replaced.

That a tree can be handed its nodes is what scikit-learn's own pickling rests on (`Tree.__setstate__`).
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.export.program import Program

Nodes = dict[str, NDArray[Any]]


def single_tree(model: Any, program: Program, nodes: Nodes) -> Any:
    """Give a DecisionTreeClassifier or DecisionTreeRegressor."""
    from sklearn import tree

    kind = tree.DecisionTreeRegressor if program.labels is None else tree.DecisionTreeClassifier
    found = kind(**_criterion(kind, model))
    _fit_a_little(found, model, program)
    found.tree_ = _tree(found.tree_, nodes)
    return found


def forest(name: str, model: Any, program: Program, trees: list[Nodes]) -> Any:
    """Give a RandomForest… or ExtraTrees…; all its trees are scikit-learn's own."""
    from sklearn import ensemble

    kind = getattr(ensemble, name)
    found = kind(1, **_criterion(kind, model))
    _fit_a_little(found, model, program)
    first = found.estimators_[0]
    members = []
    for nodes in trees:
        member = copy.copy(first)
        member.tree_ = _tree(first.tree_, nodes)
        members.append(member)
    found.set_params(n_estimators=len(members))
    found.estimators_ = members
    return found


def booster(model: Any, program: Program, trees: list[Nodes]) -> Any:
    """Give a HistGradientBoostingClassifier or -Regressor."""
    from sklearn import ensemble
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

    if program.labels is not None and len(program.labels) < 2:
        raise DataError("scikit-learn's boosting knows no table of one class. Export SQL, C, JavaScript or Python.")
    kind = ensemble.HistGradientBoostingRegressor
    how = {"loss": model.loss if program.link == "exp" else "squared_error"}
    if program.labels is not None:
        kind, how = ensemble.HistGradientBoostingClassifier, {}
    found = kind(max_iter=1, early_stopping=False, **how)
    _fit_a_little(found, model, program)
    none = np.zeros((0, 8), np.uint32)  # no test by levels
    stages = range(0, len(trees), program.n_outputs)
    found._predictors = [
        [TreePredictor(_records(nodes, found), none, none) for nodes in trees[first : first + program.n_outputs]]
        for first in stages
    ]
    found._baseline_prediction = np.array([program.start])
    found.set_params(max_iter=max(1, len(stages)))
    return found


def _criterion(kind: Any, model: Any) -> dict[str, str]:
    """The criterion, where scikit-learn has it: pictures name the impurity by it."""
    said = getattr(model, "criterion", None)
    known = [option for rule in kind._parameter_constraints["criterion"] for option in getattr(rule, "options", ())]
    return {"criterion": str(said)} if said in known else {}


def _fit_a_little(found: Any, model: Any, program: Program) -> None:
    """Set all that a fit sets: two rows of each class."""
    codes = np.ones(2) if program.labels is None else np.repeat(np.arange(len(program.labels)), 2)
    found.fit(np.zeros((len(codes), len(program.columns))), codes)
    if program.labels is not None:
        found.classes_ = model.classes_.copy()
    if hasattr(model, "feature_names_in_"):
        found.feature_names_in_ = np.array([column.name for column in program.columns], dtype=object)


def _tree(example: Any, nodes: Nodes) -> Any:
    state = example.__getstate__()
    written = np.zeros(len(nodes["left"]), dtype=state["nodes"].dtype)
    fields = {"left_child": "left", "right_child": "right", "feature": "column", "threshold": "cut"}
    fields |= {"n_node_samples": "n_rows", "weighted_n_node_samples": "weight", "impurity": "impurity"}
    for theirs, ours in (fields | {"missing_go_to_left": "missing_left"}).items():
        written[theirs] = nodes[ours]
    state["nodes"], state["node_count"] = written, len(written)
    state["values"] = np.ascontiguousarray(nodes["answer"][:, None, :], dtype=np.float64)
    state["max_depth"] = int(_depth(nodes).max())
    kind, arguments, _ = example.__reduce__()
    tree = kind(*arguments)
    tree.__setstate__(state)
    return tree


def _records(nodes: Nodes, found: Any) -> NDArray[Any]:
    records = np.zeros(len(nodes["left"]), dtype=found._predictors[0][0].nodes.dtype)
    inner = nodes["left"] >= 0
    records["value"], records["count"], records["depth"] = nodes["answer"][:, 0], nodes["n_rows"], _depth(nodes)
    records["gain"] = np.where(inner, nodes["gain"], -1.0)
    for theirs, ours in {"left": "left", "right": "right", "feature_idx": "column", "num_threshold": "cut"}.items():
        records[theirs][inner] = nodes[ours][inner]
    records["missing_go_to_left"], records["is_leaf"] = nodes["missing_left"], ~inner
    return records


def _depth(nodes: Nodes) -> NDArray[np.int64]:
    depth = np.zeros(len(nodes["left"]), np.int64)
    for node, (left, right) in enumerate(zip(nodes["left"].tolist(), nodes["right"].tolist(), strict=True)):
        if left >= 0:  # children stand behind their parent
            depth[left] = depth[right] = depth[node] + 1
    return depth

"""Rows through the trees in ONNX: the number of the node in which each row ends in each tree.

Where every node is entered by one way the operator TreeEnsemble does it: each tree has an output of its own, to which
only the leaf adds, so that no order of additions and no number of threads can matter. Where several rules lead to one
node (surrogates) plain operators step from rule to rule, all rows and trees at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.export.onnx.graph import Graph, onnx_package, tensor
from treewright.export.steps import Steps

LEQ, GT, MEMBERSHIP = 0, 3, 6  # modes of a node


def add_nodes(graph: Graph, trees: list[Steps], matrix: str, most_levels: int) -> str:
    """Give the nodes in which rows end: rows × trees, whole numbers."""
    if all(steps.is_tree() for steps in trees):
        return _by_tree_ensemble(graph, trees, matrix)
    return _step_by_step(graph, trees, matrix, most_levels)


# ---------------------------------------------------------------- the operator TreeEnsemble


class _Ensemble:
    """The attributes of the operator: nodes that ask, and leaves, each numbered on their own."""

    def __init__(self) -> None:
        self.column: list[int] = []
        self.split: list[float] = []
        self.mode: list[int] = []
        self.missing_true: list[int] = []
        self.target: dict[bool, list[int]] = {True: [], False: []}
        self.is_leaf: dict[bool, list[int]] = {True: [], False: []}
        self.roots: list[int] = []
        self.leaf_tree: list[int] = []
        self.leaf_node: list[float] = []
        self.members: list[float] = []

    def add_node(self, column: int, split: float, mode: int, missing_true: bool) -> int:
        self.column.append(column)
        self.split.append(split)
        self.mode.append(mode)
        self.missing_true.append(int(missing_true))
        for side in (True, False):
            self.target[side].append(0)
            self.is_leaf[side].append(0)
        return len(self.mode) - 1

    def add_leaf(self, tree: int, node: int) -> int:
        self.leaf_tree.append(tree)
        self.leaf_node.append(float(node))
        return len(self.leaf_tree) - 1

    def lead(self, node: int, side: bool, target: int, is_leaf: bool) -> None:
        self.target[side][node], self.is_leaf[side][node] = target, int(is_leaf)


def _by_tree_ensemble(graph: Graph, trees: list[Steps], matrix: str) -> str:
    written = _Ensemble()
    for number, steps in enumerate(trees):
        _write_tree(written, number, steps)
    told = graph.put(
        "TreeEnsemble",
        matrix,
        domain="ai.onnx.ml",
        n_targets=len(trees),
        aggregate_function=1,
        post_transform=0,
        tree_roots=written.roots,
        nodes_featureids=written.column,
        nodes_splits=tensor(np.array(written.split)),
        nodes_modes=tensor(np.array(written.mode, np.uint8)),
        nodes_truenodeids=written.target[True],
        nodes_falsenodeids=written.target[False],
        nodes_trueleafs=written.is_leaf[True],
        nodes_falseleafs=written.is_leaf[False],
        nodes_missing_value_tracks_true=written.missing_true,
        leaf_targetids=written.leaf_tree,
        leaf_weights=tensor(np.array(written.leaf_node)),
        **({"membership_values": tensor(np.array(written.members))} if written.members else {}),
    )
    return graph.put("Cast", told, to=7)


def _write_tree(written: _Ensemble, number: int, steps: Steps) -> None:
    """Write the nodes of a tree, a node before those below it."""
    written.roots.append(len(written.mode))
    if steps.ends[0] >= 0:  # a lone leaf: a node of which both branches lead to it
        node, leaf = written.add_node(0, 0.0, LEQ, False), written.add_leaf(number, steps.ends[0])
        for side in (True, False):
            written.lead(node, side, leaf, True)
        return
    waiting: list[tuple[int, int, bool]] = [(0, -1, False)]
    while waiting:
        at, parent, side = waiting.pop()
        if steps.ends[at] >= 0:
            written.lead(parent, side, written.add_leaf(number, steps.ends[at]), True)
            continue
        first, last = _write_step(written, steps, at)
        if parent >= 0:
            written.lead(parent, side, first, False)
        waiting.append((steps.missing[at] if last != first else steps.no[at], last, False))
        if last != first:
            waiting.append((steps.no[at], last, True))
        waiting.append((steps.yes[at], first, True))


def _write_step(written: _Ensemble, steps: Steps, at: int) -> tuple[int, int]:
    """One node, or two where a row without a value goes a third way: at most the cut? above it? else the third."""
    column, cut, codes = steps.column[at], steps.number[at], steps.codes[at]
    ways = len({steps.yes[at], steps.no[at], steps.missing[at]})
    if codes is not None:
        written.members += [*map(float, codes), float("nan")]
        node = written.add_node(column, 0.0, MEMBERSHIP, False)
        return node, node
    mode = GT if steps.above[at] else LEQ
    if ways == 3:
        first = written.add_node(column, cut, mode, False)
        last = written.add_node(column, cut, GT if mode == LEQ else LEQ, False)
        written.lead(first, False, last, False)
        return first, last
    node = written.add_node(column, cut, mode, steps.missing[at] == steps.yes[at])
    return node, node


# ---------------------------------------------------------------- plain operators


def _step_by_step(graph: Graph, trees: list[Steps], matrix: str, most_levels: int) -> str:
    """Step from rule to rule in a loop, until every row has ended in every tree."""
    table, most = _laid_out(trees, most_levels)
    n_rows = graph.put("Slice", graph.put("Shape", matrix), graph.whole(0), graph.whole(1))
    shape = graph.put("Concat", n_rows, graph.whole(len(trees)), axis=0)
    first = graph.put("Expand", graph.constant(table["root"][None, :]), shape)
    body = _body(graph, table, matrix)
    last = graph.put("Loop", graph.constant(np.array(most)), graph.constant(np.array(True)), first, body=body)
    return graph.put("Gather", graph.constant(table["ends"]), last)


def _laid_out(trees: list[Steps], most_levels: int) -> tuple[dict[str, Any], int]:
    """All steps of all trees side by side, and how many steps a row takes at most."""
    table: dict[str, list[Any]] = {name: [] for name in ("column", "number", "yes", "no", "missing", "ends", "base")}
    members, roots, most = [False], [], 1
    for steps in trees:
        start = len(table["ends"])
        roots.append(start)
        most = max(most, sum(end == -1 for end in steps.ends) + 1)
        for name in ("yes", "no", "missing"):
            table[name] += [start + target for target in getattr(steps, name)]
        for at, codes in enumerate(steps.codes):
            table["base"].append(-1 if codes is None else len(members))
            if codes is not None:
                members += [code in codes for code in range(most_levels + 1)]
            if steps.above[at]:  # the other side of at most
                here = start + at
                table["yes"][here], table["no"][here] = table["no"][here], table["yes"][here]
        for name in ("column", "number", "ends"):
            table[name] += getattr(steps, name)
    wholes = {name: np.array(values, np.int64) for name, values in table.items() if name != "number"}
    return {**wholes, "number": np.array(table["number"]), "root": np.array(roots), "members": np.array(members)}, most


def _body(graph: Graph, table: dict[str, Any], matrix: str) -> Any:
    """One step of every row in every tree; constants and the matrix are those of the graph around it."""
    onnx = onnx_package()
    helper, kinds = onnx.helper, onnx.TensorProto
    body = Graph(graph.prefix + "step/")
    at, following, again = (f"{body.prefix}{name}" for name in ("at", "next", "again"))

    def of_step(name: str) -> str:
        return body.put("Gather", graph.constant(table[name]), at)

    x = body.put("GatherElements", matrix, of_step("column"), axis=1)
    gone = body.put("IsNaN", x)
    holds = body.put("LessOrEqual", x, of_step("number"))
    if (table["base"] >= 0).any():
        holds = _with_membership(graph, body, table, (x, gone, holds), of_step("base"))
    onward = body.put("Where", holds, of_step("yes"), of_step("no"))
    body.put_as("Where", [gone, of_step("missing"), onward], [following])
    same = body.put("Equal", at, following)
    moved = body.put("Cast", body.put("Not", same), to=6)
    most = body.put("ReduceMax", moved, keepdims=0)
    body.put_as("Cast", [most], [again], to=9)
    inputs = [
        helper.make_tensor_value_info(f"{body.prefix}number", kinds.INT64, []),
        helper.make_tensor_value_info(f"{body.prefix}goes_on", kinds.BOOL, []),
        helper.make_tensor_value_info(at, kinds.INT64, None),
    ]
    outputs = [
        helper.make_tensor_value_info(again, kinds.BOOL, []),
        helper.make_tensor_value_info(following, kinds.INT64, None),
    ]
    return helper.make_graph(body.nodes, "step", inputs, outputs, body.tensors())


def _with_membership(graph: Graph, body: Graph, table: dict[str, Any], known: tuple[str, str, str], base: str) -> str:
    """Where a step asks for levels: whether the code is among those of its set."""
    x, gone, holds = known
    zero = graph.constant(np.array(0, np.int64))
    asks = body.put("GreaterOrEqual", base, zero)
    has_code = body.put("And", asks, body.put("Not", gone))
    code = body.put("Cast", body.put("Where", has_code, x, graph.number(0.0)), to=7)
    place = body.put("Where", asks, body.put("Add", base, code), zero)
    member = body.put("And", asks, body.put("Gather", graph.constant(table["members"]), place))
    return body.put("Or", member, body.put("And", body.put("Not", asks), holds))

"""A model as an ONNX file: an input a column; `label` and `probabilities`, or `prediction`; the `nodes` of trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.errors import DataError
from treewright.export.onnx.answers import add_class_numbers, add_link, add_sums, last_of_cumulated
from treewright.export.onnx.columns import add_columns, add_weighted_sums, refuse_what_onnx_cannot_say
from treewright.export.onnx.correction import add_correction
from treewright.export.onnx.graph import Graph
from treewright.export.onnx.outputs import free_name, model_bytes, put_answers, put_label, put_output
from treewright.export.onnx.routing import add_nodes
from treewright.export.onnx.shares import add_shares
from treewright.export.program import Program
from treewright.export.steps import steps_of


def onnx_bytes(program: Program) -> bytes:
    """Write the file."""
    refuse_what_onnx_cannot_say(program)
    graph = Graph(free_name("tw/", program))
    matrix = add_columns(graph, program)
    if program.spreads:
        _add_answers_in_parts(graph, program, matrix)
    else:
        matrix = add_weighted_sums(graph, program, matrix)
        _add_answers(graph, program, matrix)
    return model_bytes(graph, program)


def _most_levels(program: Program) -> int:
    return max((len(program.columns[place].levels) for place in program.used), default=0)


def _add_answers(graph: Graph, program: Program, matrix: str) -> None:
    nodes = add_nodes(graph, steps_of(program), matrix, _most_levels(program))
    sums = add_sums(graph, program, nodes, matrix)
    answers = add_link(graph, program, sums)
    if program.labels is not None:
        put_label(graph, program, add_class_numbers(graph, program, nodes, sums, answers))
    put_answers(graph, program, add_correction(graph, program.correction, answers, program.n_answers))
    put_output(graph, program, "nodes", ("INT64", len(program.trees)), "Identity", nodes)


def _add_answers_in_parts(graph: Graph, program: Program, matrix: str) -> None:
    """Trees of which a row may end in several leaves: what they say is mixed by the parts."""
    if any(tree.equations or tree.sums for tree in program.trees):
        raise DataError(
            f"This {program.title} parts rows among leaves that hold equations, which our ONNX has no words for. "
            "Export SQL, C, JavaScript or Python."
        )
    place = {column: at for at, column in enumerate(program.used)}
    total, label = "", ""
    for tree in program.trees:
        shares = add_shares(graph, tree, matrix, place, _most_levels(program))
        parts = graph.put("Mul", graph.put("Unsqueeze", shares, graph.whole(2)), graph.constant(tree.answers[None]))
        said = last_of_cumulated(graph, parts, 1, tree.n_nodes)
        total = graph.put("Add", total, said) if total else said
        if program.label_by == "node":
            label = _label_of_parts(graph, tree.labels, shares, said)
    answers = add_link(graph, program, total)
    if program.labels is not None:
        told = total if program.label_by == "sums" else answers
        put_label(graph, program, label or graph.put("ArgMax", told, axis=1, keepdims=0))
    put_answers(graph, program, add_correction(graph, program.correction, answers, program.n_answers))


def _label_of_parts(graph: Graph, labels: Any, shares: str, said: str) -> str:
    """The class of the node, where the row ends in one; else the largest share."""
    ends = graph.put("Greater", shares, graph.number(0.0))
    count = graph.put("ReduceSum", graph.put("Cast", ends, to=7), graph.whole(1), keepdims=0)
    node = graph.put("ArgMax", shares, axis=1, keepdims=0)
    of_node = graph.put("Gather", graph.constant(labels.astype(np.int64)), node)
    single = graph.put("Equal", count, graph.constant(np.array(1, np.int64)))
    return graph.put("Where", single, of_node, graph.put("ArgMax", said, axis=1, keepdims=0))

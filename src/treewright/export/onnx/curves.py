"""Curves of polynomials and densities of bells, in ONNX: of one column of numbers."""

from __future__ import annotations

import numpy as np

from treewright.export.formula import Bells, Piece
from treewright.export.onnx.exponential import add_exp
from treewright.export.onnx.graph import Graph


def add_curve(graph: Graph, curve: tuple[Piece, ...], x: str) -> str:
    """The polynomial of the last cut that is not above, its powers added up from the lowest: rows × 1."""
    put = graph.put
    cuts = np.array([piece.cut for piece in curve[1:]])
    reached = put("Cast", put("LessOrEqual", graph.constant(cuts[None, :]), x), to=7)
    at = put("ReduceSum", reached, graph.whole(1), keepdims=1)
    origins = graph.constant(np.array([piece.origin for piece in curve]))
    gap = put("Sub", x, put("Gather", origins, at))
    total, power = graph.number(0.0), graph.number(1.0)
    for degree in range(max(len(piece.numbers) for piece in curve)):
        numbers = [piece.numbers[degree] if degree < len(piece.numbers) else 0.0 for piece in curve]
        weight = put("Gather", graph.constant(np.array(numbers)), at)
        # Far out a power may be beyond all numbers, and 0 times that is none.
        product = put("Where", put("Equal", weight, graph.number(0.0)), weight, put("Mul", weight, power))
        total, power = put("Add", total, product), put("Mul", power, gap)
    return total


def add_bells(graph: Graph, bells: Bells, x: str) -> str:
    """The logarithm of the sum of bells: rows × 1, by way of rows × bells."""
    put = graph.put
    places, logs = (graph.constant(np.array([part])) for part in (bells.places, bells.logs))
    gap = put("Div", put("Sub", x, places), graph.number(bells.width))
    terms = put("Sub", logs, put("Mul", graph.number(0.5), put("Mul", gap, gap)))
    highest = put("ReduceMax", terms, graph.whole(1), keepdims=1)
    total = put("ReduceSum", add_exp(graph, put("Sub", terms, highest)), graph.whole(1), keepdims=1)
    return put("Add", highest, put("Log", total))

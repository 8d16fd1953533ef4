"""Probabilities that were corrected after training, in ONNX."""

from __future__ import annotations

import numpy as np

from treewright.export.correction import Correction
from treewright.export.onnx.answers import last_of_cumulated, softmax
from treewright.export.onnx.graph import Graph
from treewright.learners.base.calibration import SMALLEST


def add_correction(graph: Graph, correction: Correction | None, answers: str, n_answers: int) -> str:
    """Rows × classes, corrected."""
    if correction is None:
        return answers
    put, number = graph.put, graph.number
    if correction.kind == "softmax":
        added, bias = (graph.constant(np.array([part])) for part in (correction.added, correction.bias))
        mixed = put("Add", put("Mul", number(correction.kept), answers), added)
        bounded = put("Where", put("Less", mixed, number(SMALLEST)), number(SMALLEST), mixed)
        return softmax(graph, put("Add", put("Mul", number(correction.slope), put("Log", bounded)), bias), n_answers)
    if len(correction.start) == 2:
        second = _line(graph, correction, 0, put("Gather", answers, graph.whole(1), axis=1))
        return put("Concat", put("Sub", number(1.0), second), second, axis=1)
    each = [_line(graph, correction, k, put("Gather", answers, graph.whole(k), axis=1)) for k in range(n_answers)]
    parts = put("Concat", *each, axis=1)
    whole = put("Unsqueeze", last_of_cumulated(graph, parts, 1, n_answers), graph.whole(1))
    return put("Where", put("Greater", whole, number(0.0)), put("Div", parts, whole), answers)


def _line(graph: Graph, correction: Correction, k: int, x: str) -> str:
    """A line from point to point: that of the last point that is not above; before the first it is level."""
    put, part = graph.put, slice(correction.start[k], correction.start[k + 1])
    given, answer = np.array(correction.given[part]), np.array(correction.answer[part])
    slope = np.zeros(len(given))
    rises = np.flatnonzero(np.diff(given) > 0)
    slope[rises] = np.diff(answer)[rises] / np.diff(given)[rises]
    reached = put("Cast", put("LessOrEqual", graph.constant(given[None, :]), x), to=7)
    count = put("ReduceSum", reached, graph.whole(1), keepdims=1)
    at = put("Max", put("Sub", count, graph.whole(1)), graph.whole(0))
    before = put("Equal", count, graph.whole(0))

    def of_point(numbers: np.ndarray) -> str:
        return put("Gather", graph.constant(numbers), at)

    rise = put("Mul", of_point(slope), put("Sub", x, of_point(given)))
    return put("Where", before, graph.number(float(answer[0])), put("Add", rise, of_point(answer)))

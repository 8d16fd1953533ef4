"""A formula as an ONNX file: an input a column; `label`, `probabilities` and `scores`, or `prediction`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.export.formula import ALIKE, CLIP, CLIP_FROM, MISSING, ONE, Formula, Unit, refuse_infinite_weights
from treewright.export.onnx.answers import last_of_cumulated, softmax
from treewright.export.onnx.columns import add_columns, refuse_what_onnx_cannot_say
from treewright.export.onnx.correction import add_correction
from treewright.export.onnx.curves import add_bells, add_curve
from treewright.export.onnx.exponential import add_exp
from treewright.export.onnx.graph import Graph, onnx_package
from treewright.export.onnx.outputs import free_name, model_bytes, put_answers, put_label, put_output

_DOUBLE = 11


def formula_onnx(formula: Formula) -> bytes:
    """Write the file."""
    refuse_what_onnx_cannot_say(formula)
    refuse_infinite_weights(formula, "ONNX")
    graph = Graph(free_name("tw/", formula))
    matrix = add_columns(graph, formula)
    values = _add_inputs(graph, formula, matrix)
    place = {source: at for at, source in enumerate(range(len(formula.inputs)))}
    for layer in formula.layers:
        units = [formula.unit(source) for source in layer]
        made = _shaped(graph, units, _add_sums(graph, units, values, place))
        made = _scaled(graph, formula, units, made, values, place, matrix)
        place |= {source: len(place) + at for at, source in enumerate(layer)}
        values = graph.put("Concat", values, made, axis=1)
    scores = graph.put("Gather", values, graph.whole(*(place[source] for source in formula.outputs)), axis=1)
    _put_answers(graph, formula, scores)
    return model_bytes(graph, formula)


def _row(graph: Graph, numbers: list[Any], kind: type = np.float64) -> str:
    return graph.constant(np.array([numbers], dtype=kind))


def _add_inputs(graph: Graph, formula: Formula, matrix: str) -> str:
    """Rows × inputs, out of rows × columns: all inputs at once."""
    place = {ONE: 0, **{column: at for at, column in enumerate(formula.used)}}
    inputs = formula.inputs
    x = graph.put("Gather", matrix, graph.whole(*(place[entry.column] for entry in inputs)), axis=1)
    gone = graph.put("Or", graph.put("IsNaN", x), _row(graph, [entry.column == ONE for entry in inputs], bool))
    equal = graph.put("Equal", x, _row(graph, [float(entry.level) for entry in inputs]))
    by_level = graph.put("Cast", equal, to=_DOUBLE)
    value = graph.put("Where", _row(graph, [entry.level > 0 for entry in inputs], bool), by_level, x)
    value = graph.put("Where", gone, _row(graph, [entry.fill for entry in inputs]), value)
    flags = _row(graph, [entry.level == MISSING for entry in inputs], bool)
    value = graph.put("Where", flags, graph.put("Cast", gone, to=_DOUBLE), value)
    value = graph.put("Sub", value, _row(graph, [entry.center for entry in inputs]))
    value = graph.put("Div", value, _row(graph, [entry.scale for entry in inputs]))
    for operator, sign in (("Less", -1.0), ("Greater", 1.0)):
        reach = _row(graph, [sign * entry.reach for entry in inputs])
        value = graph.put("Where", graph.put(operator, value, reach), reach, value)
    return value


def _add_sums(graph: Graph, units: list[Unit], values: str, place: dict[int, int]) -> str:
    """Rows × units: the sums, one term of every unit at a time; what has no more terms adds 0 · 1."""
    longest = max(1, *(len(unit.terms) for unit in units))
    sources = np.zeros((longest, len(units)), np.int64)
    weights = np.zeros((longest, len(units)))
    for at, unit in enumerate(units):
        for number, (source, weight) in enumerate(unit.terms):
            sources[number, at], weights[number, at] = place[source], weight
    n_rows = graph.put("Slice", graph.put("Shape", values), graph.whole(0), graph.whole(1))
    shape = graph.put("Concat", n_rows, graph.whole(len(units)), axis=0)
    start = graph.put("Expand", graph.number(0.0), shape)
    parts = graph.constant(sources), graph.constant(weights)
    return graph.put("Scan", start, *parts, body=_one_term(graph, values, len(units)), num_scan_inputs=2)


def _one_term(graph: Graph, values: str, width: int) -> Any:
    """The body of the loop over terms; the values are those of the graph around it."""
    onnx = onnx_package()
    helper, kinds = onnx.helper, onnx.TensorProto
    body = Graph(f"{graph.prefix}term{len(graph.nodes)}/")
    total, source, weight, added = (f"{body.prefix}{name}" for name in ("total", "source", "weight", "added"))
    product = body.put("Mul", body.put("Gather", values, source, axis=1), weight)
    body.put_as("Add", [total, product], [added])
    inputs = [
        helper.make_tensor_value_info(total, kinds.DOUBLE, ["rows", width]),
        helper.make_tensor_value_info(source, kinds.INT64, [width]),
        helper.make_tensor_value_info(weight, kinds.DOUBLE, [width]),
    ]
    outputs = [helper.make_tensor_value_info(added, kinds.DOUBLE, ["rows", width])]
    return helper.make_graph(body.nodes, "term", inputs, outputs, body.tensors())


# ---------------------------------------------------------------- shapes


def _shaped(graph: Graph, units: list[Unit], sums: str) -> str:
    """What units make of their sums."""
    made = sums
    for shape in dict.fromkeys(unit.shape for unit in units):
        if shape in _SHAPES:
            mask = _row(graph, [unit.shape == shape for unit in units], bool)
            made = graph.put("Where", mask, _SHAPES[shape](graph, sums), made)
    if not any(unit.curve or unit.bells for unit in units):
        return made
    columns = [graph.put("Gather", made, graph.whole(at), axis=1) for at in range(len(units))]
    for at, unit in enumerate(units):
        if unit.curve:
            columns[at] = add_curve(graph, unit.curve, columns[at])
        elif unit.bells is not None:
            columns[at] = add_bells(graph, unit.bells, columns[at])
    return graph.put("Concat", *columns, axis=1)


def _scaled(
    graph: Graph, formula: Formula, units: list[Unit], made: str, values: str, places: dict[int, int], matrix: str
) -> str:
    """Times other units, over divisors, and 0 where a gate has no value."""
    if any(unit.times >= 0 for unit in units):
        factors = graph.whole(*(places[unit.times] if unit.times >= 0 else 0 for unit in units))
        product = graph.put("Mul", made, graph.put("Gather", values, factors, axis=1))
        made = graph.put("Where", _row(graph, [unit.times >= 0 for unit in units], bool), product, made)
    if any(unit.divisor != 1.0 for unit in units):
        made = graph.put("Div", made, _row(graph, [unit.divisor for unit in units]))
    if any(unit.gate >= 0 for unit in units):
        place = {column: at for at, column in enumerate(formula.used)}
        x = graph.put("Gather", matrix, graph.whole(*(place.get(unit.gate, 0) for unit in units)), axis=1)
        gated = _row(graph, [unit.gate >= 0 for unit in units], bool)
        made = graph.put("Where", graph.put("And", gated, graph.put("IsNaN", x)), graph.number(0.0), made)
    return made


def _relu(graph: Graph, x: str) -> str:
    zero = graph.number(0.0)
    return graph.put("Where", graph.put("Greater", x, zero), x, zero)


def _sigmoid(graph: Graph, x: str) -> str:
    half = graph.number(0.5)
    return graph.put("Add", graph.put("Mul", half, graph.put("Tanh", graph.put("Mul", half, x))), half)


def _expit(graph: Graph, x: str) -> str:
    one = graph.number(1.0)
    return graph.put("Div", one, graph.put("Add", one, add_exp(graph, graph.put("Neg", x))))


def _smooth_clip(graph: Graph, x: str) -> str:
    third = graph.put("Div", x, graph.number(CLIP))
    root = graph.put("Sqrt", graph.put("Add", graph.number(1.0), graph.put("Mul", third, third)))
    made = graph.put("Div", x, root)
    made = graph.put("Where", graph.put("Greater", x, graph.number(CLIP_FROM)), graph.number(CLIP), made)
    return graph.put("Where", graph.put("Less", x, graph.number(-CLIP_FROM)), graph.number(-CLIP), made)


_SHAPES: dict[str, Callable[[Graph, str], str]] = {
    "relu": _relu,
    "tanh": lambda graph, x: graph.put("Tanh", x),
    "sigmoid": _sigmoid,
    "expit": _expit,
    "square": lambda graph, x: graph.put("Mul", x, x),
    "exp": add_exp,
    "sin": lambda graph, x: graph.put("Sin", x),
    "cos": lambda graph, x: graph.put("Cos", x),
    "smooth_clip": _smooth_clip,
}


# ---------------------------------------------------------------- answers


def _put_answers(graph: Graph, formula: Formula, scores: str) -> None:
    if formula.labels is None:
        put_answers(graph, formula, scores)
        return
    if formula.link == "bayes":
        scores = _alike(graph, scores)
    answers = _linked(graph, formula, scores)
    if formula.label_by == "sign":
        above = graph.put("Cast", graph.put("Greater", scores, graph.number(0.0)), to=7)
        numbers = graph.put("Squeeze", above, graph.whole(1))
    else:
        numbers = graph.put("ArgMax", scores if formula.label_by == "sums" else answers, axis=1, keepdims=0)
    put_label(graph, formula, numbers)
    put_answers(graph, formula, add_correction(graph, formula.correction, answers, formula.n_answers))
    put_output(graph, formula, "scores", ("DOUBLE", len(formula.outputs)), "Identity", scores)


def _alike(graph: Graph, scores: str) -> str:
    """Naive Bayes: logarithms next to the highest count as it."""
    highest = graph.put("ReduceMax", scores, graph.whole(1), keepdims=1)
    less = graph.put("Mul", graph.number(ALIKE), graph.put("Abs", highest))
    near = graph.put("GreaterOrEqual", scores, graph.put("Sub", highest, less))
    return graph.put("Where", near, highest, scores)


def _linked(graph: Graph, formula: Formula, scores: str) -> str:
    """From scores to probabilities: rows × classes."""
    if formula.link in ("logistic", "logistic_pair"):
        second = _expit(graph, scores)
        pair = formula.link == "logistic_pair"
        first = _expit(graph, graph.put("Neg", scores)) if pair else graph.put("Sub", graph.number(1.0), second)
        return graph.put("Concat", first, second, axis=1)
    n = formula.n_answers
    if formula.link == "expit_shares":
        return _shares(graph, _expit(graph, scores), n)
    return softmax(graph, scores, n)


def _shares(graph: Graph, numbers: str, n: int) -> str:
    total = graph.put("Unsqueeze", last_of_cumulated(graph, numbers, 1, n), graph.whole(1))
    has_some = graph.put("Greater", total, graph.number(0.0))
    return graph.put("Where", has_some, graph.put("Div", numbers, total), graph.number(1.0 / n))

"""exp in ONNX by the steps of the model (`core/base/links.hpp`): the operator Exp has other last bits."""

from __future__ import annotations

import math

import numpy as np

from treewright.export.onnx.graph import Graph

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-1, 1.90821492927058770002e-10  # k times the first is exact
_LEAST, _MOST = -750.0, 712.0  # beyond them the answer is 0 or infinity
_POWERS = 550  # of 2, in both directions
_TERMS = 14


def add_exp(graph: Graph, x: str) -> str:
    """e to the power of x = k ln 2 + r: a series for r, then 2 to the power of k, in two steps as it may be tiny."""
    put, number = graph.put, graph.number
    gone = put("IsNaN", x)
    inside = put("Where", put("Less", x, number(_LEAST)), number(_LEAST), x)
    inside = put("Where", put("Greater", inside, number(_MOST)), number(_MOST), inside)
    inside = put("Where", gone, number(0.0), inside)
    k = put("Floor", put("Add", put("Mul", inside, number(math.log2(math.e))), number(0.5)))
    high, low = put("Sub", inside, put("Mul", k, number(_LN2_HIGH))), put("Mul", k, number(_LN2_LOW))
    r = put("Sub", high, low)
    rest = put("Sub", put("Sub", high, r), low)
    series = number(0.0)
    for n in range(_TERMS, 1, -1):  # 1/2 + r/6 + r²/24 + …
        series = put("Add", put("Mul", series, r), number(1.0 / math.factorial(n)))
    small = put("Add", rest, put("Mul", put("Mul", r, r), series))
    above = put("Add", r, small)  # exp(r) - 1; what its rounding loses is added at the end
    rounded = put("Add", number(1.0), above)
    lost = put("Sub", above, put("Sub", rounded, number(1.0)))
    power = put("Add", rounded, put("Add", lost, put("Sub", small, put("Sub", above, r))))
    half = put("Floor", put("Div", k, number(2.0)))
    for part in (half, put("Sub", k, half)):
        power = put("Mul", power, _power_of_two(graph, part))
    return put("Where", gone, x, power)


def _power_of_two(graph: Graph, k: str) -> str:
    table = graph.constant(np.ldexp(1.0, np.arange(-_POWERS, _POWERS + 1)))
    place = graph.put("Add", graph.put("Cast", k, to=7), graph.constant(np.array(_POWERS, np.int64)))
    return graph.put("Gather", table, place)

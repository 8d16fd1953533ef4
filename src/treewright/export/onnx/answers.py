"""From the nodes in which rows end to what the model answers, in ONNX: sums over trees, links, classes.

Numbers are added one after the other by CumSum, in the order of the model: a sum by another operator may have other
last bits.
"""

from __future__ import annotations

import math

import numpy as np

from treewright.export.onnx.exponential import add_exp
from treewright.export.onnx.graph import Graph
from treewright.export.program import Equation, Program, Term


def add_sums(graph: Graph, program: Program, nodes: str, matrix: str) -> str:
    """Give what all trees say, added up: rows × outputs. `nodes` are rows × trees."""
    starts = np.cumsum([0, *(tree.n_nodes for tree in program.trees[:-1])])[None, :].astype(np.int64)
    places = graph.put("Add", nodes, graph.constant(starts))
    width = program.trees[0].answers.shape[1]
    said = graph.put("Gather", graph.constant(_all_answers(program)), places)  # rows × trees × width
    if program.trees[0].equations:
        said = _equation_values(graph, program, places, said, matrix)
    if width == 1 and program.n_outputs > 1:  # tree i adds to output i modulo these
        said = graph.put("Reshape", said, graph.whole(0, len(program.trees) // program.n_outputs, program.n_outputs))
    return last_of_cumulated(graph, said, 1, len(program.trees) * width // program.n_outputs)


def last_of_cumulated(graph: Graph, parts: str, axis: int, length: int) -> str:
    """Add up along an axis, one after the other."""
    added = graph.put("CumSum", parts, graph.constant(np.array(axis, np.int64)))
    return graph.put("Gather", added, graph.constant(np.array(length - 1, np.int64)), axis=axis)


def _all_answers(program: Program) -> np.ndarray:
    """What all nodes of all trees say; where the sums start is in the first tree of each output."""
    tables = []
    for number, tree in enumerate(program.trees):
        answers = tree.answers
        if answers.shape[1] > 1 or program.n_outputs == 1:
            answers = answers + np.array(program.start) if number == 0 else answers
        elif number < program.n_outputs:
            answers = answers + program.start[number]
        tables.append(answers)
    return np.concatenate(tables)


def _equation_values(graph: Graph, program: Program, places: str, said: str, matrix: str) -> str:
    """What the equation of each node gives for the row, kept in its range; the node's own number where it is none."""
    place = {column: at for at, column in enumerate(program.used)}
    none = Equation(0.0, (), math.nan, math.nan)
    equations = [tree.equations.get(node, none) for tree in program.trees for node in range(tree.n_nodes)]
    own = graph.put("Squeeze", said, graph.whole(2))
    total = graph.put("Gather", graph.constant(np.array([e.intercept for e in equations])), places)
    nothing = Term(program.used[0], 0, 0.0, 0.0, 0.0)
    for number in range(max(len(e.terms) for e in equations)):
        terms = [e.terms[number] if number < len(e.terms) else nothing for e in equations]

        def of_node(values: list[float], kind: type = np.float64) -> str:
            return graph.put("Gather", graph.constant(np.array(values, dtype=kind)), places)

        x = graph.put("GatherElements", matrix, of_node([place[term.column] for term in terms], np.int64), axis=1)
        unknown = graph.put("Or", graph.put("IsNaN", x), graph.put("IsInf", x))
        weight, level = of_node([term.weight for term in terms]), of_node([float(term.level) for term in terms])
        by_level = graph.put("Where", graph.put("Equal", x, level), weight, graph.number(0.0))
        is_number = graph.put("Equal", level, graph.number(0.0))
        part = graph.put("Where", is_number, graph.put("Mul", weight, x), by_level)
        total = graph.put("Add", total, graph.put("Where", unknown, of_node([term.filler for term in terms]), part))
    total = graph.put("Where", graph.put("IsNaN", total), own, total)
    for bound, operator, other in (("lowest", "Less", -math.inf), ("highest", "Greater", math.inf)):
        limits = [getattr(e, bound) if not math.isnan(e.lowest) else other for e in equations]
        limit = graph.put("Gather", graph.constant(np.array(limits)), places)
        total = graph.put("Where", graph.put(operator, total, limit), limit, total)
    return graph.put("Unsqueeze", total, graph.whole(2))


# ---------------------------------------------------------------- links


def add_link(graph: Graph, program: Program, sums: str) -> str:
    """From sums to answers: rows × answers."""
    number = graph.number
    if program.link == "mean":
        return graph.put("Div", sums, number(float(len(program.trees))))
    if program.link == "exp":
        powers = add_exp(graph, sums)
        return graph.put("Where", graph.put("Less", sums, number(709.7)), powers, number(math.inf))
    if program.link == "softmax":
        return softmax(graph, sums, program.n_answers)
    if program.link == "logistic":
        powers = add_exp(graph, graph.put("Neg", sums))
        usual = graph.put("Div", number(1.0), graph.put("Add", number(1.0), powers))
        far = graph.put("Less", sums, number(-700.0))  # beyond what exp can say the other way round
        second = graph.put("Where", far, add_exp(graph, sums), usual)
        return graph.put("Concat", graph.put("Sub", number(1.0), second), second, axis=1)
    if program.link == "median":
        return _median(graph, program, sums)
    return _samme(graph, program, sums) if program.link == "samme" else sums


def _median(graph: Graph, program: Program, sums: str) -> str:
    """The smallest number so that the numbers up to it have half of all say; TopK keeps the order of equals."""
    n = len(program.trees)
    ordered, places = f"{graph.prefix}ordered", f"{graph.prefix}places"
    graph.put_as("TopK", [sums, graph.whole(n)], [ordered, places], axis=1, largest=0, sorted=1)
    says = graph.put("Gather", graph.constant(np.array(program.says)), places)
    below = graph.put("CumSum", says, graph.constant(np.array(1, np.int64)))
    total = graph.put("Gather", below, graph.whole(n - 1), axis=1)
    enough = graph.put("GreaterOrEqual", below, graph.put("Mul", graph.number(0.5), total))
    place = graph.put("ArgMax", graph.put("Cast", enough, to=6), axis=1, keepdims=1)
    return graph.put("GatherElements", ordered, place, axis=1)


def softmax(graph: Graph, numbers: str, n_answers: int) -> str:
    """The shares of powers of e; they are added one after the other."""
    most = graph.put("ReduceMax", numbers, graph.whole(1), keepdims=1)
    powers = add_exp(graph, graph.put("Sub", numbers, most))
    total = graph.put("Unsqueeze", last_of_cumulated(graph, powers, 1, n_answers), graph.whole(1))
    return graph.put("Div", powers, total)


def _samme(graph: Graph, program: Program, votes: str) -> str:
    """What AdaBoost's votes mean: a class gets its share of the say, less what chance would give."""
    number, n_answers = graph.number, program.n_answers
    others = float(n_answers - 1)
    if not others:
        return softmax(graph, graph.put("Mul", votes, number(0.0)), n_answers)
    share = graph.put("Div", graph.put("Mul", votes, number(float(n_answers))), number(program.all_votes))
    decision = graph.put("Div", graph.put("Sub", share, number(1.0)), number(others))
    if n_answers > 2:
        return softmax(graph, graph.put("Div", decision, number(others)), n_answers)
    first, second = (graph.put("Gather", decision, graph.whole(at), axis=1) for at in (0, 1))
    ahead = graph.put("Sub", second, first)
    halves = graph.put("Div", graph.put("Neg", ahead), number(2.0)), graph.put("Div", ahead, number(2.0))
    return softmax(graph, graph.put("Concat", *halves, axis=1), n_answers)


# ---------------------------------------------------------------- classes


def add_class_numbers(graph: Graph, program: Program, nodes: str, sums: str, answers: str) -> str:
    """Give the number of the class of each row: a list of whole numbers."""
    if program.label_by == "node":
        said = program.trees[0].labels
        assert said is not None
        of_row = graph.put("Squeeze", nodes, graph.whole(1))
        return graph.put("Gather", graph.constant(said.astype(np.int64)), of_row)
    if program.label_by == "sign":
        above = graph.put("Cast", graph.put("Greater", sums, graph.number(0.0)), to=7)
        return graph.put("Squeeze", above, graph.whole(1))
    return graph.put("ArgMax", sums if program.label_by == "sums" else answers, axis=1, keepdims=0)

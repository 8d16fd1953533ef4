"""The trees of a program as flat tables, node numbers running through all trees: what C, JavaScript and Python print.

The three languages share one small interpreter (`templates/`); its tables are the arrays here, by the same names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from treewright.export.correction import Correction
from treewright.export.program import Equation, NodeTable, Program, Term
from treewright.tree.stored import SPREADS


@dataclass
class FlatTables:
    """Arrays of whole numbers (`whole`) and of doubles (`real`), by name; and the sizes that a writer needs.

    Columns are numbered among those that are used. `fallback` is a node, -1 where a row ends, -2 - k where it goes down
    the pieces of list k.
    """

    whole: dict[str, list[int]] = field(default_factory=dict)
    real: dict[str, list[float]] = field(default_factory=dict)
    most_waiting: int = 1  # pieces of a row that wait at one time
    width: int = 1  # numbers that a node answers with


WHOLE = """
    root rule_start rule_kind rule_column rule_child fallback set_start set_code sum_start piece_start piece_child
    answer_of label_of equation_of equation_start term_column term_level
""".split()  # noqa: SIM905 - a list of words reads better as words
REAL = """
    rule_number sum_cut piece_share answer term_weight term_filler term_share equation_intercept equation_lowest
    equation_highest
""".split()  # noqa: SIM905


def flat_tables(program: Program) -> FlatTables:
    """Lay the trees of a program out.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> flat = flat_tables(program_of(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20])))
    >>> flat.whole["rule_child"], flat.real["rule_number"], flat.real["answer"]
    ([1, 2], [1.5, 1.5], [15.0, 10.0, 20.0])
    """
    flat = FlatTables({name: [] for name in WHOLE}, {name: [] for name in REAL})
    flat.width = max((tree.answers.shape[1] for tree in program.trees), default=1)
    for name in ("rule_start", "set_start", "sum_start", "piece_start", "equation_start"):
        flat.whole[name].append(0)
    place = {column: at for at, column in enumerate(program.used)}
    known: dict[tuple[float, ...], int] = {}
    for tree in program.trees:
        _add_tree(flat, tree, place, known)
        flat.most_waiting = max(flat.most_waiting, _most_waiting(tree))
    # Terms of sums stand first, those of equations behind them.
    for tree in program.trees:
        _add_equations(flat, tree, place)
    flat.real["says"] = list(program.says)
    whole, real = correction_tables(program.correction)
    flat.whole |= whole
    flat.real |= real
    return flat


def correction_tables(correction: Correction | None) -> tuple[dict[str, list[int]], dict[str, list[float]]]:
    """Lay a correction of probabilities out, by name: whole numbers and doubles."""
    correction = correction or Correction("")
    real = {f"correction_{name}": list(getattr(correction, name)) for name in ("added", "bias", "given", "answer")}
    return {"correction_start": list(correction.start or (0, 0))}, real


def correction_constants(correction: Correction | None) -> dict[str, Any]:
    """Give what the interpreters of JavaScript and Python know of a correction beside its tables."""
    correction = correction or Correction("")
    return {"CORRECTION": correction.kind, "SLOPE": correction.slope, "KEPT": correction.kept}


def _add_tree(flat: FlatTables, tree: NodeTable, place: dict[int, int], known: dict[tuple[float, ...], int]) -> None:
    whole, real = flat.whole, flat.real
    first, rules, sets, sums = (
        len(whole["fallback"]),
        len(whole["rule_kind"]),
        len(whole["set_start"]) - 1,
        len(real["sum_cut"]),
    )
    whole["root"].append(first)
    whole["rule_start"] += [rules + end for end in tree.rule_start[1:]]
    whole["rule_kind"] += tree.rule_kind
    whole["rule_column"] += [place.get(column, -1) for column in tree.rule_column]
    whole["rule_child"] += [first + child for child in tree.rule_child]
    offsets = {2: sets, 4: sums, 5: sums}
    numbers = zip(tree.rule_kind, tree.rule_number, strict=True)
    real["rule_number"] += [number + offsets.get(kind, 0) for kind, number in numbers]
    for codes in tree.sets:
        whole["set_code"] += codes
        whole["set_start"].append(len(whole["set_code"]))
    for terms, cut in tree.sums:
        _add_terms(flat, terms, place)
        real["sum_cut"].append(cut)
        whole["sum_start"].append(len(whole["term_column"]))
    for node, fallback in enumerate(tree.fallback):
        whole["fallback"].append(_flat_fallback(flat, tree, node, fallback, first))
    _add_answers(flat, tree, known)


def _flat_fallback(flat: FlatTables, tree: NodeTable, node: int, fallback: int, first: int) -> int:
    if fallback != SPREADS:
        return fallback + first if fallback >= 0 else -1
    for child, share in tree.pieces[node]:
        flat.whole["piece_child"].append(first + child)
        flat.real["piece_share"].append(share)
    flat.whole["piece_start"].append(len(flat.whole["piece_child"]))
    return -2 - (len(flat.whole["piece_start"]) - 2)


def _add_terms(flat: FlatTables, terms: tuple[Term, ...], place: dict[int, int]) -> None:
    for term in terms:
        flat.whole["term_column"].append(place[term.column])
        flat.whole["term_level"].append(term.level)
        flat.real["term_weight"].append(term.weight)
        flat.real["term_filler"].append(term.filler)
        flat.real["term_share"].append(term.share)


def _add_answers(flat: FlatTables, tree: NodeTable, known: dict[tuple[float, ...], int]) -> None:
    for answer in map(tuple, tree.answers.tolist()):
        at = known.setdefault(answer, len(known))
        if at * flat.width == len(flat.real["answer"]):
            flat.real["answer"] += answer
        flat.whole["answer_of"].append(at)
    if tree.labels is not None:
        flat.whole["label_of"] += tree.labels.tolist()


def _add_equations(flat: FlatTables, tree: NodeTable, place: dict[int, int]) -> None:
    starts = flat.whole["equation_start"]
    starts[0] = flat.whole["sum_start"][-1]
    for node in range(tree.n_nodes):
        equation: Equation | None = tree.equations.get(node)
        flat.whole["equation_of"].append(-1 if equation is None else len(starts) - 1)
        if equation is not None:
            _add_terms(flat, equation.terms, place)
            starts.append(len(flat.whole["term_column"]))
            flat.real["equation_intercept"].append(equation.intercept)
            bounded = not math.isnan(equation.lowest)
            flat.real["equation_lowest"].append(equation.lowest if bounded else -math.inf)
            flat.real["equation_highest"].append(equation.highest if bounded else math.inf)


def _most_waiting(tree: NodeTable) -> int:
    """How many pieces of one row wait at one time at most: branches not taken on the way down, and the one taken."""
    waiting = [1] * tree.n_nodes  # along the path to each node; a child stands behind its parent
    for node in range(tree.n_nodes):
        below = [tree.rule_child[rule] for rule in tree.rules(node)]
        pieces = tree.pieces.get(node, [])
        for child in [
            *below,
            *(child for child, _ in pieces),
            *([tree.fallback[node]] if tree.fallback[node] >= 0 else []),
        ]:
            waiting[child] = max(waiting[child], waiting[node] + max(0, len(pieces) - 1))
    return max(waiting, default=1)


def constants(program: Program, flat: FlatTables) -> dict[str, Any]:
    """Give what the interpreters of JavaScript and Python know beside the tables, by name."""
    return {
        "N_TREES": len(program.trees),
        "N_OUTPUTS": program.n_outputs,
        "N_ANSWERS": program.n_answers,
        "WIDTH": flat.width,
        "ALL_VOTES": program.all_votes,
        "LINK": program.link,
        "LABEL_BY": program.label_by,
        **correction_constants(program.correction),
    }

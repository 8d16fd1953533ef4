"""Rows that try a model where exports go wrong: at every cut, a hair below and above, at every level, without a value.

They are made from the routing program, not from data. For each node a row is built that arrives there, and then the
cell that the node asks for takes every value at which the answer could change.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.export.arriving_rows import (
    DATES,
    LARGEST_DATE,
    Cell,
    Region,
    Walk,
    arriving,
    inside,
    narrowed,
    walked,
)
from treewright.export.program import KNOWN, MEMBER, SUM_BELOW, Equation, NodeTable, Program
from treewright.table.schema import Column
from treewright.tree.stored import STOPS

STRANGE_TEXTS = ("", "no such level", 'it\'s "odd"', "back\\slash", "line\nend", "emoji 🌳", " ")
_LEAST_OF_A_TREE = 20  # of many trees some are tried at their cuts; every row goes through all of them
_DRAWN = 400  # rows of a tree with weighted sums
_PER_TERM = 60  # rows of a term of an equation
_MOST_LEVELS = 60  # of one node; a column of a million levels needs not all of them at each
_FEW_LEVELS = 12  # of one node of many trees
_MOST_MADE = 400_000  # rows that are made before they are chosen from


def probes(program: Program, most: int = 20_000) -> list[list[Cell]]:
    """Give rows of cells, in the order of the columns that the program uses; at most so many, spread over the trees.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> program = program_of(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]))
    >>> [row[0] for row in probes(program)][:4]
    [None, 1.5, 1.4999999999999998, 1.5000000000000002]
    """
    place = {column: at for at, column in enumerate(program.used)}
    each = max(_LEAST_OF_A_TREE, most // max(1, len(program.trees)))
    made = (
        row
        for tree in program.trees[:: max(1, -(-len(program.trees) * each // most))]
        for row in islice(_tree_probes(program, tree, place, each), each)
    )
    return list(_different(program, made).values()) or [[None] * len(place)]


def probes_of_all_nodes(program: Program, most: int) -> tuple[list[list[Cell]], float]:
    """Give the fewest rows that show a change of any test of all trees, and their share where they are too many.

    Of a number: its cut and the next double above; of levels each, up to a dozen; and no value.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> program = program_of(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]))
    >>> probes_of_all_nodes(program, 20)
    ([[1.5], [1.5000000000000002], [None]], 1.0)
    """
    place = {column: at for at, column in enumerate(program.used)}
    walks = [(tree, walked(program, tree)) for tree in program.trees]
    nodes = [(tree, walk, node) for tree, walk in walks for node in range(tree.n_nodes) if tree.rules(node)]
    nodes = [(tree, walk, node) for tree, walk, node in nodes if walk.regions[node] is not None]
    looked = _evenly(nodes, _MOST_MADE // 4)
    made = (row for tree, walk, node in looked for row in _fewest_probes(program, tree, node, walk, place))
    rows = list(islice(_different(program, made).values(), _MOST_MADE))
    chosen = _evenly(rows, most)
    if not nodes:  # a tree of a lone leaf asks for nothing
        return chosen, 1.0
    return chosen, len(looked) / max(1, len(nodes)) * len(chosen) / max(1, len(rows))


def _evenly(items: list[Any], most: int) -> list[Any]:
    return [items[len(items) * i // most] for i in range(most)] if len(items) > most else items


def _different(program: Program, made: Iterable[list[Cell]]) -> dict[tuple[Any, ...], list[Cell]]:
    """Rows that the model takes, each once."""
    columns = [program.columns[at] for at in program.used]
    rows: dict[tuple[Any, ...], list[Cell]] = {}
    for row in made:
        taken = row if program.takes_missing else without_holes(columns, row, program.takes_unknown)
        if taken is not None:
            rows.setdefault(row_key(taken), taken)
    return rows


def _fewest_probes(
    program: Program, tree: NodeTable, node: int, walk: Walk, place: dict[int, int]
) -> Iterator[list[Cell]]:
    rules = tree.rules(node)
    asked = {tree.rule_column[rule] for rule in rules}
    if len(asked) > 1 or -1 in asked:  # surrogates, weighted sums
        yield from _node_probes(program, tree, node, walk, place)
        return
    (column,) = asked
    row, cells = arriving(program, walk.regions[node] or {}, place, node), dict[Cell, None]()
    for rule in rules:
        cells |= dict.fromkeys(_fewest_cells(program.columns[column], tree, rule))
    for cell in (*cells, None):
        yield [cell if at == column else other for at, other in zip(place, row, strict=True)]


def _fewest_cells(column: Column, tree: NodeTable, rule: int) -> list[Cell]:
    kind, number = tree.rule_kind[rule], tree.rule_number[rule]
    if column.kind != "numeric":
        levels = _levels_at(column, number if kind not in (MEMBER, KNOWN) else math.nan)
        return _evenly(levels, _FEW_LEVELS)
    if math.isnan(number):
        return [0.0]
    if column.value_type in DATES:
        return date_cells(column.value_type, number)[:2]
    return [number, math.nextafter(number, math.inf)]


def some_cell(column: Column) -> Cell:
    """Give a value that a column may have.

    >>> some_cell(Column("age", "numeric")), some_cell(Column("job", "nominal", "text", ("cook", "judge")))
    (0.0, 'cook')
    """
    return inside(column, Region())


def without_holes(columns: list[Column], row: list[Cell], takes_unknown: bool = False) -> list[Cell] | None:
    """Give the row with a value for every one that is missing; None where it has a level that the model refuses."""
    full = [some_cell(column) if cell is None else cell for column, cell in zip(columns, row, strict=True)]
    known = all(column.kind == "numeric" or cell in column.levels for column, cell in zip(columns, full, strict=True))
    return full if known or takes_unknown else None


def row_key(row: list[Cell]) -> tuple[Any, ...]:
    """What tells a row from others: 0.0 and -0.0 are two, and so are 1 and True."""
    return tuple(
        (type(cell), struct.pack("<d", cell)) if isinstance(cell, float) else (type(cell), cell) for cell in row
    )


def _tree_probes(program: Program, tree: NodeTable, place: dict[int, int], most: int) -> Iterator[list[Cell]]:
    """The probes of one tree: first every node's own cells, so that a limit leaves out the least worth."""
    yield [None] * len(place)
    walk = walked(program, tree)
    nodes = [node for node in range(tree.n_nodes) if tree.rules(node) and walk.regions[node] is not None]
    if len(nodes) * 8 > most:  # evenly spread over the tree
        nodes = [nodes[i] for i in np.linspace(0, len(nodes) - 1, max(1, most // 8)).astype(int).tolist()]
    for node in nodes:
        yield from _node_probes(program, tree, node, walk, place)
    for node in nodes:
        yield from _later_rule_probes(program, tree, node, walk, place)
    if len(program.trees) > 1:
        yield from _leaf_probes(program, tree, walk, place)
    if tree.sums or tree.equations:
        yield from _drawn(program, place, _DRAWN, np.random.default_rng(0))
    if tree.equations:
        yield from _equation_probes(program, tree, walk, place, most)


def _drawn(program: Program, place: dict[int, int], n: int, rng: np.random.Generator) -> Iterator[list[Cell]]:
    """Rows drawn at random: what weighted sums and equations make of a row is not told column by column."""
    pools: list[list[Cell]] = []
    for column in (program.columns[at] for at in place):
        if column.kind == "numeric":
            sizes = (rng.normal(size=40) * rng.choice([0.1, 1.0, 10.0, 1e4], 40)).tolist()
            pools.append([None, 0.0, *(map(math.floor, sizes) if column.value_type in DATES else sizes)])
        else:
            pools.append([None, *column.levels[:_MOST_LEVELS]])
    for _ in range(n):
        yield [pool[rng.integers(len(pool))] for pool in pools]


def _node_probes(
    program: Program, tree: NodeTable, node: int, walk: Walk, place: dict[int, int]
) -> Iterator[list[Cell]]:
    base = arriving(program, walk.regions[node] or {}, place, node)
    gone: set[int] = set()  # columns that have no value, so that later rules (surrogates) are asked
    for rule in tree.rules(node):
        if tree.rule_kind[rule] >= SUM_BELOW:
            yield from _sum_probes(program, tree, int(tree.rule_number[rule]), base, place)
            continue
        column = tree.rule_column[rule]
        row = list(base)
        for earlier in gone - {column}:
            row[place[earlier]] = None
        for cell in _cells(program.columns[column], tree, rule):
            row[place[column]] = cell
            yield list(row)
        gone.add(column)


def _later_rule_probes(
    program: Program, tree: NodeTable, node: int, walk: Walk, place: dict[int, int]
) -> Iterator[list[Cell]]:
    """Rows of a node with surrogates: each rule is asked while a later one would send the row to its own branch."""
    here = walk.regions[node] or {}
    base = arriving(program, here, place, node)
    rules = [rule for rule in tree.rules(node) if tree.rule_kind[rule] < SUM_BELOW]
    for n_before, later in enumerate(rules):
        column = tree.rule_column[later]
        before = [rule for rule in rules[:n_before] if tree.rule_column[rule] != column]
        region = (narrowed(tree, later, here) or {}).get(column, Region())
        if not before or region.missing or region.low >= region.high:
            continue
        gone = {tree.rule_column[rule] for rule in before}
        row = [None if at in gone else cell for at, cell in zip(place, base, strict=True)]
        row[place[column]] = inside(program.columns[column], region)
        for rule in before:
            asked = tree.rule_column[rule]
            for cell in _cells(program.columns[asked], tree, rule):
                yield [cell if at == asked else other for at, other in zip(place, row, strict=True)]


def _leaf_probes(program: Program, tree: NodeTable, walk: Walk, place: dict[int, int]) -> Iterator[list[Cell]]:
    """Rows of each leaf with the cells of all tests above it: two leaves of one row may answer alike in a sum."""
    parents = {tree.rule_child[rule]: node for node in range(tree.n_nodes) for rule in tree.rules(node)}
    for leaf in range(tree.n_nodes):
        regions = walk.regions[leaf]
        if regions is None or tree.rules(leaf):
            continue
        base, node = arriving(program, regions, place, leaf), leaf
        while (node := parents.get(node, -1)) >= 0:
            asked = {tree.rule_column[rule]: rule for rule in tree.rules(node) if tree.rule_kind[rule] < SUM_BELOW}
            for column, rule in asked.items():
                for cell in _cells(program.columns[column], tree, rule):
                    yield [cell if at == column else other for at, other in zip(place, base, strict=True)]


def _cells(column: Column, tree: NodeTable, rule: int) -> list[Cell]:
    kind, number = tree.rule_kind[rule], tree.rule_number[rule]
    if column.kind != "numeric":
        return [
            *_levels_at(column, number if kind not in (MEMBER, KNOWN) else math.nan),
            *unknown_levels(column),
            None,
        ]
    if column.value_type in DATES:
        return [*date_cells(column.value_type, 0.0 if math.isnan(number) else number), None]
    around = () if math.isnan(number) else (*_around(number), *_around32(number))
    return [*around, 0.0, -0.0, math.inf, -math.inf, None]


def _around(number: float) -> tuple[float, float, float]:
    return number, math.nextafter(number, -math.inf), math.nextafter(number, math.inf)


def _around32(number: float) -> list[float]:
    """The float32 nearest to a number, and its neighbours: what tools that compute in float32 would compare with."""
    with np.errstate(over="ignore"):
        near = np.float32(number)
        found = (near, np.nextafter(near, np.float32(-np.inf)), np.nextafter(near, np.float32(np.inf)))
    return [float(value) for value in found if np.isfinite(value)]


def date_cells(value_type: str, number: float) -> list[float]:
    """Give the days or microseconds next to a number that a column of dates may hold."""
    lowest, highest = _dates_between(value_type)
    below = math.floor(min(max(number, -highest), highest))
    return [float(min(max(day, lowest), highest)) for day in (below, below + 1, below - 1, 0)]


def whole_dates(value_type: str, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the first of `date_cells` of each number."""
    lowest, highest = _dates_between(value_type)
    return np.asarray(np.clip(np.floor(np.clip(numbers, -highest, highest)), lowest, highest))


def _dates_between(value_type: str) -> tuple[int, int]:
    """The first and the last day or microsecond that a column of dates may hold."""
    highest = LARGEST_DATE[value_type]
    return 0 if value_type == "time" else -highest, highest


def _levels_at(column: Column, cut: float) -> list[Cell]:
    levels = list(column.levels)
    if len(levels) <= _MOST_LEVELS:
        return levels
    at = 0 if math.isnan(cut) else min(len(levels) - 1, max(0, math.floor(cut) - 1))
    near = levels[max(0, at - 2) : at + 3]
    return [*near, *(levels[i] for i in np.linspace(0, len(levels) - 1, _MOST_LEVELS).astype(int).tolist())]


def unknown_levels(column: Column) -> list[Cell]:
    """Give levels that a column does not have."""
    if all(isinstance(level, str) for level in column.levels):
        return [text for text in STRANGE_TEXTS if text not in column.levels]
    if any(isinstance(level, bool) for level in column.levels):
        return []
    return [max(level for level in column.levels if not isinstance(level, str)) + 1]


def _sum_probes(
    program: Program, tree: NodeTable, at: int, base: list[Cell], place: dict[int, int]
) -> Iterator[list[Cell]]:
    """Rows at which a weighted sum is its cut, or nearly: solved for one column after the other."""
    terms, cut = tree.sums[at]
    row = list(base)
    for term in terms:
        if row[place[term.column]] is None:
            row[place[term.column]] = 0.0 if term.level == 0 else program.columns[term.column].levels[0]
    for term in terms:
        here, column = place[term.column], program.columns[term.column]
        tried = _levels_at(column, math.nan) if term.level else _solved(program, terms, term, cut, row, place)
        for cell in [*tried, None]:
            yield [cell if i == here else other for i, other in enumerate(row)]


def _solved(
    program: Program, terms: Any, wanted: Any, cut: float, row: list[Cell], place: dict[int, int]
) -> list[float]:
    rest = 0.0
    for term in terms:
        cell = row[place[term.column]]
        if term is wanted or cell is None:
            continue
        column = program.columns[term.column]
        code = cell if column.kind == "numeric" else column.levels.index(cell) + 1
        rest += term.weight * code if term.level == 0 else term.weight if code == term.level else 0.0
    solution = (cut - rest) / wanted.weight if wanted.weight else 0.0
    if not math.isfinite(solution):
        return [0.0]
    width = max(1e-9, abs(solution) * 1e-9)
    return [*_around(solution), solution - width, solution + width]


def _equation_probes(
    program: Program, tree: NodeTable, walk: Walk, place: dict[int, int], most: int
) -> Iterator[list[Cell]]:
    """Rows at which a leaf answers with its equation and not with a bound, for each of its terms.

    They are drawn, and one number is solved for: large terms that nearly cancel show the last bit of each weight.
    """
    rng = np.random.default_rng(1)
    nodes = [node for node in tree.equations if tree.fallback[node] == STOPS and walk.regions[node] is not None]
    n_terms = sum(1 + len(tree.equations[node].terms) for node in nodes)
    each = max(2, min(_PER_TERM, most // max(1, n_terms)))
    for node in nodes:
        equation = tree.equations[node]
        for shown in (None, *equation.terms):
            for row in _drawn(program, place, each, rng):
                _move_into(program, walk.regions[node] or {}, row, place)
                if shown is not None and shown.level:
                    row[place[shown.column]] = program.columns[shown.column].levels[shown.level - 1]
                _solve_equation(program, equation, row, place, rng)
                yield row


def _move_into(program: Program, regions: dict[int, Region], row: list[Cell], place: dict[int, int]) -> None:
    for column, region in regions.items():
        cell = row[place[column]]
        is_number = program.columns[column].kind == "numeric" and cell is not None
        if not is_number or region.missing or not region.low < cell <= region.high:
            row[place[column]] = None if region.missing else inside(program.columns[column], region)


def _solve_equation(
    program: Program, equation: Equation, row: list[Cell], place: dict[int, int], rng: np.random.Generator
) -> None:
    """Choose a number of the row so that the equation lies between its bounds."""
    columns = program.columns
    numbers = [
        t for t in equation.terms if columns[t.column].kind == "numeric" and columns[t.column].value_type not in DATES
    ]
    if not numbers:
        return
    low, high = (
        bound if math.isfinite(bound) else way for bound, way in ((equation.lowest, -1e9), (equation.highest, 1e9))
    )
    nearest = min(max(0.0, low), high)  # to 0: a small sum shows more bits of its terms
    share = float(rng.random()) ** int(rng.choice([1, 8]))
    goal = nearest + ((low, high)[int(rng.integers(2))] - nearest) * share
    wanted = numbers[int(rng.integers(len(numbers)))]
    row[place[wanted.column]] = _solved(program, equation.terms, wanted, goal - equation.intercept, row, place)[0]

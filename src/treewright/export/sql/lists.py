"""Large trees as lists of steps, for an engine that takes seconds to plan a CASE of as many branches.

A row begins at step 0 and takes as many steps as the longest way has: where its cell has no value, is at most the cut
(or one of the levels), or is not. The lists are queries of their own, so that the engine reads each of them once.
"""

from __future__ import annotations

import math

from treewright.export.program import Program
from treewright.export.steps import Steps, longest_way, steps_of

FEW_NODES = 200  # of a tree that stays a CASE, which people can read and which is planned as quickly
MOST_MEMBERS = 200_000  # of sets of levels


def listed_steps(program: Program) -> dict[int, Steps]:
    """Give the steps of the trees that are to be lists: large ones without weighted sums or rows in pieces.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> listed_steps(program_of(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20])))
    {}
    """
    plain = [
        at for at, tree in enumerate(program.trees) if tree.n_nodes > FEW_NODES and not tree.sums and not tree.pieces
    ]
    if not plain:
        return {}
    steps = steps_of(program)
    return {at: steps[at] for at in plain if len(_members(program, steps[at])[1]) <= MOST_MEMBERS}


def cells_as_list(program: Program) -> str:
    """The cells of a row, side by side."""
    return f"array({', '.join(f'CAST(x{column} AS DOUBLE)' for column in program.used)}) AS xs"


def lists(program: Program, tree: int, steps: Steps) -> list[str]:
    """The lists of a tree as columns."""
    below = [no if above else yes for yes, no, above in zip(steps.yes, steps.no, steps.above, strict=True)]
    others = [yes if above else no for yes, no, above in zip(steps.yes, steps.no, steps.above, strict=True)]
    whole = {"c": steps.column, "m": steps.missing, "y": below, "n": others, "e": [max(end, 0) for end in steps.ends]}
    starts, members = _members(program, steps)
    if members:
        whole |= {"s": starts, "l": members}
    cuts = ",".join("Infinity" if math.isinf(number) else repr(float(number)) for number in steps.number)
    columns = [_list(",".join(map(str, numbers)), "INT", f"t{tree}{name}") for name, numbers in whole.items()]
    return [*columns, _list(cuts, "DOUBLE", f"t{tree}t")]


def _list(numbers: str, kind: str, name: str) -> str:
    return f"(SELECT CAST(split('{numbers}', ',') AS ARRAY<{kind}>)) AS {name}"


def last_node(tree: int, steps: Steps) -> str:
    """The node in which a row ends."""
    cell = f"xs[t{tree}c[s]]"
    cases = [f"WHEN {cell} IS NULL THEN t{tree}m[s]"]
    if any(codes is not None for codes in steps.codes):
        is_member = f"t{tree}l[t{tree}s[s] + CAST({cell} AS INT)] = 1"
        cases.append(f"WHEN t{tree}s[s] >= 0 THEN CASE WHEN {is_member} THEN t{tree}y[s] ELSE t{tree}n[s] END")
    cases.append(f"WHEN {cell} <= t{tree}t[s] THEN t{tree}y[s]")
    step = f"CASE {' '.join(cases)} ELSE t{tree}n[s] END"
    return f"t{tree}e[aggregate(sequence(1, {longest_way(steps)}), 0, (s, i) -> {step})]"


def _members(program: Program, steps: Steps) -> tuple[list[int], list[int]]:
    """Where the set of each step begins (-1: none), and of every set for each level, from code 1, whether it is in."""
    starts, members = [-1] * len(steps.codes), list[int]()
    for at, codes in enumerate(steps.codes):
        if codes is not None:
            starts[at] = len(members)
            n_levels = len(program.columns[program.used[steps.column[at]]].levels)
            members += [0, *(int(code in codes) for code in range(1, n_levels + 1))]
    return starts, members

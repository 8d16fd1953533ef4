"""Time of a counted tree against rows and workers: task costs that are measured here, and a model that adds them up.

`python -m benchmarks.growth` measures on this machine and prints the table. The model of a level, which is asked twice:

    rows / workers · columns · cell + part       workers look at their rows, all at the same time
  + (workers + workers / 15) · task              the scheduler starts a task a worker, and those that join answers
  + rounds · 16 · nodes · answer / network       answers meet by sixteens, in rounds: the logarithm of the workers
  + nodes · (rounds · 16 · join + decide)        they are added up, and the driver reads one

Level l has 2^l nodes. What the core decides is left out: it is the same wherever the rows are.

`task` and `network` are no measurements of this machine: a millisecond a task is what Dask says of itself, and a
gigabyte a second a network of ten gigabits. Both can be given.
"""

from __future__ import annotations

import argparse
import math
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from treewright.sources.batches import EncodedRows, _count
from treewright.sources.grow_from_counts import single_node
from treewright.sources.partial_counts import PartialCounts
from treewright.sources.questions import Plan, Routing
from treewright.table.schema import Column, Schema

_COLUMNS, _CELLS, _LEVELS, _TOGETHER = 20, 255, 8, 16
_ROWS = (2_000, 42_000)  # the two sizes whose difference is the cost of a row
_MILLIONS = (1, 2, 5, 10, 20, 50)
_WORKERS = (1, 2, 4, 16, 64, 256, 1000)


@dataclass(frozen=True)
class Costs:
    """Seconds, and bytes of an answer, of a question about one node; the network in bytes a second."""

    cell: float  # a row in a column
    part: float
    answer: float  # bytes
    join: float  # one answer added to others
    decide: float
    task: float = 1e-3
    network: float = 1e9


@dataclass(frozen=True)
class Times:
    """The parts of the time of a tree, in seconds."""

    rows: float
    scheduler: float
    network: float
    adding: float

    def plus(self, other: Times) -> Times:
        """Of both, one after the other."""
        names = ("rows", "scheduler", "network", "adding")
        return Times(*(getattr(self, name) + getattr(other, name) for name in names))

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.rows + self.scheduler + self.network + self.driver

    @property
    def limit(self) -> str:
        """What takes longest."""
        return max(("rows", "scheduler", "network", "adding"), key=lambda name: getattr(self, name))


def of_level(costs: Costs, rows: int, workers: int, nodes: int = 1) -> Times:
    """The time of a level: two questions.

    Examples
    --------
    >>> costs = Costs(cell=1e-8, part=0.0, answer=1e6, join=0.0, decide=0.0)
    >>> of_level(costs, 1_000_000, 1)
    Times(rows=0.4, scheduler=0.002, network=0.0, adding=0.0)
    >>> [of_level(costs, 1_000_000, 16, nodes).limit for nodes in (1, 8)]
    ['scheduler', 'network']
    """
    rounds = math.ceil(math.log(workers, _TOGETHER)) if workers > 1 else 0
    tasks = workers + (workers // (_TOGETHER - 1) if workers > 1 else 0)
    met = rounds * min(workers, _TOGETHER)
    return Times(
        rows=2 * (rows / workers * _COLUMNS * costs.cell + costs.part),
        scheduler=2 * tasks * costs.task,
        network=2 * met * nodes * costs.answer / costs.network,
        adding=2 * nodes * (met * costs.join + costs.decide),
    )


def of_tree(costs: Costs, rows: int, workers: int) -> Times:
    """The time of all levels."""
    return reduce(Times.plus, (of_level(costs, rows, workers, 2**depth) for depth in range(_LEVELS)))


def measure() -> Costs:
    """Measure what a question costs on this machine, in seconds of processor time."""
    plan = _plan()
    routing = Routing(*single_node(plan), (0,))
    few, many = (_rows(plan, n) for n in _ROWS)
    short, long = (_seconds(lambda rows=rows: _count(rows, plan, routing, (0,), True)) for rows in (few, many))
    cell = (long - short) / (_ROWS[1] - _ROWS[0]) / _COLUMNS
    answer = _count(many, plan, routing, (0,), True)
    join = _seconds(lambda: PartialCounts.together([answer] * _TOGETHER)) / _TOGETHER
    return Costs(
        cell=cell,
        part=max(0.0, short - cell * _ROWS[0] * _COLUMNS),
        answer=float(len(pickle.dumps(answer))),
        join=join,
        decide=_seconds(answer.whole),
    )


def _plan() -> Plan:
    schema = Schema(tuple(Column(f"x{j}", "numeric") for j in range(_COLUMNS)), "y")
    edges = np.append(np.linspace(-3, 3, _CELLS - 1), np.inf)
    facts = {"n_counted": _ROWS[1], "n_rows": _ROWS[1], "all_one": True, "total": 0.0, "largest": 0.0}
    facts |= {"whole_shift": 0, "has_numbers": False, "rates": False, "low": 0.0, "high": 0.0}
    return Plan(schema, "y", None, np.array([0, 1]), None, facts, (edges,) * _COLUMNS)


def _rows(plan: Plan, n: int) -> EncodedRows:
    rng = np.random.default_rng(n)
    columns = list(rng.normal(size=(_COLUMNS, n)))
    cells = [np.searchsorted(plan.edges[0], values).astype(np.uint8) + np.uint8(1) for values in columns]
    return EncodedRows(columns, rng.integers(0, 2, n).astype(np.int32), None, cells)


def _seconds(work: Callable[[], object], times: int = 5) -> float:
    """The least processor time of some tries: whatever else runs on the machine only adds to it."""
    found = []
    for _ in range(times):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def table(costs: Costs) -> str:
    """Seconds of a tree of eight levels, by millions of rows and workers, each with what takes longest."""
    lines = [" ".join([f"{'rows':>6}", *(f"{workers:>15,}" for workers in _WORKERS)])]
    for millions in _MILLIONS:
        found = [of_tree(costs, millions * 10**6, workers) for workers in _WORKERS]
        cells = (f"{one.seconds:>5.1f} {one.limit:<9}" for one in found)
        lines.append(" ".join([f"{millions:>5}M", *cells]))
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("python -m benchmarks.growth", description=__doc__.partition("\n")[0])
    parser.add_argument("--task", type=float, default=1e-3, help="seconds that the scheduler takes for a task")
    parser.add_argument("--network", type=float, default=1e9, help="bytes a second")
    asked = parser.parse_args()
    costs = replace(measure(), task=asked.task, network=asked.network)
    print(f"{costs.cell * 1e9:.1f} ns a row and column, {costs.part * 1e3:.2f} ms a question and part;")
    print(
        f"an answer is {costs.answer / 1e3:.0f} kB, {costs.join * 1e3:.2f} ms to add, {costs.decide * 1e3:.2f} to read;"
    )
    print(f"{costs.task * 1e3:g} ms a task, {costs.network / 1e9:g} GB a second.\n")
    print(f"Seconds of a tree of {_LEVELS} levels, {_COLUMNS} columns, and what takes longest, by workers:")
    print(table(costs))


if __name__ == "__main__":
    main()

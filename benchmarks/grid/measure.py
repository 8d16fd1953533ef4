"""Measure one cell in this process: `python -m benchmarks.grid.measure '{"learner": "tree", …}'` prints a line of JSON.

The contestants take turns, so that what else the machine does disturbs them alike; the smallest CPU time of each counts
(of wall time on two threads).
"""

from __future__ import annotations

import gc
import json
import sys
import time
import warnings
from typing import Any

from benchmarks.grid.cells import Cell
from benchmarks.grid.fits import Fit, fits, loss
from benchmarks.grid.tables import make

MOST_REPEATS = 9
# A contestant that took so many seconds in all is not asked again.
ENOUGH_SECONDS = 1.5
WARM_UP_ROWS = 300


def main() -> None:
    """Read the cell from the command line, print what was measured."""
    warnings.filterwarnings("ignore")
    print(json.dumps(measure(Cell(**json.loads(sys.argv[1])))))


def measure(cell: Cell) -> dict[str, Any]:
    """Give the seconds of each contestant and its loss on rows not seen.

    >>> sorted(measure(Cell("tree", 2, 0.0, 500, "float32")))
    ['losses', 'seconds']
    """
    data, contestants = make(cell), fits(cell)
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    losses: dict[str, float] = {}
    for fit in contestants.values():  # imports and the start of threads are no part of a fit
        fit(data.X[:WARM_UP_ROWS], data.y[:WARM_UP_ROWS])
    for _ in range(MOST_REPEATS):
        for name, fit in contestants.items():
            if sum(seconds[name]) < ENOUGH_SECONDS:
                spent, answers = _timed(fit, data.X, data.y, cell.threads)
                seconds[name].append(spent)
                losses.setdefault(name, loss(answers(data.X_test), data.y_test))
    return {"seconds": {name: min(found) for name, found in seconds.items()}, "losses": losses}


def _timed(fit: Fit, X: Any, y: Any, threads: int) -> tuple[float, Any]:
    gc.collect()
    clock = time.perf_counter if threads > 1 else time.process_time
    start = clock()
    answers = fit(X, y)
    return clock() - start, answers


if __name__ == "__main__":
    main()

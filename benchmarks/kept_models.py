"""Fitted peers in the cache, so that the lines on prediction need not wait for their fit a second time.

The file name holds the version of the library, so an upgrade is measured afresh. Our own tree is never kept.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from benchmarks.contestants import Contestant
from benchmarks.data import CACHE, GENERATION
from benchmarks.lines import Task


def keep(contestant: Contestant, task: Task) -> None:
    """Put the fitted model into the cache, if this contestant allows it."""
    if contestant.keeps_model:
        path = _path(contestant, task)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps((contestant.model, contestant.levels)))


def recall(contestant: Contestant, task: Task) -> bool:
    """Take the fitted model from the cache; false if there is none."""
    if not contestant.keeps_model or not _path(contestant, task).exists():
        return False
    contestant.model, contestant.levels = pickle.loads(_path(contestant, task).read_bytes())
    return True


def _path(contestant: Contestant, task: Task) -> Path:
    fit = replace(task, predict_rows=0, explain_rows=0)
    ensemble = "" if fit.trees == 1 else f"_{fit.trees}_{fit.leaves}"
    shape = f"{fit.data}_{fit.max_depth}_{fit.min_samples_leaf}{ensemble}".replace(":", "_")
    library = f"{contestant.learner}_{version(contestant.learner)}_{contestant.method}"
    return CACHE / "models" / f"{library}_{shape}.{GENERATION}.pickle"

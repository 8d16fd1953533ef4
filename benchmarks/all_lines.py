"""Every line of the final table, in its order, and those that a run asks for."""

from __future__ import annotations

from benchmarks.data import why_missing
from benchmarks.ensemble_lines import ENSEMBLES
from benchmarks.linear_lines import LINEAR
from benchmarks.lines import CLASSIC, OTHERS, TREES, Line, Slope
from benchmarks.logistic_lines import LOGISTIC_LINES
from benchmarks.near_lines import NEAR
from benchmarks.network_lines import NETWORKS
from benchmarks.roster import CONTESTANTS

GROUPS = ("tree", "classic", "predict", "memory", "levels", "scaling", "ensembles", "beside")
LINES: list[Line | Slope] = [*TREES, *CLASSIC, *OTHERS, *ENSEMBLES, *NETWORKS, *LINEAR, *LOGISTIC_LINES, *NEAR]


def unknown_contestants() -> list[str]:
    """Give the titles in lines that no contestant has.

    >>> unknown_contestants()
    []
    """
    titles = {title for line in LINES if isinstance(line, Line) for title in line.contestants}
    return sorted(titles - set(CONTESTANTS))


def chosen(groups: list[str], quick: bool, part_of_title: str = "") -> list[Line | Slope]:
    """Give the lines of these groups (of all groups if none is named), on small tables if it has to be quick.

    >>> [line.title for line in chosen(["levels"], quick=False)]
    ['depth 6, a column of 1,000 levels']
    """
    lines = [line for line in LINES if (not groups or line.group in groups) and part_of_title in line.title]
    return [line.small() for line in lines] if quick else lines


def without_data(lines: list[Line | Slope]) -> dict[Line | Slope, str]:
    """Give the lines whose table cannot be had here, each with the reason."""
    reasons = {line: [why_missing(task.data) for task in line.tasks()] for line in lines}
    return {line: reason for line, found in reasons.items() for reason in found if reason is not None}

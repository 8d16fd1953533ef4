"""From records to the rows of the final table: ratio to treewright, the bar, reached or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from benchmarks.lines import OURS, AsAccurate, AsGood, AtMost, Bar, Line, Slope
from benchmarks.results import Record, Results
from benchmarks.roster import CONTESTANTS, at_both_levels

REACHED, MISSED = "reached", "MISSED"


@dataclass(frozen=True)
class Row:
    """One row of the final table, as text."""

    work: str
    contestant: str
    value: str
    accuracy: str = ""
    ratio: str = ""
    bar: str = ""
    verdict: str = ""


def rows(lines: list[Line | Slope], results: Results) -> list[Row]:
    """Give the rows of every line that was measured."""
    return [
        row
        for line in lines
        for row in ([_slope_row(line, results)] if isinstance(line, Slope) else _line_rows(line, results))
    ]


def _line_rows(line: Line, results: Results) -> list[Row]:
    records = {title: results.get(line.task, title) for title in at_both_levels(line.contestants)}
    return [_row(line, title, record, records[_our_like(line, title)]) for title, record in records.items()]


def _our_like(line: Line, title: str) -> str:
    like = CONTESTANTS[title].compared_with
    return like if line.ours == OURS and like in line.contestants else line.ours


def _row(line: Line, title: str, record: Record | None, ours: Record | None) -> Row:
    bar = next((bar for bar in line.bars if getattr(bar, "of", line.ours) == title), None)
    told = "" if bar is None else _told(line, bar)
    value = None if record is None else record.smallest(line.measure.key)
    if record is None or value is None:
        return Row(line.title, title, "not run" if record is None else record.problem or "no number", bar=told)
    own = None if ours is None else ours.smallest(line.measure.key)
    return Row(
        line.title,
        title,
        f"{value:.{line.measure.digits}f} {line.measure.unit}",
        quality(record),
        "" if own is None else f"{value / own:.2f}",
        told,
        "" if bar is None or own is None or ours is None else _verdict(bar, record, ours, value, own),
    )


def quality(record: Record) -> str:
    """Say how good the model is on rows that it did not learn from; empty for a program that keeps its tree.

    >>> from benchmarks.lines import Task
    >>> quality(Record(Task("adult"), "YDF", {"accuracy": 0.86, "log_loss": 0.3}, 0.0))
    '0.8600, log loss 0.3000'
    """
    known = (("accuracy", ""), ("log_loss", "log loss "), ("rmse", "RMSE "))
    return ", ".join(f"{name}{record.numbers[key]:.4f}" for key, name in known if key in record.numbers)


def _told(line: Line, bar: Bar) -> str:
    if isinstance(bar, AtMost):
        return f"≤ {bar.limit:g} {line.measure.unit}"
    if isinstance(bar, AsAccurate | AsGood):
        return "treewright ≥" if isinstance(bar, AsAccurate) else "as good but for noise"
    return "ahead" if bar.times == 1 else f"≥ {bar.times:g}×"


def _verdict(bar: Bar, peer: Record, ours: Record, value: float, own: float) -> str:
    if isinstance(bar, AtMost):
        return REACHED if own <= bar.limit else MISSED
    if isinstance(bar, AsAccurate):
        return REACHED if own >= value else MISSED
    if isinstance(bar, AsGood):
        return REACHED if _as_accurate(ours, peer) else MISSED
    if value < bar.times * own:
        return MISSED
    return REACHED if _as_accurate(ours, peer) else f"{MISSED}: less accurate"


def _as_accurate(ours: Record, peer: Record) -> bool:
    """Say whether our accuracy is not below the peer's by more than three standard errors of the difference.

    The log loss of boosting, whose aim it is, may be above the peer's by one standard error (good models err on the
    same rows, so that is some three standard errors of the difference); an error by a percent: two seeds of a small
    forest differ by as much.
    """
    for loss in ("log_loss", "rmse"):
        if loss in peer.numbers and (loss == "rmse" or "boosting" in ours.contestant):
            noise = peer.numbers.get(f"{loss}_noise", 0.01 * peer.numbers[loss])
            if ours.numbers[loss] > peer.numbers[loss] + noise:
                return False
    if "accuracy" not in peer.numbers:
        return True  # a program that keeps its tree; tests compare the trees themselves
    own, other = ours.numbers["accuracy"], peer.numbers["accuracy"]
    spread = math.sqrt(2 * other * (1 - other) / peer.numbers["test_rows"])
    return bool(own >= other - 3 * spread)


def _slope_row(line: Slope, results: Results) -> Row:
    title = line.contestants[0]
    told = "" if line.limit is None else f"≤ {line.limit:g}"
    records = [(size, results.get(task, title)) for size, task in line.steps]
    seconds = [(size, record.smallest("fit_cpu")) for size, record in records if record is not None]
    measured = [(size, spent) for size, spent in seconds if spent is not None]
    if len(measured) < len(line.steps):
        return Row(f"slope in {line.title}", title, "not run", bar=told)
    slope = log_log_slope(measured)
    verdict = "" if line.limit is None else REACHED if slope <= line.limit else MISSED
    spent = ", ".join(f"{second:.3g}" for _, second in measured)
    return Row(f"slope in {line.title}", title, f"{slope:.2f} ({spent} CPU s)", bar=told, verdict=verdict)


def log_log_slope(measured: list[tuple[int, float]]) -> float:
    """Fit a line through the logarithms: 1 means that twice the size costs twice the time.

    >>> round(log_log_slope([(10, 1.0), (100, 10.0), (1000, 100.0)]), 3)
    1.0
    """
    sizes, seconds = np.log(np.array(measured, dtype=float)).T
    return float(np.polyfit(sizes, seconds, 1)[0])

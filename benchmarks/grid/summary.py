"""From measured cells to what counts: geometric mean and worst cell of each learner, and what is to be reached."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from benchmarks.grid.cells import (
    FORMS,
    NOISES,
    REACHES,
    ROWS,
    TARGETS,
    TWO_THREADS_MEAN,
    TWO_THREADS_WORST,
    Cell,
)
from benchmarks.grid.fits import OURS


@dataclass
class Measured:
    """Seconds and losses of every contestant of a cell; `problem` says why there are none."""

    seconds: dict[str, float]
    losses: dict[str, float] = field(default_factory=dict)
    problem: str = ""

    @property
    def ratio(self) -> float:
        """How many times as long the best peer takes.

        >>> Measured({"treewright": 0.5, "LightGBM": 2.0, "XGBoost": 1.0}).ratio
        2.0
        """
        return min(spent for name, spent in self.seconds.items() if name != OURS) / self.seconds[OURS]

    @property
    def told(self) -> str:
        if self.problem:
            return self.problem
        seconds = ", ".join(f"{name} {spent * 1000:.1f} ms" for name, spent in self.seconds.items())
        losses = ", ".join(f"{found:.4g}" for found in self.losses.values())
        return f"{self.ratio:.1f}× ({seconds}; losses {losses})"


def text(measured: dict[Cell, Measured]) -> str:
    """Give the summary by learner, then by each side of the grid, then the worst cells.

    >>> print(text({Cell("tree", 2, 0.0, 500, "float32"): Measured({"treewright": 1.0, "scikit-learn": 40.0})}))
    single tree: mean 40.0× (≥ 30× reached), worst 40.0× (≥ 10× reached), 1 cells
      2 classes 40.0 | noise 0 % 40.0 | 500 rows 40.0 | float32 40.0
      worst: 40.0× tree, 2 classes, noise 0 %, 500 rows, float32
    """
    lines = [f"{cell.name}: {found.problem}" for cell, found in measured.items() if found.problem]
    ratios = {cell: found.ratio for cell, found in measured.items() if not found.problem}
    for reach in REACHES:
        covered = {cell: ratio for cell, ratio in ratios.items() if reach.covers(cell)}
        lines += _learner(reach.title, covered, reach.mean, reach.worst)
    two = {cell: ratio for cell, ratio in ratios.items() if cell.threads > 1}
    lines += _learner("two threads against one", two, TWO_THREADS_MEAN, TWO_THREADS_WORST)
    return "\n".join(lines)


def geometric_mean(ratios: list[float]) -> float:
    """Give the mean of ratios.

    >>> round(geometric_mean([1.0, 4.0]), 6)
    2.0
    """
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def _learner(title: str, ratios: dict[Cell, float], mean: float, worst: float) -> list[str]:
    if not ratios:
        return []
    reached_mean, reached_worst = geometric_mean(list(ratios.values())), min(ratios.values())
    head = f"{title}: mean {_judged(reached_mean, mean)}, worst {_judged(reached_worst, worst)}, {len(ratios)} cells"
    slowest = sorted(ratios, key=lambda cell: ratios[cell])[:3]
    return [head, f"  {_sides(ratios)}", *(f"  worst: {ratios[cell]:.1f}× {cell.name}" for cell in slowest)]


def _judged(found: float, bar: float) -> str:
    return f"{found:.1f}× (≥ {bar:g}× {'reached' if found >= bar else 'MISSED'})"


def _sides(ratios: dict[Cell, float]) -> str:
    def means(key: str, values: tuple[object, ...], word: str) -> str:
        by_value = {value: [ratio for cell, ratio in ratios.items() if getattr(cell, key) == value] for value in values}
        told = (f"{_worded(word, value)} {geometric_mean(found):.1f}" for value, found in by_value.items() if found)
        return ", ".join(told)

    sides = (("target", TARGETS, "classes"), ("noise", NOISES, "noise"), ("rows", ROWS, "rows"), ("form", FORMS, ""))
    return " | ".join(means(*side) for side in sides)


def _worded(word: str, value: object) -> str:
    if word == "classes":
        return f"{value} classes" if value else "regression"
    if isinstance(value, float):
        return f"noise {value:.0%}".replace("%", " %")
    return f"{value:,} rows" if word == "rows" else str(value)

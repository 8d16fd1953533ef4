"""What a cell of the grid is, which cells there are, and what is to be reached over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

TARGETS = (2, 7, 26, 0)  # classes; 0 is a number to predict
NOISES = (0.0, 0.1, 0.3)
ROWS = (500, 5_000, 50_000, 500_000)
FORMS = ("float32", "float64", "integers", "mixed")
LEARNERS = ("tree", "forest", "extra_trees", "boosting")

# So many trees that a cell takes seconds, not hours; both sides grow the same. A forest's work for all of its trees
# counts for more where they are few, which is to our disadvantage.
TREES = {500: 100, 5_000: 40, 50_000: 10, 500_000: 4}
ROUNDS = {500: 100, 5_000: 100, 50_000: 40, 500_000: 20}
FEWER_ROUNDS = 4  # a round is a tree a class, so 26 classes have fewer


@dataclass(frozen=True)
class Cell:
    """One learner on one table.

    >>> Cell("forest", 7, 0.1, 5000, "mixed").name
    'forest, 7 classes, noise 10 %, 5,000 rows, mixed'
    """

    learner: str
    target: int
    noise: float
    rows: int
    form: str
    threads: int = 1

    @property
    def name(self) -> str:
        target = f"{self.target} classes" if self.target else "regression"
        threads = f", {self.threads} threads" if self.threads > 1 else ""
        return f"{self.learner}, {target}, noise {self.noise:.0%}".replace("%", " %") + (
            f", {self.rows:,} rows, {self.form}{threads}"
        )

    @property
    def trees(self) -> int:
        """Trees of a forest, rounds of boosting; one for a tree."""
        if self.learner == "tree":
            return 1
        if self.learner == "boosting":
            return ROUNDS[self.rows] // (FEWER_ROUNDS if self.target > 7 else 1)
        return TREES[self.rows]


@dataclass(frozen=True)
class Reach:
    """What the cells of a learner are to reach: times as fast as the best peer, in the mean and in the worst cell."""

    title: str
    learner: str
    regression: bool | None
    mean: float
    worst: float

    def covers(self, cell: Cell) -> bool:
        right_target = self.regression is None or self.regression == (cell.target == 0)
        return cell.learner == self.learner and cell.threads == 1 and right_target


REACHES = (
    Reach("single tree", "tree", None, 30, 10),
    Reach("random forest, classes", "forest", False, 10, 6),
    Reach("random forest, regression", "forest", True, 20, 10),
    Reach("extra trees, classes", "extra_trees", False, 5, 3),
    Reach("extra trees, regression", "extra_trees", True, 12, 6),
    Reach("boosting", "boosting", None, 4, 2),
)
# Two threads against one of ours, from this many rows on.
TWO_THREADS_FROM, TWO_THREADS_MEAN, TWO_THREADS_WORST = 50_000, 1.6, 1.3


def cells(learners: tuple[str, ...] = LEARNERS, most_rows: int = ROWS[-1]) -> Iterator[Cell]:
    """Give the cells of these learners, small tables first.

    >>> len(list(cells())), len(list(cells(("tree",), 5000)))
    (768, 96)
    """
    for rows, learner, target, noise, form in product(ROWS, learners, TARGETS, NOISES, FORMS):
        if rows <= most_rows:
            yield Cell(learner, target, noise, rows, form)


def two_thread_cells(learners: tuple[str, ...] = LEARNERS, most_rows: int = ROWS[-1]) -> Iterator[Cell]:
    """Give the cells that ours alone runs on two threads.

    >>> sorted({(cell.rows, cell.form) for cell in two_thread_cells(most_rows=50_000)})
    [(50000, 'float32'), (50000, 'mixed')]
    """
    for rows, learner, target, form in product(ROWS, learners, TARGETS, ("float32", "mixed")):
        if TWO_THREADS_FROM <= rows <= most_rows:
            yield Cell(learner, target, 0.1, rows, form, threads=2)

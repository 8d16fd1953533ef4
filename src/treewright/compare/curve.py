"""A learning curve: scores by training size, as a table, a text, JSON or a picture."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.evaluate.measures import find_measure
from treewright.evaluate.plain_table import plain_table, table_width

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 20


@dataclass(frozen=True)
class CurveOfLearner:
    """The scores of one learner: a row a size, a column a trial; NaN where it could not learn, `problem` says why."""

    name: str
    scores: NDArray[np.float64]
    problem: str = ""

    def means(self) -> NDArray[np.float64]:
        """Average each size over the trials that have a score."""
        return _over_trials(self.scores, lambda known: float(np.mean(known)))

    def errors(self) -> NDArray[np.float64]:
        """Give the standard error of each mean; NaN for a single trial."""
        return _over_trials(self.scores, lambda known: float(np.std(known, ddof=1)) / len(known) ** 0.5, fewest=2)


@dataclass(frozen=True)
class LearningCurve:
    """The curves of several learners on the same draws. Print it, plot it, or take it as a data frame.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> curve = tw.learning_curve(X, y, ["cart", "forest"], sizes=[15, 60], trials=5)
    >>> curve
    <LearningCurve of cart, forest: 2 sizes from 15 to 60 rows, 5 trials>
    >>> curve["forest"].scores.shape
    (2, 5)
    """

    task: str
    scoring: str
    sizes: tuple[int, ...]
    tested: tuple[int, ...]  # rows that a score is of, size by size
    trials: int
    test: str  # "rest" | "fixed"
    n_rows: int
    learners: tuple[CurveOfLearner, ...]

    def __getitem__(self, name: str) -> CurveOfLearner:
        """Give the curve of a learner by its name."""
        for learner in self.learners:
            if learner.name == name:
                return learner
        from treewright.errors import nearest

        raise KeyError(f"No learner '{name}'. {nearest(name, [learner.name for learner in self.learners])}")

    def to_frame(self) -> pd.DataFrame:
        """Give a row for each learner and size: mean score, its standard error, rows tested, trials with a score.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_tennis(return_X_y=True)
        >>> curve = tw.learning_curve(X, y, "id3", sizes=[4, 8], trials=3)
        >>> print(curve.to_frame().round(3))
          learner  rows  accuracy  standard_error  tested  trials
        0     id3     4     0.433           0.067      10       3
        1     id3     8     0.333           0.096       6       3
        """
        import pandas as pd

        return pd.concat(
            [
                pd.DataFrame(
                    {
                        "learner": learner.name,
                        "rows": self.sizes,
                        self.scoring: learner.means(),
                        "standard_error": learner.errors(),
                        "tested": self.tested,
                        "trials": (~np.isnan(learner.scores)).sum(axis=1),
                    }
                )
                for learner in self.learners
            ],
            ignore_index=True,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values, the score of every trial too; what has no value is None."""
        return {
            "task": self.task,
            "scoring": self.scoring,
            "rows": self.n_rows,
            "trials": self.trials,
            "test": self.test,
            "sizes": list(self.sizes),
            "tested": list(self.tested),
            "learners": [
                {
                    "learner": one.name,
                    "means": _plain(one.means()),
                    "standard_errors": _plain(one.errors()),
                    "scores": [_plain(scores) for scores in one.scores],
                    "problem": one.problem,
                }
                for one in self.learners
            ],
        }

    def to_json(self, indent: int | None = None) -> str:
        """Give everything as a JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def cells(self, width: int | None = None, gap: int = 2) -> tuple[list[str], list[list[str]]]:
        """Give headings and rows of the table as texts; of many sizes some, evenly spread.

        Where the table would be wider than `width`, standard errors are left out.
        """
        headings, rows = self._cells()
        if width is None or table_width(headings, rows, gap) <= width:
            return headings, rows
        kept = [0, *range(1, len(headings), 2)]
        return [headings[i] for i in kept], [[row[i] for i in kept] for row in rows]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        measure = find_measure(self.scoring, self.task)
        headings = ["rows", *(text for one in self.learners for text in (one.name, "+-"))]
        shown = list(range(len(self.sizes)))
        if len(shown) > MOST_LINES:
            shown = sorted(set(np.rint(np.linspace(0, len(shown) - 1, MOST_LINES)).astype(int).tolist()))
        values = [(one.means(), one.errors()) for one in self.learners]
        rows = [
            [
                str(self.sizes[i]),
                *(text for mean, error in values for text in (measure.show(mean[i]), measure.show_spread(error[i]))),
            ]
            for i in shown
        ]
        return headings, rows

    def heading(self) -> str:
        """Tell what the numbers are."""
        measure = find_measure(self.scoring, self.task)
        title = measure.title[0].upper() + measure.title[1:]
        trials = "1 trial" if self.trials == 1 else f"{self.trials} trials"
        on = f"the rest of {self.n_rows:,} rows" if self.test == "rest" else f"{self.tested[0]:,} rows held out"
        return f"{title} by training rows: the mean of {trials}, tested on {on}; +- is its standard error."

    def __str__(self) -> str:
        headings, rows = self.cells()
        lines = [self.heading(), "", plain_table(headings, rows, headings)]
        if len(rows) < len(self.sizes):
            lines.append(f"… {len(rows)} of {len(self.sizes)} sizes; to_frame() has all.")
        lines += [f"{one.name} failed: {one.problem}" for one in self.learners if one.problem]
        return "\n".join(lines)

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self.learners)
        span = f"{len(self.sizes)} sizes from {self.sizes[0]} to {self.sizes[-1]} rows"
        return f"<LearningCurve of {names}: {span}, {self.trials} trials>"

    def plot(self, path: str | os.PathLike[str] | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw the curves with a band of one standard error on either side.

        Parameters
        ----------
        path : path, optional
            Save the picture: .png, .svg or .pdf.
        ax : matplotlib axes, optional
            Draw there.
        """
        from treewright.compare.curve_plot import plot_curve

        return plot_curve(self, path, ax)


def _over_trials(scores: NDArray[np.float64], value: Any, fewest: int = 1) -> NDArray[np.float64]:
    known = [row[~np.isnan(row)] for row in scores]
    return np.array([value(row) if len(row) >= fewest else np.nan for row in known])


def _plain(values: NDArray[np.float64]) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]

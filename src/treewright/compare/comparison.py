"""What a comparison gave: the scores of each learner on each fold, as a table, a text, JSON or a picture."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.evaluate.corrected_test import corrected_interval, corrected_p_value
from treewright.evaluate.measures import Measure, find_measure, measures_of

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOTHING = float("nan")


@dataclass(frozen=True)
class LearnerScores:
    """One learner: its scores fold by fold, its times and its size. Without scores, `problem` says why."""

    name: str
    scores: dict[str, tuple[float, ...]] = field(default_factory=dict)  # measure → one score a fold
    fit_seconds: float = NOTHING  # processor time, the median over the folds, and so below
    predict_seconds: float = NOTHING
    n_bytes: int | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()

    def mean(self, measure: str) -> float:
        """Average a measure over the folds where it has a value."""
        known = self._known(measure)
        return float(np.mean(known)) if len(known) else NOTHING

    def spread(self, measure: str) -> float:
        """Give the standard deviation of a measure from fold to fold."""
        known = self._known(measure)
        return float(np.std(known, ddof=1)) if len(known) > 1 else NOTHING

    def _known(self, measure: str) -> Any:
        values = np.asarray(self.scores.get(measure, ()), dtype=np.float64)
        return values[~np.isnan(values)]


@dataclass(frozen=True)
class Comparison:
    """Learners on the same folds, the best first. Print it, plot it, or take it as a data frame.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> result = tw.compare(X, y, ["cart", "forest"], cv=5)
    >>> result
    <Comparison of 3 learners on 5 folds: best forest, accuracy 0.933>
    """

    task: str  # "classification" | "regression"
    scoring: str  # the measure that decides
    learners: tuple[LearnerScores, ...]
    n_rows: int
    n_columns: int
    n_folds: int
    folds: str  # in words
    test_to_training: float

    @property
    def best(self) -> str:
        """The name of the learner with the best mean score; of equals the first."""
        return self.learners[0].name

    def __getitem__(self, name: str) -> LearnerScores:
        """Give a learner by its name."""
        for learner in self.learners:
            if learner.name == name:
                return learner
        from treewright.errors import nearest

        raise KeyError(f"No learner '{name}'. {nearest(name, [learner.name for learner in self.learners])}")

    def measures(self) -> list[Measure]:
        """List the measures, the one that decides first."""
        chosen = find_measure(self.scoring, self.task)
        return [chosen, *(measure for measure in measures_of(self.task) if measure != chosen)]

    def p_value(self, name: str, measure: str | None = None) -> float:
        """Give the p-value of the corrected test that a learner scores as the best one does; 1 for the best itself.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_iris(return_X_y=True)
        >>> round(tw.compare(X, y, ["cart", "forest"]).p_value("baseline"), 6)
        0.0
        """
        measure = find_measure(measure, self.task).name if measure else self.scoring
        ours, best = self[name].scores.get(measure, ()), self.learners[0].scores.get(measure, ())
        both = [(a, b) for a, b in zip(ours, best, strict=False) if a == a and b == b]
        if len(both) < 2:
            return NOTHING
        return corrected_p_value([a for a, _ in both], [b for _, b in both], self.test_to_training)

    def interval(self, name: str, measure: str | None = None, level: float = 0.95) -> tuple[float, float]:
        """Give the range of a learner's mean score, corrected as the p-value is."""
        known = self[name]._known(measure or self.scoring)
        return corrected_interval(known, self.test_to_training, level) if len(known) > 1 else (NOTHING, NOTHING)

    def to_frame(self, folds: bool = False) -> pd.DataFrame:
        """Give the table as a data frame: a row a learner, or with `folds` a row a learner and fold.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_auto_mpg(return_X_y=True)
        >>> result = tw.compare(X, y, ["cart", "model_tree"], cv=3)
        >>> result.to_frame().columns.tolist()[:7]
        ['learner', 'rmse', 'rmse_spread', 'p_value', 'mae', 'mae_spread', 'r2']
        >>> result.to_frame(folds=True).shape
        (9, 5)
        """
        import pandas as pd

        if folds:
            return pd.DataFrame(
                [
                    {"learner": one.name, "fold": fold} | {name: scores[fold] for name, scores in one.scores.items()}
                    for one in self.learners
                    if one.scores
                    for fold in range(self.n_folds)
                ]
            )
        return pd.DataFrame([self._row(learner) for learner in self.learners])

    def _row(self, learner: LearnerScores) -> dict[str, Any]:
        row: dict[str, Any] = {"learner": learner.name}
        for measure in self.measures():
            row |= {measure.name: learner.mean(measure.name), f"{measure.name}_spread": learner.spread(measure.name)}
            if measure.name == self.scoring:
                row["p_value"] = self.p_value(learner.name)
        return row | {
            "fit_seconds": learner.fit_seconds,
            "predict_seconds": learner.predict_seconds,
            "bytes": NOTHING if learner.n_bytes is None else learner.n_bytes,
            "problem": learner.problem,
        }

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values, the scores of every fold too; what has no value is None."""
        return {
            "task": self.task,
            "scoring": self.scoring,
            "best": self.best,
            "rows": self.n_rows,
            "columns": self.n_columns,
            "folds": self.folds,
            "n_folds": self.n_folds,
            "learners": [
                {name: _plain(value) for name, value in self._row(learner).items()}
                | {
                    "notes": list(learner.notes),
                    "folds": {name: [_plain(score) for score in scores] for name, scores in learner.scores.items()},
                }
                for learner in self.learners
            ],
        }

    def to_json(self, indent: int | None = None) -> str:
        """Give everything as a JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_text(self, width: int | None = None) -> str:
        """Write the table; on narrow screens the measures that decide nothing are left out, the last first.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_iris(return_X_y=True)
        >>> print(tw.compare(X, y, "cart", cv=3).to_text(width=50).splitlines()[0])
        150 rows, 4 columns, classification. 3 folds, the same for all; spread is the standard deviation over them.
        """
        from treewright.compare.comparison_text import comparison_text

        return comparison_text(self, width)

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, measure: str | None = None, ax: Axes | None = None
    ) -> Figure:
        """Draw the learners, the best on top: each fold a small point, the mean a large one, its range a line.

        Parameters
        ----------
        path : path, optional
            Save the picture: .png, .svg or .pdf.
        measure : str, optional
            Draw another measure than the one that decides.
        ax : matplotlib axes, optional
            Draw there.
        """
        from treewright.compare.comparison_plot import plot_comparison

        return plot_comparison(self, path, find_measure(measure or self.scoring, self.task), ax)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        score = find_measure(self.scoring, self.task).show(self.learners[0].mean(self.scoring))
        return (
            f"<Comparison of {len(self.learners)} learners on {self.n_folds} folds: "
            f"best {self.best}, {self.scoring} {score}>"
        )

    def _repr_html_(self) -> str:
        html: str = self.to_frame().to_html(index=False, float_format=lambda value: f"{value:.4g}", na_rep="")
        return html


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value

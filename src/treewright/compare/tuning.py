"""What a search found: the best settings, the model made with them, and a score that can be believed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.compare.candidates import Candidate
from treewright.evaluate.measures import find_measure
from treewright.evaluate.plain_table import plain_table

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 10


@dataclass(frozen=True)
class Trial:
    """A candidate and its scores, fold by fold; without scores, `problem` says why."""

    candidate: Candidate
    scores: tuple[float, ...] = ()
    problem: str = ""

    @property
    def mean(self) -> float:
        """The mean score over the folds."""
        return float(np.mean(self.scores)) if self.scores else float("nan")


@dataclass(frozen=True)
class Tuning:
    """The result of `tw.tune`: `model` is fitted on all rows with the best settings.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> found = tw.tune(X, y, "cart", grid={"max_depth": [1, 2, 3]}, seconds=None)
    >>> found
    <Tuning: best of 4 is cart (as it is), accuracy 0.927, honestly 0.927>
    """

    task: str
    scoring: str
    model: Any
    trials: tuple[Trial, ...]  # the best first
    honest_score: float  # each fold scored by what the other folds would choose
    n_planned: int
    seconds: float  # spent
    outer_scores: tuple[float, ...] = field(default=())  # of searches that never saw the rows they are scored on

    @property
    def best(self) -> Trial:
        """The candidate with the best mean score; of equals the one tried first."""
        return self.trials[0]

    @property
    def best_params(self) -> dict[str, Any]:
        """The settings that were chosen; empty where the learner was best as it is."""
        return dict(self.best.candidate.settings)

    @property
    def score(self) -> float:
        """The cross-validated score of the best candidate. Too good to be true: the best of many is lucky too."""
        return self.best.mean

    def to_frame(self) -> pd.DataFrame:
        """Give a row a candidate, the best first.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_iris(return_X_y=True)
        >>> tw.tune(X, y, "cart", grid={"max_depth": [1, 2]}, seconds=None).to_frame().columns.tolist()
        ['learner', 'max_depth', 'accuracy', 'spread', 'problem']
        """
        import pandas as pd

        names = list(dict.fromkeys(name for one in self.trials for name in one.candidate.settings))
        return pd.DataFrame(
            [
                {"learner": one.candidate.learner}
                | {name: _now(one.candidate, name) for name in names}
                | {self.scoring: one.mean, "spread": _spread(one.scores), "problem": one.problem}
                for one in self.trials
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Give everything but the model as JSON values."""
        return {
            "task": self.task,
            "scoring": self.scoring,
            "best": {"learner": self.best.candidate.learner, "params": _plain(self.best_params), "score": self.score},
            "honest_score": _plain(self.honest_score),
            "outer_scores": list(self.outer_scores),
            "planned": self.n_planned,
            "seconds": self.seconds,
            "candidates": [
                {
                    "learner": one.candidate.learner,
                    "params": _plain(one.candidate.settings),
                    "score": _plain(one.mean),
                    "folds": _plain(one.scores),
                    "problem": one.problem,
                }
                for one in self.trials
            ],
        }

    def to_json(self, indent: int | None = None) -> str:
        """Give everything but the model as a JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        measure = find_measure(self.scoring, self.task)
        headings = [measure.title, "spread", "learner", "settings"]
        shown = self.trials[:SHOWN]
        rows = [
            [
                measure.show(one.mean) if one.scores else "failed",
                measure.show_spread(_spread(one.scores)),
                one.candidate.learner,
                one.candidate.text if one.scores else f"{one.candidate.text}: {one.problem}",
            ]
            for one in shown
        ]
        more = f"… and {len(self.trials) - len(shown)} more; to_frame() has all." if len(self.trials) > SHOWN else ""
        lines = [self._heading(), "", plain_table(headings, rows, headings[:2]), *filter(None, [more]), "", self._sum()]
        return "\n".join(lines)

    def _heading(self) -> str:
        tried = f"{len(self.trials)} candidates" if len(self.trials) > 1 else "1 candidate"
        of = "" if len(self.trials) == self.n_planned else f" of {self.n_planned} planned: the time was up"
        return f"{tried} tried{of}. The best first, by {self.scoring}."

    def _sum(self) -> str:
        measure = find_measure(self.scoring, self.task)
        best, honest = measure.show(self.score), measure.show(self.honest_score)
        text = (
            f"The best has {measure.title} {best}, but it was chosen because it looked best on these folds. "
            f"Honestly: {honest}, each fold scored by what the others would choose."
        )
        if self.outer_scores:
            outer = measure.show(float(np.mean(self.outer_scores)))
            text += f"\nSearched anew without them, {len(self.outer_scores)} outer folds give {outer}."
        return text

    def __repr__(self) -> str:
        measure = find_measure(self.scoring, self.task)
        one = self.best.candidate
        return (
            f"<Tuning: best of {len(self.trials)} is {one.learner} ({one.text}), "
            f"{measure.title} {measure.show(self.score)}, honestly {measure.show(self.honest_score)}>"
        )


def _now(candidate: Candidate, name: str) -> Any:
    return candidate.estimator.get_params(deep=True).get(name)


def _spread(scores: tuple[float, ...]) -> float:
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else float("nan")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, str | bool | int) else repr(value)

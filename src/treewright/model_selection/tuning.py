"""What a search tries, for each learner, and what it found: the best settings and a score that can be believed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import DataError, nearest
from treewright.learners.registry import record_of
from treewright.model_selection.measures import find_measure
from treewright.model_selection.task import Contestant
from treewright.pages.plain_table import plain_table
from treewright.wording import all_of_it_words

if TYPE_CHECKING:
    import pandas as pd


# What is worth trying: the grid of a learner's record, with the values that its parameters take.


def grid_for(estimator: Any) -> dict[str, list[Any]]:
    """Give the grid of a learner of treewright, with what its parameters really take; of others there is none.

    Examples
    --------
    >>> import treewright as tw
    >>> grid_for(tw.DecisionTreeRegressor())["criterion"]
    ['squared_error', 'absolute_error']
    """
    record = record_of(estimator)
    grid = {} if record is None else record.grid
    constraints = getattr(estimator, "_parameter_constraints", {})
    known = estimator.get_params(deep=False)
    fitting = {
        parameter: [value for value in values if _takes(constraints, parameter, value)]
        for parameter, values in grid.items()
        if parameter in known
    }
    return {parameter: values for parameter, values in fitting.items() if len(values) > 1}


def _takes(constraints: Mapping[str, Any], parameter: str, value: Any) -> bool:
    from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints

    if parameter not in constraints:
        return True
    try:
        validate_parameter_constraints({parameter: constraints[parameter]}, {parameter: value}, "the grid")
    except InvalidParameterError:
        return False
    return True


# The settings that a search tries, in the order in which it tries them.


SEARCHES = ("random", "grid")


@dataclass(frozen=True)
class Candidate:
    """A learner with some of its parameters set; `settings` are those that the search chose.

    `ready` is the estimator with what the table needs before it, such as the coding of levels.
    """

    learner: str
    estimator: Any
    settings: dict[str, Any]
    ready: Any = None

    @property
    def text(self) -> str:
        """Name the candidate by its settings."""
        return ", ".join(f"{name}={value!r}" for name, value in self.settings.items()) or "as it is"


def list_candidates(
    learners: Sequence[Contestant], grid: Any, search: str, most: int | None, seed: int
) -> list[Candidate]:
    """Give the candidates: every learner as it is first, then the settings of its grid, learner by learner in turn.

    Examples
    --------
    >>> import treewright as tw
    >>> tree = Contestant("cart", tw.DecisionTreeClassifier())
    >>> [one.text for one in list_candidates([tree], {"max_depth": [1, None]}, "grid", None, 0)]
    ['as it is', 'max_depth=1']
    """
    if search not in SEARCHES:
        raise DataError(f"There is no search='{search}'. {nearest(str(search), SEARCHES)}")
    if most is not None and (isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1):
        raise DataError(f"candidates must be a whole number from 1 on. Got {most!r}.")
    grids = _grids(learners, grid)
    lists = [
        [Candidate(one.name, one.estimator, {}), *_settings(one, grids[one.name], search, seed)] for one in learners
    ]
    in_turn = [candidate for round_ in zip_longest(*lists) for candidate in round_ if candidate is not None]
    return in_turn if most is None else in_turn[: max(int(most), len(learners))]


def _grids(learners: Sequence[Contestant], grid: Any) -> dict[str, Mapping[str, Sequence[Any]]]:
    """The grid of each learner: its own, or the user's, which may be one for all or one for each name."""
    if grid is None:
        return {one.name: grid_for(one.estimator) for one in learners}
    if not isinstance(grid, Mapping) or not grid:
        raise DataError("grid must be a dict of lists, such as {'max_depth': [3, 5, None]}.")
    if not all(isinstance(values, Mapping) for values in grid.values()):
        grid = {one.name: grid for one in learners}
    names = [one.name for one in learners]
    for name in grid:
        if name not in names:
            raise DataError(f"The grid is for '{name}', which takes no part. {nearest(str(name), names)}")
    for one in learners:
        _check_grid(one, grid.get(one.name, {}))
    return {one.name: grid.get(one.name, {}) for one in learners}


def _check_grid(learner: Contestant, grid: Mapping[str, Sequence[Any]]) -> None:
    known = learner.estimator.get_params(deep=True)
    for parameter, values in grid.items():
        if parameter not in known:
            raise DataError(
                f"The grid sets '{parameter}', which {learner.name} does not have. {nearest(parameter, known)}"
            )
        if isinstance(values, str) or not hasattr(values, "__len__") or not len(values):
            raise DataError(f"The grid gives {values!r} for '{parameter}'. Give a list of values.")


def _settings(learner: Contestant, grid: Mapping[str, Sequence[Any]], search: str, seed: int) -> Iterator[Candidate]:
    """All combinations but the one that the learner has already; in a random order, or as the grid lists them."""
    from sklearn.base import clone

    total = int(np.prod([len(values) for values in grid.values()])) if grid else 0
    order = np.random.default_rng(seed).permutation(total) if search == "random" else np.arange(total)
    combinations = list(product(*grid.values())) if total else []
    now = learner.estimator.get_params(deep=True)
    for number in order:
        settings = dict(zip(grid, combinations[number], strict=True))
        if any(now[name] != value for name, value in settings.items()):
            yield Candidate(learner.name, clone(learner.estimator).set_params(**settings), settings)


# What a search found: the best settings, the model made with them, and a score that can be believed.


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
    <Tuning: best of 4 is cart (as it is), accuracy 0.940, honestly 0.940>
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
        more = f"… and {len(self.trials) - len(shown)} more; {all_of_it_words()}." if len(self.trials) > SHOWN else ""
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

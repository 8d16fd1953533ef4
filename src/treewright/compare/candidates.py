"""The settings that a search tries, in the order in which it tries them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest
from typing import Any

import numpy as np

from treewright.compare.contestants import Contestant
from treewright.compare.search_grids import grid_for
from treewright.errors import DataError, nearest

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
        _check(one, grid.get(one.name, {}))
    return {one.name: grid.get(one.name, {}) for one in learners}


def _check(learner: Contestant, grid: Mapping[str, Sequence[Any]]) -> None:
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

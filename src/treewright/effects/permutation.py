"""How much worse a model gets when a column of held-out rows is shuffled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring

from treewright.effects.other_cells import with_other_cells

Floats = NDArray[np.float64]


def permutation_losses(score: Callable[[Any], float], table: Any, n_repeats: int, seed: int) -> tuple[float, Floats]:
    """Give the score of the rows as they are, and how much of it is lost by each shuffle: columns × repeats.

    What is drawn depends on the seed, the column and the repeat alone.
    """
    whole = score(table)
    n_rows, n_columns = table.shape
    losses = np.empty((n_columns, n_repeats))
    for column in range(n_columns):
        for repeat in range(n_repeats):
            order = np.random.default_rng([seed, column, repeat]).permutation(n_rows)
            losses[column, repeat] = whole - score(with_other_cells(table, column, order))
    return whole, losses


def score_of_tables(model: Any, y: Any, scoring: Any, sample_weight: Any) -> Callable[[Any], float]:
    """Give the function that scores the model's answers to a table by any scorer of scikit-learn."""
    scorer = check_scoring(model, scoring=scoring)
    more = {} if sample_weight is None else {"sample_weight": sample_weight}
    return lambda table: float(scorer(model, table, y, **more))

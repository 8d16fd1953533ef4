"""`tw.importance`: every way to tell how much a column matters, by one name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treewright.effects.column_importance import Importance
from treewright.effects.other_cells import open_table
from treewright.effects.permutation import permutation_losses, score_of_tables
from treewright.errors import DataError, nearest

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Asked:
    X: Any
    y: Any
    scoring: Any
    n_repeats: int
    random_state: Any
    sample_weight: Any


def importance(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    kind: str = "permutation",
    scoring: Any = None,
    n_repeats: int = 10,
    sample_weight: Any = None,
    random_state: Any = None,
) -> Importance:
    """Tell how much each column matters to a fitted model, of treewright or of any other library.

    Parameters
    ----------
    model : fitted estimator
    X, y : table and target
        For "permutation" rows that the model has not seen; for "shap" any rows (no y); for "out_of_bag" and "unbiased"
        the training rows; not needed for "impurity".
    kind : {"permutation", "impurity", "shap", "out_of_bag", "unbiased"}, default "permutation"
        permutation: how much of the score is lost when the column is shuffled among the rows.
        impurity: the gains of the column's splits (`feature_importances_`); surrogates earn a part, as in rpart.
        shap: the mean size of its SHAP values.
        out_of_bag, unbiased: of forests, told by the rows that a tree has not seen.
    scoring : str or function, optional
        For "permutation": any scorer of scikit-learn; by default what ``model.score`` gives.
    n_repeats : int, default 10
        For "permutation": how often a column is shuffled.
    sample_weight : column, optional
        How much each row counts.
    random_state : int, optional
        For "permutation": the seed of the shuffles.

    Returns
    -------
    Importance

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.RandomForestClassifier(random_state=1).fit(X[::2], y[::2])
    >>> print(tw.importance(model, X[1::2], y[1::2]))
    importance by permutation: loss of score when the column is shuffled (0.96 without)
    petallength  0.17 ± 0.02
    petalwidth   0.16 ± 0.03
    sepallength  0.00 ± 0.01
    1 column has none: sepalwidth
    """
    if kind not in _KINDS:
        raise DataError(f"There is no importance by {kind!r}. {nearest(str(kind), tuple(_KINDS))}")
    check_is_fitted(model)
    if n_repeats < 1:
        raise DataError(f"n_repeats has to be at least 1. Got {n_repeats} instead.")
    return _KINDS[kind](model, _Asked(X, y, scoring, n_repeats, random_state, sample_weight))


def _by_permutation(model: Any, asked: _Asked) -> Importance:
    if asked.X is None or asked.y is None:
        raise DataError("Importance by permutation needs rows that the model has not seen, X and y. Pass both.")
    table, frame = open_table(asked.X)
    score = score_of_tables(model, asked.y, asked.scoring, asked.sample_weight)
    whole, losses = permutation_losses(score, table, asked.n_repeats, _seed(asked.random_state))
    unit = f"loss of score when the column is shuffled ({whole:.3g} without)"
    return Importance("permutation", frame.names, losses.mean(axis=1), losses.std(axis=1), losses, unit)


def _by_impurity(model: Any, asked: _Asked) -> Importance:
    shares = _of_model(model, "feature_importances_", "impurity")
    return Importance("impurity", _names(model, len(shares)), shares, None, None, "share of the fall of impurity")


def _by_shap(model: Any, asked: _Asked) -> Importance:
    if asked.X is None:
        raise DataError("Importance by SHAP values needs rows to explain. Pass X.")
    values = np.abs(_of_model(model, "shap_values", "SHAP values")(asked.X))
    sizes = values if values.ndim == 2 else values.mean(axis=2)  # classes count alike
    weights = np.ones(len(sizes)) if asked.sample_weight is None else np.asarray(asked.sample_weight, dtype=np.float64)
    mean = np.average(sizes, axis=0, weights=weights)
    std = np.sqrt(np.average((sizes - mean) ** 2, axis=0, weights=weights))
    return Importance("shap", _names(model, sizes.shape[1]), mean, std, sizes.T, "mean size of the SHAP values")


def _of_forest(method: str, kind: str, unit: str) -> Callable[[Any, _Asked], Importance]:
    def find(model: Any, asked: _Asked) -> Importance:
        if asked.X is None or asked.y is None:
            raise DataError(f"Importance by {kind!r} is told by the rows of training. Pass the same X and y.")
        found = _of_model(model, method, f"{kind!r}")(asked.X, asked.y, asked.sample_weight)
        names = _names(model, len(found.importances_mean))
        return Importance(kind, names, found.importances_mean, found.importances_std, found.importances, unit)

    return find


_KINDS: dict[str, Callable[[Any, _Asked], Importance]] = {
    "permutation": _by_permutation,
    "impurity": _by_impurity,
    "shap": _by_shap,
    "out_of_bag": _of_forest("permutation_importance", "out_of_bag", "loss out of bag when the column is shuffled"),
    "unbiased": _of_forest("unbiased_importance", "unbiased", "fall of impurity, told by rows out of bag"),
}


def _of_model(model: Any, name: str, what: str) -> Any:
    found = getattr(model, name, None)
    if found is None:
        raise DataError(
            f"{type(model).__name__} has no importance by {what}. Choose kind='permutation', which every model has."
        )
    return found


def _names(model: Any, n_columns: int) -> tuple[str, ...]:
    names = getattr(model, "feature_names_in_", None)
    return tuple(f"x{j}" for j in range(n_columns)) if names is None else tuple(str(name) for name in names)


def _seed(random_state: Any) -> int:
    if random_state is None:
        return 0  # the same rows give the same numbers
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))

"""`tw.importance`: every way to tell how much a column matters, by one name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treewright.errors import DataError, nearest
from treewright.inspection.table_cells import open_table, with_other_cells
from treewright.learners.base.options import SEED, option
from treewright.learners.base.parameters import whole
from treewright.memory import Block, refuse_beyond_memory
from treewright.plot.style import PALETTE, new_figure, save_figure, shortened, treewright_style
from treewright.table.target import encode_weights
from treewright.tree.format import estimate_text, largest_first

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# The result of `tw.importance`: a number for each column, with its spread where there is one.


Floats = NDArray[np.float64]

_MORE_DIGITS = 2  # for a spread that is far smaller than its number
_MOST_LINES = 30


@dataclass(frozen=True)
class Importance:
    """How much each column matters. Print it, plot it, or take it as a data frame.

    Attributes
    ----------
    kind : str
        How it was found.
    columns : tuple of str
        The columns, in the order of the table.
    mean : array
        The importance of each column.
    std : array or None
        How much it varies: over the repeats of a permutation, over the trees of a forest, or over the rows.
    importances : array of shape (n_columns, n_repeats), or None
        What `mean` is the mean of.
    unit : str
        What the numbers are.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> print(tw.importance(tw.DecisionTreeClassifier(max_depth=2).fit(X, y), kind="impurity"))
    importance by impurity: share of the decrease in impurity
    petallength  0.56
    petalwidth   0.44
    2 columns have none: sepallength, sepalwidth
    """

    kind: str
    columns: tuple[str, ...]
    mean: Floats
    std: Floats | None
    importances: Floats | None
    unit: str

    @property
    def order(self) -> list[int]:
        """The numbers of the columns, the most important first; of equals the first in the table."""
        return largest_first(self.mean)

    def to_frame(self) -> pd.DataFrame:
        """Give a row for each column, the most important first."""
        import pandas as pd

        table: dict[str, Any] = {"column": list(self.columns), "importance": self.mean}
        if self.std is not None:
            table["std"] = self.std
        return pd.DataFrame(table).iloc[self.order].reset_index(drop=True)

    def plot(self, path: str | os.PathLike[str] | None = None, *, most: int = 20, ax: Axes | None = None) -> Figure:
        """Draw the columns, the most important on top, each with its spread.

        Parameters
        ----------
        path : path, optional
            Save the picture: .png, .svg or .pdf.
        most : int, default 20
            How many columns are drawn.
        ax : matplotlib axes, optional
            Draw there.
        """

        return plot_importance(self, path, most, ax)

    def __str__(self) -> str:
        counting = [j for j in self.order if self.mean[j] != 0]
        shown = counting[:_MOST_LINES]
        width = max((len(self.columns[j]) for j in shown), default=0)
        digits = _digits(self.mean, self.std)
        lines = [f"importance by {self.kind}: {self.unit}"]
        for j in shown:
            spread = "" if self.std is None else f" ± {self.std[j]:.{digits}f}"
            lines.append(f"{self.columns[j]:{width}}  {self.mean[j]:.{digits}f}{spread}")
        if len(counting) > len(shown):
            lines.append(f"… and {len(counting) - len(shown)} more columns")
        none = [self.columns[j] for j in range(len(self.columns)) if self.mean[j] == 0]
        if none:
            many = "1 column has" if len(none) == 1 else f"{len(none)} columns have"
            more = f" … ({len(none) - 10} more)" if len(none) > 10 else ""
            lines.append(f"{many} none: {', '.join(none[:10])}{more}")
        return "\n".join(lines)


def _digits(numbers: Floats, spreads: Floats | None = None) -> int:
    """As many digits as show two of the largest number, and one of the spread of those that are twice as large.

    >>> _digits(np.array([0.5, 0.01])), _digits(np.array([0.0021])), _digits(np.array([120.0]))
    (2, 4, 0)
    >>> _digits(np.array([1.5, 0.2]), np.array([0.3, 0.04]))
    2
    """
    largest = float(np.max(np.abs(numbers), initial=0.0))
    if largest == 0 or not np.isfinite(largest):
        return 2
    digits = int(np.clip(1 - np.floor(np.log10(largest)), 0, 12))
    sure = () if spreads is None else spreads[(spreads > 0) & (np.abs(numbers) >= 2 * spreads)]
    if not len(sure):
        return digits
    of_spread = int(-np.floor(np.log10(np.min(sure))))
    return int(np.clip(of_spread, digits, digits + _MORE_DIGITS))


# The picture of an importance: columns from top to bottom, their importance from left to right.


def plot_importance(result: Importance, path: str | os.PathLike[str] | None, most: int, ax: Axes | None) -> Figure:
    """Draw a bar for each of the most important columns, with a line for its spread."""
    shown = result.order[:most]
    with treewright_style():
        figure, ax = new_figure(6.5, 1.1 + 0.3 * len(shown), ax)
        spread = None if result.std is None else result.std[shown]
        places = range(len(shown))
        ax.barh(places, result.mean[shown], height=0.62, color=PALETTE[0], alpha=0.85)
        if spread is not None:
            ax.errorbar(result.mean[shown], places, xerr=spread, fmt="none", ecolor="black", elinewidth=1)
        ax.set_yticks(places, [_short(result.columns[j]) for j in shown])
        ax.set_ylim(len(shown) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False, axis="y")
        ax.set_xlabel(result.unit)
        left = len(result.columns) - len(shown)
        ax.set_title(f"Importance by {result.kind}" + (f", the {most} largest of {most + left}" if left > 0 else ""))
        if path is not None:
            save_figure(figure, path)
    return figure


def _short(name: str) -> str:
    """At most 32 letters of a name, written as it is: a dollar sign starts no formula.

    >>> _short("price in $")
    'price in \\\\$'
    """
    return shortened(name, 32)


# How much worse a model gets when a column of held-out rows is shuffled.


def permutation_losses(score: Callable[[Any], float], table: Any, n_repeats: int, seed: int) -> tuple[float, Floats]:
    """Give the score of the rows as they are, and how much of it is lost by each shuffle: columns × repeats.

    What is drawn depends on the seed, the column and the repeat alone.
    """
    n_rows, n_columns = table.shape
    refuse_beyond_memory(
        "Importance by permutation",
        [Block(24, rows=n_rows, columns=n_columns), Block(8, columns=n_columns, repeats=n_repeats)],
        "Take a part of the rows, or fewer repeats.",
    )
    whole = score(table)
    losses = np.empty((n_columns, n_repeats))
    for column in range(n_columns):
        for repeat in range(n_repeats):
            order = np.random.default_rng([seed, column, repeat]).permutation(n_rows)
            losses[column, repeat] = whole - score(with_other_cells(table, column, order))
    return whole, losses


def score_of_tables(model: Any, y: Any, scoring: Any, sample_weight: Any) -> Callable[[Any], float]:
    """Give the function that scores the model's answers to a table by any scorer of scikit-learn."""
    scorer = check_scoring(model, scoring=scoring)
    more = {} if sample_weight is None else {"sample_weight": encode_weights(sample_weight, len(y))}
    return lambda table: float(scorer(model, table, y, **more))


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
    importance by permutation: loss of accuracy when the column is shuffled (0.96 without)
    petalwidth   0.23 ± 0.03
    petallength  0.07 ± 0.03
    sepalwidth   0.00 ± 0.00
    1 column has none: sepallength
    """
    if not isinstance(kind, str) or kind not in _KINDS:
        raise DataError(f"There is no importance by {kind!r}. {nearest(str(kind), tuple(_KINDS))}")
    check_is_fitted(model)
    n_repeats = option("tw.importance", "n_repeats", n_repeats, whole(None, 2**62))
    if n_repeats < 1:
        raise DataError(f"n_repeats has to be at least 1. Got {n_repeats} instead.")
    scoring = option("tw.importance", "scoring", scoring, str, callable, None)
    random_state = option("tw.importance", "random_state", random_state, SEED, np.random.RandomState, None)
    return _KINDS[kind](model, _Asked(X, y, scoring, n_repeats, random_state, sample_weight))


def _score_name(model: Any, scoring: Any) -> str:
    """What a scorer is called; left out, models answer with scikit-learn's own `score`."""
    if isinstance(scoring, str):
        return "AUC" if scoring == "roc_auc" else scoring
    if scoring is not None or not (is_classifier(model) or is_regressor(model)):
        return "score"
    return "accuracy" if is_classifier(model) else "R²"


def _by_permutation(model: Any, asked: _Asked) -> Importance:
    if asked.X is None or asked.y is None:
        raise DataError("Importance by permutation needs rows that the model has not seen, X and y. Pass both.")
    table, frame = open_table(asked.X)
    score = score_of_tables(model, asked.y, asked.scoring, asked.sample_weight)
    whole, losses = permutation_losses(score, table, asked.n_repeats, _seed(asked.random_state))
    unit = (
        f"loss of {_score_name(model, asked.scoring)} when the column is shuffled ({estimate_text(whole, 3)} without)"
    )
    return Importance("permutation", frame.names, losses.mean(axis=1), losses.std(axis=1), losses, unit)


def _by_impurity(model: Any, asked: _Asked) -> Importance:
    shares = _of_model(model, "feature_importances_", "impurity")
    return Importance("impurity", _names(model, len(shares)), shares, None, None, "share of the decrease in impurity")


def _by_shap(model: Any, asked: _Asked) -> Importance:
    if asked.X is None:
        raise DataError("Importance by SHAP values needs rows to explain. Pass X.")
    values = np.abs(_of_model(model, "shap_values", "SHAP values")(asked.X))
    sizes = values if values.ndim == 2 else values.mean(axis=2)  # classes count alike
    given = encode_weights(asked.sample_weight, len(sizes))
    weights = np.ones(len(sizes)) if given is None else given
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
    "unbiased": _of_forest("unbiased_importance", "unbiased", "decrease in impurity, told by rows out of bag"),
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

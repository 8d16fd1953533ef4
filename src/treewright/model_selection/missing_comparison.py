"""The ways of an estimator to treat missing values, side by side on one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import DataError, TreewrightError
from treewright.learners.base.options import SEED, option
from treewright.learners.base.parameters import whole
from treewright.model_selection.cross_validation import CrossValidation, cross_validate
from treewright.model_selection.measures import MEASURES
from treewright.model_selection.task import is_target_of_classes
from treewright.table.frame import open_frame, to_table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class PolicyResult:
    """What one way of treating missing values gave; without a validation, `problem` says why there is none."""

    policy: str
    validation: CrossValidation | None
    leaves: float = float("nan")  # the mean over the folds, and so below
    seconds: float = float("nan")
    problem: str = ""


@dataclass(frozen=True)
class MissingComparison:
    """The table that `compare_missing` makes. Print it, or take it as a data frame."""

    measure: str  # "accuracy" | "rmse"
    n_rows: int
    n_missing: int  # cells
    n_cells: int
    n_columns_with_missing: int
    results: tuple[PolicyResult, ...]

    @property
    def best(self) -> str:
        """The policy with the best mean score; of equals the first."""
        done = [result for result in self.results if result.validation is not None]
        sign = 1 if self.measure == "rmse" else -1
        return min(done, key=lambda result: sign * self._mean(result)).policy

    def to_frame(self) -> pd.DataFrame:
        """Give the table as a data frame, a row a policy.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_titanic(return_X_y=True)
        >>> tw.compare_missing(X, y, cv=3).to_frame().columns.tolist()
        ['missing', 'accuracy', 'spread', 'leaves', 'seconds', 'problem']
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "missing": [result.policy for result in self.results],
                self.measure: [self._mean(result) for result in self.results],
                "spread": [self._spread(result) for result in self.results],
                "leaves": [result.leaves for result in self.results],
                "seconds": [result.seconds for result in self.results],
                "problem": [result.problem for result in self.results],
            }
        )

    def _mean(self, result: PolicyResult) -> float:
        return float("nan") if result.validation is None else result.validation.mean(self.measure)

    def _spread(self, result: PolicyResult) -> float:
        return float("nan") if result.validation is None else result.validation.spread(self.measure)

    def __str__(self) -> str:
        width = max(len("missing"), *(len(result.policy) for result in self.results))
        lines = [self._heading(), f"  {'missing':<{width}}  {self.measure:>8}  +- spread  leaves  seconds"]
        for result in self.results:
            mark = ">" if result.policy == self.best else " "
            lines.append(f"{mark} {result.policy:<{width}}  {self._line(result)}")
        return "\n".join(lines)

    def _heading(self) -> str:
        if not self.n_missing:
            return f"{self.n_rows:,} rows, no value missing: the policies differ only in what they do with new rows"
        share = 100 * self.n_missing / self.n_cells
        columns = "1 column" if self.n_columns_with_missing == 1 else f"{self.n_columns_with_missing:,} columns"
        return f"{self.n_rows:,} rows, {self.n_missing:,} cells missing ({share:.1f} %) in {columns}"

    def _line(self, result: PolicyResult) -> str:
        if result.validation is None:
            return result.problem.split(". ")[0] + "."
        mean, spread = self._mean(result), self._spread(result)
        told = MEASURES[self.measure]
        mean_text, spread_text = told.show(mean), told.show_spread(spread)
        return f"{mean_text:>8}  {spread_text:>9}  {result.leaves:6.1f}  {result.seconds:7.3f}"


def compare_missing(X: Any, y: Any, estimator: Any = None, *, cv: int = 10, random_state: int = 0) -> MissingComparison:
    """Cross-validate an estimator with each of its ways to treat missing values, all on the same folds.

    The ways are those that its `missing` parameter takes, the one it has now first.

    Parameters
    ----------
    X, y : table and target
        As for `fit`.
    estimator : a treewright estimator with a `missing` parameter, optional
        It stays as it is. Left out, a decision tree for the target: a classifier for text, categories, truth values
        and integers with at most ten different values, else a regressor.
    cv : int, default 10
        The number of folds.
    random_state : int, default 0
        Deals out the rows to the folds.

    Returns
    -------
    MissingComparison
        Mean score, its spread from fold to fold, mean number of leaves and mean seconds of a fit.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> table = tw.compare_missing(X, y, tw.DecisionTreeClassifier(max_depth=4))
    >>> print(table.to_frame()[["missing", "accuracy", "leaves"]].round(3).head(1))
      missing  accuracy  leaves
    0   learn     0.778    15.1
    """
    if hasattr(X, "fit"):
        raise DataError(
            "compare_missing takes the table first: compare_missing(X, y, estimator). "
            f"Got {type(X).__name__} as the table."
        )
    X, random_state = to_table(X), option("tw.compare_missing", "random_state", random_state, SEED)
    cv = option("tw.compare_missing", "cv", cv, whole(2, max(2, len(y))))
    model = _tree_for(y) if estimator is None else estimator
    holes = _missing_cells(X)
    results = tuple(_try(model, policy, X, y, cv, random_state) for policy in policies_of(model))
    done = next((result.validation for result in results if result.validation is not None), None)
    if done is None:  # whatever is wrong has nothing to do with missing values
        raise DataError(results[0].problem)
    return MissingComparison(
        measure="accuracy" if done.task == "classification" else "rmse",
        n_rows=len(np.asarray(y)),
        n_missing=sum(holes),
        n_cells=len(holes) * len(np.asarray(y)),
        n_columns_with_missing=sum(count > 0 for count in holes),
        results=results,
    )


def policies_of(estimator: Any) -> list[str]:
    """List the values that the `missing` parameter of an estimator takes: its own first, the others by name.

    Examples
    --------
    >>> import treewright as tw
    >>> policies_of(tw.DecisionTreeClassifier(missing="larger"))[0]
    'larger'
    """
    constraints = getattr(estimator, "_parameter_constraints", {}).get("missing", [])
    offered = {str(option) for constraint in constraints for option in getattr(constraint, "options", ())}
    if not offered:
        raise DataError(
            f"{type(estimator).__name__} has no 'missing' parameter, so there is nothing to compare. "
            "Pass an estimator that has one, such as tw.DecisionTreeClassifier()."
        )
    own = str(estimator.get_params()["missing"])
    return [own, *sorted(offered - {own})]


def _tree_for(y: Any) -> Any:
    import pandas as pd

    from treewright.learners.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor

    return DecisionTreeClassifier() if is_target_of_classes(pd.Series(np.asarray(y))) else DecisionTreeRegressor()


def _missing_cells(X: Any) -> list[int]:
    """How many values each column lacks."""
    frame = open_frame(X if hasattr(X, "shape") else np.asarray(X))
    counts = []
    for j in range(frame.n_columns):
        column = frame.column(j)
        holes = column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()
        counts.append(int(holes.sum()))
    return counts


def _try(model: Any, policy: str, X: Any, y: Any, cv: int, seed: int) -> PolicyResult:
    from sklearn.base import clone

    leaves: list[int] = []
    seconds: list[float] = []

    def look(fitted: Any, took: float) -> None:
        leaves.append(int(fitted.get_n_leaves()))
        seconds.append(took)

    try:
        validation = cross_validate(clone(model).set_params(missing=policy), X, y, cv, seed=seed, on_fit=look)
    except TreewrightError as problem:  # such as missing values under "refuse": that is an answer too
        return PolicyResult(policy, None, problem=str(problem))
    return PolicyResult(policy, validation, float(np.mean(leaves)), float(np.mean(seconds)))

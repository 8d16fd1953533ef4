"""Linear regression with a price on large coefficients: lasso, ridge, elastic net and every other L_q."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_is_fitted

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Columns, Floats
from treewright.learners.base.learnt import Arrays, Numbers, count, real, reals
from treewright.learners.base.matrix_folds import folds_of
from treewright.learners.base.matrix_model import MatrixModel, Target
from treewright.learners.base.parameters import above, at_least, fitted, number, one_of, parameter, whole
from treewright.learners.linear.least_squares import CentredRows
from treewright.learners.linear.linear_model import LinearDesign, LinearModel
from treewright.learners.regularized.choose_alpha import HeldOut, alpha_grid, held_out_errors
from treewright.learners.regularized.path import RegularizationPath
from treewright.learners.regularized.penalty import Penalty, Solution
from treewright.learners.regularized.quadratic import MOST_PRODUCTS, Scaled, scaled_problem
from treewright.memory import Block
from treewright.table.schema import Schema

_MOST_BRIDGED = 4000  # columns: 128 MB of products
_LOOSE = 1e3  # so many times the tolerance is told as a warning


class RegularizedRegression(LinearModel, MatrixModel):
    """Least squares with a price on large coefficients: 1/(2n) Σ (y − Xw)² + λ Σ |w|^q on standardised columns.

    Attributes
    ----------
    coef_, intercept_ : array and float
        In the units of the table, in the order of `coefficient_names_`.
    alpha_ : float
        The λ of the model.
    path_ : RegularizationPath
        With alpha="cv": the coefficients and errors of all λ.
    off_ : float
        How far the answer is from the minimum at most, in the units of `tol`.
    n_iter_ : int
        The rounds that the slowest λ took.

    Notes
    -----
    scikit-learn's Lasso and ElasticNet have alpha = λ, its Ridge alpha = 2nλ, all three with standardize=False here.
    glmnet's lambda is λ for alpha > 0, and 2λ for ridge. `docs/regularized_regression.md` has the solvers.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> model = tw.RegularizedRegression(q=1, alpha=5.0).fit(X[["Wind", "Temp", "Day"]], y)
    >>> model.coef_.round(3)
    array([-2.126,  1.49 ,  0.   ])
    """

    q: float = parameter(
        default=1.0,
        takes=at_least(0.01),
        kind="float of 0.01 or more",
        doc="""The power of the coefficients that is priced. 1 is the lasso, which sets coefficients to 0; 2 is ridge,
        which makes all of them smaller; the larger, the more the largest ones pay. Below 1 still more become 0, but
        only a point that no change of one coefficient improves is found.""",
    )
    alpha: float | str = parameter(
        default="cv",
        takes=[at_least(0.0), one_of("cv")],
        kind='float of 0 or more, or "cv"',
        doc='The price λ: the higher, the smaller the coefficients. "cv" chooses it by cross-validation.',
    )
    l1_ratio: float = parameter(
        default=1.0,
        takes=number(0.0, 1.0),
        kind="float from 0 to 1",
        doc="With q = 1: below 1 the price is the elastic net λ Σ (l1_ratio · |w| + (1 − l1_ratio) · w²/2).",
    )
    rule: str = parameter(
        default="min",
        takes=one_of("min", "1se"),
        doc="""Of the λ that are tried the one with the least error on held-out rows, or the largest one whose error is
        within one standard error of it.""",
    )
    cv: Any = parameter(
        default=10,
        takes=[whole(2), HasMethods(["split"]), list, None],
        kind="int, scikit-learn splitter or list of splits",
        doc="""The folds; None is 10. Those of a number are dealt by the content of rows: order and doubled rows do not
        matter.""",
    )
    alphas: Any = parameter(
        default=100,
        takes=[whole(1, 100_000), "array-like"],
        kind="int or list of float",
        doc="The λ that are tried, or how many.",
    )
    alpha_min_ratio: float | None = parameter(
        default=None,
        takes=[number(0.0, 1.0, "neither"), None],
        doc="The least λ as a share of the greatest. None: 0.001, or 10⁻⁷ where no λ makes all coefficients 0.",
    )
    standardize: bool = parameter(
        default=True,
        takes="boolean",
        doc="""Whether columns are divided by their spread before coefficients are priced. `coef_` is in the table's
        units.""",
    )
    contrasts: str = parameter(
        default="full",
        takes=one_of("full", "treatment"),
        doc="""Whether every level of a nominal column has a coefficient, or the first level is what the others are
        compared with.""",
    )
    tol: float = parameter(
        default=1e-10,
        takes=above(0.0),
        doc="""How exact the answer is: the duality gap in units of the target's variance (q = 1), or the largest slope
        that is left in units of the greatest one.""",
    )
    max_iter: int = parameter(default=1000, takes=whole(1), doc="So many rounds at most for each λ.")
    random_state: Any = parameter(default=None, takes="random_state", doc="Deals the folds; None is 0.")

    _renamed: ClassVar[Mapping[str, str]] = {
        "lambda_": "alpha",
        "lambdas": "alphas",
        "lambda_min_ratio": "alpha_min_ratio",
        "chosen_lambda_": "alpha_",
        "path_lambdas_": "path_alphas_",
    }
    _fitted_arrays: ClassVar[Arrays] = {
        **LinearModel._fitted_arrays,
        "scales_": reals("terms"),
        "path_alphas_": reals("path", needed=False),
        "path_coef_": reals("path", "terms", needed=False),
        "path_intercepts_": reals("path", needed=False),
        "cv_mean_": reals("path", unknown=True, infinite=True, needed=False),
        "cv_error_": reals("path", unknown=True, infinite=True, needed=False),
    }
    _fitted_numbers: ClassVar[Numbers] = {
        "intercept_": real(),
        "alpha_": real(0.0),
        "off_": real(),
        "n_iter_": count(),
        "r_squared_": real(),
        "n_folds_": count(absent="left out"),
    }
    scales_: Floats = fitted()
    alpha_: float = fitted()
    off_: float = fitted()
    r_squared_: float = fitted()

    _matrix_bytes = (200, 8, 24)

    def _matrix_blocks(self, columns: Columns, width: int) -> list[Block]:
        if width > MOST_PRODUCTS:  # no products of columns then
            return [Block(52, rows=columns.n_rows, columns=width)]
        n_folds = self.cv if isinstance(self.cv, int) else 10
        if self.alpha == "cv" and width < columns.n_rows <= width * n_folds / (n_folds - 1):  # none of single folds
            return [Block(52, rows=columns.n_rows, columns=width), Block(24, columns=width, columns_=width)]
        return super()._matrix_blocks(columns, width)

    def _coding(self) -> str:
        return str(self.contrasts)

    # ---------------------------------------------------------------- learning
    def _fit_matrix(self, matrix: Floats, truth: Target, design: LinearDesign) -> dict[str, Any]:
        penalty = self._penalty(matrix.shape[1])
        rows = CentredRows(matrix, truth.values, truth.weights, self.fit_intercept, design.means)
        ridge = self.q == 2 or self.l1_ratio == 0 or self.alpha == 0
        problem = scaled_problem(rows, self.standardize, exact=ridge)
        if self.alpha == "cv":
            found, price, fitted = self._by_cross_validation(rows, truth.rows, problem, penalty)
        else:
            price = float(self.alpha)
            found, fitted = penalty.solve_one(problem.quadratic, price), {}
        self._tell_loose(found.off)
        scaled = found.coefficients[-1:]
        coefficients, intercepts = problem.unscaled(scaled)
        return {
            "coef_": coefficients[0],
            "intercept_": float(intercepts[0]) if self.fit_intercept else 0.0,
            "scales_": problem.scales,
            "alpha_": price,
            "off_": found.off,
            "n_iter_": found.rounds,
            "r_squared_": _explained(problem, scaled[0]),
            **fitted,
        }

    def _penalty(self, n_columns: int) -> Penalty:
        if self.q != 1 and self.l1_ratio != 1:
            raise DataError(
                f"l1_ratio={self.l1_ratio:g} mixes the lasso with ridge, which goes with q=1; q is {self.q:g}. "
                "Leave out one of them."
            )
        if self.q not in (1, 2) and n_columns > _MOST_BRIDGED:
            raise DataError(
                f"q={self.q:g} keeps all {n_columns:,} columns in play at once. Use q=1 or q=2 for more than "
                f"{_MOST_BRIDGED:,} columns."
            )
        return Penalty(float(self.q), float(self.l1_ratio), float(self.tol), int(self.max_iter))

    def _by_cross_validation(
        self, rows: CentredRows, places: NDArray[Any] | None, problem: Scaled, penalty: Penalty
    ) -> tuple[Solution, float, dict[str, Any]]:
        alphas = alpha_grid(self.alphas, self.alpha_min_ratio, penalty, problem.quadratic)
        folds = folds_of(10 if self.cv is None else self.cv, rows.matrix, rows.target, self._seed(), places)
        held_out: HeldOut = held_out_errors(rows, folds, penalty, alphas, self.standardize)
        place = held_out.choose(self.rule)
        path = penalty.solve(problem.quadratic, alphas)
        coefficients, intercepts = problem.unscaled(path.coefficients)
        fitted = {
            "path_alphas_": alphas,
            "path_coef_": coefficients,
            "path_intercepts_": intercepts if self.fit_intercept else np.zeros(len(alphas)),
            "cv_mean_": held_out.mean,
            "cv_error_": held_out.error,
            "n_folds_": held_out.n_folds,
        }
        return Solution(path.coefficients[place : place + 1], path.off, path.rounds), float(alphas[place]), fitted

    def _tell_loose(self, off: float) -> None:
        if off > _LOOSE * self.tol:
            warnings.warn(
                f"The answer is {off:.1e} from the minimum, where tol={self.tol:g} was asked for. "
                "Raise max_iter or alpha, or choose tol higher.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _check_fitted(self, schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> None:
        super()._check_fitted(schema, classes, fitted)
        path = ("path_alphas_", "path_coef_", "path_intercepts_", "cv_mean_", "cv_error_")
        if len({name in fitted for name in path}) > 1 or ("path_alphas_" in fitted and not len(fitted["path_alphas_"])):
            raise ValueError("its path is not whole")
        if "path_alphas_" in fitted and "n_folds_" not in fitted:
            raise ValueError("it does not say how its path was judged")

    # ---------------------------------------------------------------- about the model
    @property
    def path_(self) -> RegularizationPath:
        """The coefficients and errors of all λ that were tried.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.RegularizedRegression(alphas=5).fit([[1], [2], [3], [4]], [1.0, 3.0, 2.0, 5.0])
        >>> model.path_.coefficients.ravel().round(3)
        array([0.   , 0.904, 1.065, 1.094, 1.099])
        """
        check_is_fitted(self)
        if not hasattr(self, "path_alphas_"):
            raise AttributeError("path_ is there for alpha='cv'; this model was fitted for one alpha.")
        return RegularizationPath(
            self.coefficient_names_,
            self.path_alphas_,
            self.path_coef_,
            self.path_intercepts_,
            self.alpha_,
            self.cv_mean_,
            self.cv_error_,
        )

    @property
    def feature_importances_(self) -> Floats:
        """How much each column of the table weighs: its coefficients times the spread of what they belong to."""
        check_is_fitted(self)
        sizes = np.bincount(self._design.sources, np.abs(self.coef_ * self.scales_), minlength=self.n_features_in_)
        total = sizes.sum()
        return np.asarray(sizes / total if total > 0 else sizes)

    def __str__(self) -> str:
        from treewright.learners.regularized.path import penalised_text

        return penalised_text(self) if hasattr(self, "coef_") else repr(self)


def _explained(problem: Scaled, b: Floats) -> float:
    """The share of the target's variance that is explained in training; 1 where there is nothing to explain."""
    quadratic = problem.quadratic
    if quadratic.square <= 0:
        return 1.0
    left = quadratic.square - 2 * float(quadratic.linear @ b) + float(b @ quadratic.times(b))
    return float(1 - max(left, 0.0) / quadratic.square)

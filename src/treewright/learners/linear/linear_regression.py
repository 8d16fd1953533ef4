"""Linear regression by least squares."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.errors import DataError
from treewright.learners.base.conformal_answers import predict_interval as conformal_interval
from treewright.learners.base.design_matrix import Floats
from treewright.learners.base.learnt import Arrays, Numbers, real, reals, truths
from treewright.learners.base.matrix_model import MatrixModel, Target
from treewright.learners.base.parameters import fitted
from treewright.learners.base.row_products import row_products
from treewright.learners.base.threads import one_blas_thread
from treewright.learners.linear.least_squares import CentredRows, LeastSquares, least_squares
from treewright.learners.linear.linear_model import LinearDesign, LinearModel
from treewright.learners.linear.summary import RegressionSummary, Spread, t_quantile
from treewright.learners.linear.sums_of_rows import AskedForSums, Summed, least_squares_from
from treewright.table.schema import Schema


class LinearRegression(LinearModel, MatrixModel):
    """Least squares: the weighted sum of columns that comes nearest to a number, with all that is known about it.

    Attributes
    ----------
    coef_ : array
        The coefficients, in the order of `coefficient_names_`; 0 for those that cannot be estimated.
    intercept_ : float
        The constant.
    aliased_ : tuple of str
        The columns that are constant or combinations of columns before them, which have no coefficient (R says NA).
    r_squared_, residual_error_, df_residual_ : numbers
        How much is explained, the spread of residuals, and rows less coefficients.

    Notes
    -----
    Well-conditioned columns are solved by the Cholesky factor of their correlations and corrected by the rows; others
    by Householder's QR of the rows. `docs/linear_regression.md` has the rules.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> model = tw.LinearRegression().fit(X[["Wind", "Temp"]], y)
    >>> model.coef_.round(3), round(model.intercept_, 2)
    (array([-3.055,  1.84 ]), -71.03)
    >>> model.predict_interval(X[["Wind", "Temp"]][:1]).round(1)
    array([[-14.5,  73.8]])
    """

    _fitted_arrays: ClassVar[Arrays] = {
        **LinearModel._fitted_arrays,
        "means_": reals("terms"),
        "scales_": reals("terms", lowest=0.0),
        "kept_": truths("terms"),
        "root_": reals("terms that are kept", "terms that are kept"),
        "residual_quantiles_": reals(5),
        "feature_importances_": reals("columns"),
    }
    _fitted_numbers: ClassVar[Numbers] = {
        "intercept_": real(),
        "weight_": real(),
        "df_residual_": real(),
        "residual_square_": real(),
        "target_square_": real(),
    }
    means_: Floats = fitted()
    scales_: Floats = fitted()
    kept_: NDArray[np.bool_] = fitted()
    root_: Floats = fitted()
    residual_quantiles_: Floats = fitted()
    weight_: float = fitted()
    df_residual_: int = fitted()
    residual_square_: float = fitted()
    target_square_: float = fitted()

    # ---------------------------------------------------------------- learning
    def _fit_matrix(self, matrix: Floats, truth: Target, design: LinearDesign) -> dict[str, Any]:
        rows = CentredRows(matrix, truth.values, truth.weights, self.fit_intercept, design.means)
        found = least_squares(rows)
        weighed = found.residuals if rows.roots is None else found.residuals * rows.roots
        target = rows.centred_target
        return {
            "coef_": found.coefficients,
            "intercept_": found.intercept if self.fit_intercept else 0.0,
            "means_": found.r_factor.means,
            "scales_": found.r_factor.scales,
            "kept_": found.kept,
            "root_": np.ascontiguousarray(found.root),
            "weight_": rows.weight if self.fit_intercept else 0.0,
            "df_residual_": rows.n_rows - int(found.kept.sum()) - int(self.fit_intercept),
            "residual_square_": float(weighed @ weighed),
            "target_square_": float(target @ target),
            "residual_quantiles_": np.quantile(weighed, [0.0, 0.25, 0.5, 0.75, 1.0]),
            "feature_importances_": _importances(found, design),
        }

    def _sums_tell(self) -> bool:
        return self.basis is None  # knots of splines are quantiles of the rows

    def _fit_sums(self, asked: AskedForSums, summed: Summed) -> dict[str, Any]:
        found = least_squares_from(asked, summed)
        answer, r_factor = found.answer, found.answer.r_factor
        return {
            "coef_": answer.coefficients,
            "intercept_": answer.intercept if self.fit_intercept else 0.0,
            "means_": r_factor.means,
            "scales_": r_factor.scales,
            "kept_": answer.kept,
            "root_": np.ascontiguousarray(answer.root),
            "weight_": r_factor.weight if self.fit_intercept else 0.0,
            "df_residual_": asked.n_rows - int(answer.kept.sum()) - int(self.fit_intercept),
            "residual_square_": found.residual_square,
            "target_square_": found.target_square,
            "residual_quantiles_": found.quarters,
            "feature_importances_": _importances(answer, LinearDesign(summed.design, {}, {})),
        }

    def _check_fitted(self, schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> None:
        super()._check_fitted(schema, classes, fitted)
        if len(fitted["root_"]) != fitted["kept_"].sum():
            raise ValueError("its table of coefficients does not fit them")
        if not (fitted["root_"].diagonal() != 0).all() or not fitted["scales_"].all():
            raise ValueError("its table of coefficients holds no numbers to divide by")

    # ---------------------------------------------------------------- about the model
    @property
    def aliased_(self) -> tuple[str, ...]:
        """The columns of the matrix that have no coefficient of their own.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.LinearRegression().fit([[1, 2, 7], [2, 4, 7], [3, 6, 7]], [1.0, 2.0, 4.0]).aliased_
        ('x1', 'x2')
        """
        names = self.coefficient_names_
        return tuple(name for name, kept in zip(names, self.kept_, strict=True) if not kept)

    @property
    def r_squared_(self) -> float:
        """The share of the target's sum of squares that is explained; 1 where there is nothing to explain."""
        check_is_fitted(self)
        return 1.0 - self.residual_square_ / self.target_square_ if self.target_square_ > 0 else 1.0

    @property
    def residual_error_(self) -> float:
        """The spread of residuals, per degree of freedom; NaN where no row is left to tell."""
        check_is_fitted(self)
        return float(np.sqrt(self.residual_square_ / self.df_residual_)) if self.df_residual_ > 0 else float("nan")

    def _spread(self) -> Spread:
        return Spread(self.means_, self.scales_, self.kept_, self.root_, self.weight_)

    def summary(self, level: float = 0.95) -> RegressionSummary:
        """Give the table of coefficients with standard errors, t, p and intervals, and how good the fit is.

        Parameters
        ----------
        level : float, default 0.95
            Of the intervals: the higher, the wider.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_airquality(return_X_y=True)
        >>> summary = tw.LinearRegression().fit(X[["Wind", "Temp"]], y).summary()
        >>> summary.to_frame()[["coefficient", "estimate", "std_error"]].round(4)
           coefficient  estimate  std_error
        0  (intercept)  -71.0332    23.5780
        1         Wind   -3.0555     0.6633
        2         Temp    1.8402     0.2500
        """
        check_is_fitted(self)
        _check_level(level)
        sigma, rank = self.residual_error_, int(self.kept_.sum())
        of_intercept, errors = self._spread().unit_errors()
        first = ([self.intercept_], [of_intercept], ("(intercept)",)) if self.fit_intercept else ([], [], ())
        per_row = self.df_residual_ + rank
        explained = self.target_square_ - self.residual_square_
        testable = rank > 0 and sigma**2 > 0  # a square that is a number may be none after the division
        return RegressionSummary(
            title=f"{type(self).__name__}" + (f" of '{self.schema_.target}'" if self.schema_.target else ""),
            names=(*first[2], *self.coefficient_names_),
            estimates=np.array([*first[0], *np.where(self.kept_, self.coef_, np.nan)]),
            errors=np.array([*first[1], *errors]) * sigma,
            df_residual=self.df_residual_,
            residual_error=sigma,
            quantiles=self.residual_quantiles_,
            r_squared=self.r_squared_,
            adjusted_r_squared=1 - (1 - self.r_squared_) * per_row / max(self.df_residual_, 1),
            f_statistic=explained / rank / sigma**2 if testable else float("nan"),
            rank=rank,
            level=level,
        )

    def predict_interval(
        self, X: Any, coverage: float | None = None, kind: str = "prediction", level: float | None = None
    ) -> Floats:
        """Give the interval of each row: low and high.

        They are those of the normal distribution. Prepared by `tw.conformal` the model gives intervals that need no
        distribution, as every other regressor does.

        Parameters
        ----------
        X : data frame or array
            The rows.
        coverage : float, default 0.95
            The share of such intervals that hold the truth: the higher, the wider. Prepared by `tw.conformal`: 0.9.
        kind : {"prediction", "confidence"}, default "prediction"
            Where a new value of the row will lie, or where the mean of all such values lies.
        level : float, optional
            The same as `coverage`.

        Returns
        -------
        array of shape (n_rows, 2)

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.LinearRegression().fit([[1], [2], [3], [4]], [1.0, 3.0, 2.0, 5.0])
        >>> model.predict_interval([[2.5]], kind="confidence").round(3)
        array([[0.25, 5.25]])
        """
        wanted = level if coverage is None else coverage
        if "conformal_" in self.__dict__ and kind == "prediction":
            return conformal_interval(self, X, 0.9 if wanted is None else wanted)
        columns = self._columns(X)
        share = 0.95 if wanted is None else wanted
        _check_level(share)
        if kind not in ("prediction", "confidence"):
            raise DataError(f"kind is 'prediction' or 'confidence'. Got {kind!r} instead.")
        if self.df_residual_ <= 0:
            raise DataError(
                "The model has as many coefficients as it had rows, so that nothing tells how far it can be trusted. "
                "Train it on more rows, or on fewer columns."
            )
        with one_blas_thread():
            matrix = self._design.matrix(columns)
            middle = row_products(matrix, self.coef_) + self.intercept_
            variance = self._spread().lengths(matrix) + (1.0 if kind == "prediction" else 0.0)
        reach = t_quantile(self.df_residual_, share) * self.residual_error_ * np.sqrt(variance)
        return np.column_stack([middle - reach, middle + reach])

    def __str__(self) -> str:
        return str(self.summary()) if hasattr(self, "coef_") else repr(self)


def _check_level(share: float) -> None:
    if not 0 < share < 1:
        raise DataError(f"level is a number between 0 and 1, such as 0.95. Got {share!r} instead.")


def _importances(found: LeastSquares, design: LinearDesign) -> Floats:
    """How far each column of the table moves the answers: the spread of its part, all of them adding up to 1."""
    moved = found.r_factor.columns * (found.coefficients * found.r_factor.scales)
    n_columns = len(design.design.schema.columns)
    parts = np.zeros((n_columns, len(moved)))
    np.add.at(parts, design.sources, moved.T)
    spreads = np.linalg.norm(parts, axis=1)
    total = spreads.sum()
    return np.asarray(spreads / total if total > 0 else spreads)

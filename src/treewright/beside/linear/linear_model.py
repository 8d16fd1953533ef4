"""What linear models share: the matrix, the coefficients with their names, answers, and the model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from treewright.beside.columns import Columns, Floats
from treewright.beside.learner_model import LearnerRegressor, Truth
from treewright.beside.linear.basis.choice import holds_functions
from treewright.beside.linear.linear_design import LinearDesign, learn_linear_design, restore_linear_design
from treewright.encode.schema import Schema
from treewright.errors import DataError

MATRIX_CONSTRAINTS: dict[str, list[Any]] = {
    "basis": [None, str, dict, callable, "array-like"],
    "fit_intercept": ["boolean"],
    "missing": [StrOptions({"mean", "flag", "refuse"})],
    "column_kinds": [None, Mapping],
    "n_jobs": [None, int],
}
_MATRIX_ARRAYS = ("fill_", "flagged_", "basis_sizes_", "basis_numbers_")


class LinearModel(LearnerRegressor):
    """The part that least squares and penalised least squares share. Subclasses give `_fit_matrix`."""

    _learnt_arrays: ClassVar[tuple[str, ...]] = ("coef_", *_MATRIX_ARRAYS)
    _learnt_numbers: ClassVar[tuple[str, ...]] = ("intercept_",)
    _contrasts = "treatment"

    coef_: Floats
    intercept_: float
    _design: LinearDesign

    def _fit_matrix(self, matrix: Floats, truth: Truth, design: LinearDesign) -> dict[str, Any]:
        """Learn from the matrix; give `coef_`, `intercept_` and what else was learnt."""
        raise NotImplementedError

    # ---------------------------------------------------------------- learning and answering
    def _learn(self, columns: Columns, truth: Truth) -> dict[str, Any]:
        design = learn_linear_design(columns, truth.weights, self._coding(), self.missing, self.basis)
        return {**self._fit_matrix(design.matrix(columns), truth, design), **design.arrays()}

    def _coding(self) -> str:
        return self._contrasts

    def _answers(self, columns: Columns) -> NDArray[Any]:
        return np.asarray(self._design.matrix(columns) @ self.coef_ + self.intercept_)

    # ---------------------------------------------------------------- the model file
    def _prepare(self) -> None:
        learnt = {name: getattr(self, name) for name in _MATRIX_ARRAYS}
        self._design = restore_linear_design(self.schema_, self._coding(), self.basis, learnt)

    def _check_learnt(self, schema: Schema, classes: NDArray[Any] | None, learnt: dict[str, Any]) -> None:
        design = restore_linear_design(schema, self._coding(), self.basis, learnt)
        if learnt["coef_"].shape != (len(design.names),) or not np.isfinite(learnt["coef_"]).all():
            raise ValueError("its coefficients do not fit its columns")
        if "intercept_" not in learnt:
            raise ValueError("it has no intercept")

    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        if holds_functions(self.basis):
            raise DataError(
                "This model has functions of yours in its basis, and a model file never holds code. "
                "Use a basis with a name, such as 'spline:5', or compute the columns before you train."
            )
        return super()._tw_state()

    # ---------------------------------------------------------------- about the model
    def __sklearn_is_fitted__(self) -> bool:
        return "coef_" in self.__dict__  # a parameter may end in _ too

    @property
    def coefficient_names_(self) -> tuple[str, ...]:
        """What each coefficient in `coef_` belongs to.

        Examples
        --------
        >>> import pandas as pd
        >>> import treewright as tw
        >>> X = pd.DataFrame({"age": [20, 30, 40, 50], "job": ["cook", "smith", "cook", "smith"]})
        >>> tw.LinearRegression().fit(X, [1.0, 3.0, 3.0, 5.0]).coefficient_names_
        ('age', 'job = smith')
        """
        check_is_fitted(self)
        return self._design.names

"""Logistic regression on tables as they are: two classes or more, penalties, several solvers, standard errors."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.design_matrix import Columns, Design, Floats, learn_design, matrix_width
from treewright.learners.base.learnt import count, real, reals, truths
from treewright.learners.base.links import expit, shares, softmax
from treewright.learners.base.matrix_model import LaidOutRows, MatrixClassifier, MatrixModel, Target
from treewright.learners.base.parameters import above, fitted, number, one_of, parameter, whole
from treewright.learners.base.progress_bar import show_progress
from treewright.learners.base.row_products import check_sums, row_products
from treewright.learners.base.scaling import column_shares
from treewright.learners.logistic.choose_penalty import choose_penalty
from treewright.learners.logistic.fit import LogisticFit, fit_logistic
from treewright.learners.logistic.plan import MOST_FOR_NEWTON
from treewright.learners.logistic.summary import LogisticSummary, logistic_text, summary_of
from treewright.memory import FEWER_LEVELS, Block
from treewright.sources.answers import in_batches
from treewright.sources.source import Source
from treewright.table.schema import Schema


class LogisticRegression(MatrixClassifier, MatrixModel):
    """Probabilities of classes out of a weighted sum of the columns.

    Two classes: the log of the odds of the second class is a sum. More: each class has a sum, and the shares are their
    softmax. Nominal columns become columns of 0 and 1 (see `contrasts`), ordinal ones the scores 1, 2, …, and missing
    values the mean of their column. Defaults are those of scikit-learn, and so are the results, to the digits that
    both give.

    Attributes
    ----------
    classes_ : array
        The class labels, sorted.
    coef_ : array of shape (1, columns) or (classes, columns)
        The coefficients; with two classes one row, for the second class. `coef_names_` names the columns.
    intercept_ : array
        The constants.
    standard_errors_ : array of shape (1 or classes - 1, 1 + columns)
        With penalty=None: of the constant and the coefficients, against the first class. NaN for a column that is a sum
        of others.
    deviance_, null_deviance_ : float
        Twice the log loss, and that of a model without columns.
    loss_curve_ : array
        The mean loss after each step or pass, for "gradient_descent" and "sgd".
    n_iter_ : int
        Steps or passes made.
    C_ : float
        With C="cv": the C that was chosen. `Cs_` are those that were tried (once it gets worse, no larger ones), and
        `cv_losses_` their mean log losses on held-out rows.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
    >>> model = tw.LogisticRegression(penalty=None).fit(X, y)
    >>> print(model.summary())
    Logistic regression of 'Kyphosis': 81 rows
    <BLANKLINE>
    log odds of present against absent
                 estimate  std. error  z value  p-value
    (intercept)    -2.037        1.45   -1.405     0.16
    Age           0.01093    0.006447    1.696     0.09  .
    Number         0.4106      0.2249    1.826    0.068  .
    Start         -0.2065      0.0677   -3.050   0.0023  **
    <BLANKLINE>
    p-value: *** below .001, ** below .01, * below .05, . below .1
    null deviance      83.2345 on 80 degrees of freedom
    residual deviance  61.3799 on 77 degrees of freedom
    AIC                69.3799
    steps              6
    """

    penalty: str | None = parameter(
        default="l2",
        takes=[one_of("l2", "l1", "elasticnet"), None],
        kind='{"l2", "l1", "elasticnet", None}',
        kw_only=False,
        doc="""What is added to the loss to keep coefficients small: half the sum of their squares, the sum of
        their absolute values (which makes some of them zero), a mixture of both, or nothing. The intercept costs
        nothing.""",
    )
    C: float | str = parameter(
        default=1.0,
        takes=[number(1e-300, None), one_of("cv")],
        kind='float above 0, or "cv"',
        doc="""The penalty is divided by C, the loss is a sum over rows. Raising it gives larger coefficients; infinity
        is no penalty. "cv" chooses it by cross-validation: the least log loss on rows held out.""",
    )
    l1_ratio: float = parameter(
        default=0.5,
        takes=number(0.0, 1.0),
        doc="The share of absolute values in the elastic net.",
    )
    Cs: Any = parameter(
        default=10,
        takes=[whole(1, 1000), "array-like"],
        kind="int or list of float",
        doc='With C="cv": the C that are tried, or how many between 10⁻⁴ and 10⁴, evenly in powers.',
    )
    cv: Any = parameter(
        default=5,
        takes=[whole(2), HasMethods(["split"]), list],
        kind="int, scikit-learn splitter or list of splits",
        doc="""With C="cv": the folds. Those of a number are dealt by the content of rows, each class for itself: order
        and doubled rows do not matter.""",
    )
    loss: str = parameter(
        default="log",
        takes=one_of("log", "squared", "squared_sigmoid"),
        doc="""The loss of a row: minus the log of the probability of its class; or (both other names) half the squared
        difference between the class, as 0 or 1, and its probability. The second is there for the lecture: it is not
        convex and learns nothing from rows that are confidently wrong. With more than two classes it has one unit a
        class.""",
    )
    solver: str = parameter(
        default="auto",
        takes=one_of("auto", "newton", "lbfgs", "coordinate_descent", "gradient_descent", "sgd"),
        doc="""How the least loss is found. "auto": "newton" up to 500 coefficients, "lbfgs" above and for squared loss,
        "coordinate_descent" for penalties with corners. "gradient_descent" (all rows a step) and "sgd" (one row a step)
        are those of the lectures, and keep their `loss_curve_`.""",
    )
    fit_intercept: bool = parameter(default=True, takes="boolean", doc="Whether the sums have a constant.")
    contrasts: str = parameter(
        default="auto",
        takes=one_of("auto", "treatment", "full"),
        doc="""Nominal columns. "treatment": a column of 0 and 1 for every level but the first, which the others are
        compared with, as in R. "full": one for every level; a penalty then shrinks all levels alike, and their order
        does not matter. "auto": "full" with a penalty, "treatment" without.""",
    )
    standardize: bool = parameter(
        default=False,
        takes="boolean",
        doc="""Whether columns are divided by their spread before they are penalised, and before a gradient is gone
        down. Coefficients are told for the columns as they are.""",
    )
    learning_rate: float | None = parameter(
        default=None,
        takes=[above(0.0), None],
        doc='Of "gradient_descent" and "sgd". None takes one that is safe: 1 over the largest second derivative.',
    )
    tol: float = parameter(
        default=1e-6,
        takes=above(0.0),
        doc="""When it ends. "newton" and "coordinate_descent": when no step would be longer than a hundredth of it, in
        standard errors; "lbfgs": when no slope of the mean loss is above a hundredth of it; "gradient_descent" and
        "sgd": when a step or two passes lower the mean loss by no more.""",
    )
    max_iter: int | None = parameter(
        default=None,
        takes=[whole(1), None],
        doc="""The most steps, or passes over the rows. None: 100 for "newton" and "coordinate_descent", 1,000 for
        "lbfgs", 10,000 for "gradient_descent", 200 for "sgd".""",
    )
    class_weight: Mapping[Any, float] | str | None = parameter(
        default=None,
        takes=[dict, one_of("balanced"), None],
        doc="How much each class counts.",
    )
    missing: str = parameter(
        default="mean",
        takes=one_of("mean", "flag", "refuse"),
        doc="""Missing values become the mean of their column; with "flag" a column of 0 and 1 beside it says where;
        "refuse" makes them an error.""",
    )
    warm_start: bool = parameter(
        default=False,
        takes="boolean",
        doc="Whether a second fit starts from the coefficients of the first.",
    )
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc='The seed of the order of rows in "sgd", and of the folds; None is 0.',
    )
    verbose: int = parameter(
        default=0,
        takes="verbose",
        doc="Whether a bar on stderr shows how far the fit is, with the mean loss.",
    )

    _fitted_numbers = {
        "deviance_": real(absent="unknown"),
        "null_deviance_": real(absent="unknown"),
        "n_iter_": count(),
        "n_rows_": count(),
        "rank_": count(),
        "has_all_levels_": count(),
        "C_": real(0.0, absent="left out"),
        "n_folds_": count(2, absent="left out"),
    }
    _fitted_arrays = {
        "coef_": reals("outputs", "terms"),
        "intercept_": reals("outputs", infinite=True),
        "standard_errors_": reals("contrasts", "of a contrast", unknown=True, infinite=True, needed=False),
        "loss_curve_": reals("steps", unknown=True, infinite=True, needed=False),
        "Cs_": reals("tried", needed=False),
        "cv_losses_": reals("tried", needed=False),
        "spread_": reals("terms"),
        "fill_": reals("terms"),
        "flagged_": truths("columns"),
    }

    coef_: Floats = fitted()
    intercept_: Floats = fitted()

    # ---------------------------------------------------------------- fit
    _sparing = FEWER_LEVELS

    def _fit_blocks(self, data: LaidOutRows) -> list[Block]:
        n_rows, width = data.columns.n_rows, 1 + matrix_width(data.schema, self._contrasts())
        units = 1 if data.classes is None or len(data.classes) <= 2 else len(data.classes)
        copied = 0 if units * width <= MOST_FOR_NEWTON else n_rows
        compared = width if self.penalty is None else 0  # with no penalty columns must tell different things
        return [
            Block(24, rows=n_rows),
            Block(8, rows=copied, columns=width),
            Block(24, columns=width, columns_=compared),
            Block(160, classes=units, columns=width),
        ]

    def _learn_from(self, columns: Columns, truth: Target) -> dict[str, Any]:
        design = learn_design(columns, truth.weights, self._contrasts(), self.missing)
        matrix = design.matrix(columns)
        progress = _core.Progress()

        def watch(step: int, loss: float) -> None:
            progress.done, progress.score = step, loss

        with show_progress(progress, type(self).__name__, "loss", self.verbose):
            model, chosen = self._with_penalty(matrix, truth, design.names)
            found = fit_logistic(model, matrix, truth, design.names, self._start(design, truth), watch)
        self._warn(found)
        shape = {"fill_": design.fill, "flagged_": design.flagged, "has_all_levels_": int(design.contrasts == "full")}
        return {**found.fitted, **shape, **chosen}

    def _with_penalty(self, matrix: Floats, truth: Target, names: tuple[str, ...]) -> tuple[Any, dict[str, Any]]:
        """This model with a C that is a number, and what is to be told of how it was chosen."""
        if self.C != "cv":
            return self, {}
        if self.penalty is None:
            raise DataError("C='cv' chooses a penalty, and penalty=None has none. Leave out one of them.")
        held_out = choose_penalty(self, matrix, truth, names)
        model = copy(self)
        model.C = held_out.best
        told = {"C_": model.C, "n_folds_": held_out.n_folds, "Cs_": held_out.tried, "cv_losses_": held_out.losses}
        return model, told

    def _contrasts(self) -> str:
        if self.contrasts != "auto":
            return self.contrasts
        without = self.penalty is None or (self.C != "cv" and np.isinf(float(self.C)))
        return "treatment" if without else "full"

    def _start(self, design: Design, truth: Target) -> tuple[Floats, Floats] | None:
        """The coefficients of the fit before, if it is to go on and has the same columns and classes."""
        if not self.warm_start or "coef_" not in self.__dict__:
            return None
        same = self.schema_ == design.schema and np.array_equal(self.classes_, np.asarray(truth.classes))
        fits = same and self.coef_.shape[1] == len(design.names) and np.isfinite(self.intercept_).all()
        return (self.coef_, self.intercept_) if fits else None

    def _warn(self, found: LogisticFit) -> None:
        if found.warning is not None:
            warnings.warn(found.warning, ConvergenceWarning, stacklevel=4)

    def _prepare(self) -> None:
        self._design = _design(self.schema_, self.__dict__)

    def _check_fitted(self, schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> None:
        design = _design(schema, fitted)
        units = 1 if classes is None or len(classes) <= 2 else len(classes)
        if len({name in fitted for name in ("C_", "n_folds_", "Cs_", "cv_losses_")}) > 1:
            raise ValueError("it does not say how its penalty was chosen")
        if "Cs_" in fitted and not len(fitted["Cs_"]):
            raise ValueError("it has tried no penalty")
        check_sums(fitted["fill_"], fitted["coef_"])
        errors = fitted.get("standard_errors_")
        if errors is not None and errors.shape != (max(units - 1, 1), 1 + len(design.names)):
            raise ValueError("its standard errors do not fit its coefficients")

    # ---------------------------------------------------------------- answers
    @property
    def coef_names_(self) -> tuple[str, ...]:
        """The names of the coefficients, in the order of the columns of `coef_`."""
        check_is_fitted(self)
        return self._design.names

    @property
    def feature_importances_(self) -> Floats:
        """How far each column of the table moves the sums: spread times coefficient, as shares that sum to 1."""
        check_is_fitted(self)
        return column_shares(self.coef_, self.spread_, self._design.sources, len(self.schema_.columns))

    def _sums(self, columns: Columns) -> Floats:
        return np.asarray(row_products(self._design.matrix(columns), self.coef_.T) + self.intercept_)

    def decision_function(self, X: Any) -> Floats:
        """Give the sums: with two classes one number a row, the log of the odds of the second class; else one a class.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.LogisticRegression().fit([[0], [1], [2], [3]], list("abab")).decision_function([[1.5]]).round(3)
        array([0.])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.decision_function)
        sums = self._sums(self._columns(X))
        return np.asarray(sums[:, 0] if len(self.classes_) <= 2 else sums)

    def _probabilities(self, columns: Columns) -> Floats:
        sums = self._sums(columns)
        if len(self.classes_) == 1:
            return np.ones((len(sums), 1))
        if len(self.classes_) == 2:
            return np.column_stack([expit(-sums[:, 0]), expit(sums[:, 0])])
        if self.loss == "log":
            return softmax(sums)
        return shares(expit(sums))

    # ---------------------------------------------------------------- about the model
    def summary(self) -> LogisticSummary:
        """Give the coefficients, standard errors, z and p-values, deviances and AIC, to print or to take apart.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
        >>> round(tw.LogisticRegression(penalty=None).fit(X, y).summary().aic, 4)
        69.3799
        """
        check_is_fitted(self)
        return summary_of(self)

    def odds_ratios(self, level: float = 0.95) -> Any:
        """Give by what factor the odds change when a column grows by 1, as a data frame.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.LogisticRegression().fit([[0], [1], [2], [3]], list("abab"))
        >>> model.odds_ratios().round(3)
                     odds_ratio
        (intercept)       0.507
        x0                1.573
        """
        return self.summary().odds_ratios(level)

    def __str__(self) -> str:
        return logistic_text(self) if "schema_" in self.__dict__ else str(super().__repr__())


def _design(schema: Schema, fitted: Mapping[str, Any]) -> Design:
    """How rows become rows of the matrix, as it was learnt."""
    contrasts = "full" if fitted["has_all_levels_"] else "treatment"
    return Design(schema, contrasts, fitted["flagged_"], fitted["fill_"])

"""The perceptron of the lectures on tables as they are: threshold, linear or sigmoid neuron."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.learners.base.design_matrix import Columns, Design, Floats, learn_design, matrix_width
from treewright.learners.base.learnt import count, real, reals, truths
from treewright.learners.base.links import expit, shares
from treewright.learners.base.matrix_model import LaidOutRows, MatrixClassifier, MatrixModel, Target
from treewright.learners.base.parameters import above, at_least, fitted, one_of, parameter, whole
from treewright.learners.base.progress_bar import show_progress
from treewright.learners.base.row_products import check_sums, row_products
from treewright.learners.base.scaling import column_shares
from treewright.learners.perceptron.fit import fit_perceptron, perceptron_text
from treewright.memory import FEWER_LEVELS, Block
from treewright.sources.answers import in_batches
from treewright.sources.source import Source
from treewright.table.schema import Schema


def _has_probabilities(model: Any) -> bool:
    return bool(model.neuron == "sigmoid") or "calibration_" in model.__dict__


class Perceptron(MatrixClassifier, MatrixModel):
    """One neuron a class (one in all for two classes), which learns example by example.

    The threshold neuron follows the rule of the lectures: where an example is on the wrong side, or on the border, it
    is added to the weights or taken from them. If a plane parts the classes the rule finds one, after at most
    (R / γ)² mistakes; `bound_` tells that number. If none does, the rule goes on for ever, so that the best weights it
    came by are kept in a pocket. The linear and the sigmoid neuron go down the slope of their squared error (delta
    rule).

    Attributes
    ----------
    classes_ : array
        The class labels, sorted.
    coef_, intercept_ : array
        The weights, one row for two classes, else one a class.
    mistakes_ : int
        Updates that were made, of all neurons.
    separable_ : bool
        Whether every neuron ended with a pass without a mistake.
    bounds_ : array
        For each neuron that did: the most mistakes that it could have made, (R / γ)², by the widest margin γ there is
        and the longest row R, both in the columns that it learnt from with the constant 1 among them. NaN for others.
    loss_curve_ : array
        Mistakes of each pass, or the mean loss; of several neurons the sum.
    n_iter_ : int
        Passes made.

    References
    ----------
    F. Rosenblatt, 1958; A. B. J. Novikoff, On convergence proofs for perceptrons, 1962; S. I. Gallant,
    Perceptron-based learning algorithms, 1990.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.Perceptron(standardize=False, shuffle=False).fit([[1], [2], [4], [5]], list("aabb"))
    >>> model.coef_, model.intercept_, model.mistakes_, model.separable_
    (array([[1.]]), array([-3.]), 7, True)
    """

    neuron: str = parameter(
        default="threshold",
        takes=one_of("threshold", "linear", "sigmoid"),
        kw_only=False,
        doc="What the neuron makes of its sum.",
    )
    multi_class: str = parameter(
        default="auto",
        takes=one_of("auto", "joint", "one_vs_rest"),
        doc="""More than two classes. "joint": all neurons learn together; where the largest sum is not that of
        the right class, that class's weights move towards the example and the largest one's away. "one_vs_rest":
        each neuron learns its class against all others. "auto": "joint" for the threshold neuron, "one_vs_rest"
        for others.""",
    )
    pocket: bool = parameter(
        default=True,
        takes="boolean",
        doc="""Whether the answer is the weights with the fewest errors in training, among those that were right for
        longest; else the last ones. Threshold neuron only.""",
    )
    average: bool = parameter(
        default=False,
        takes="boolean",
        doc="Whether the answer is the mean of the weights after every example; then there is no pocket.",
    )
    eta0: float | None = parameter(
        default=None,
        takes=[above(0.0), None],
        doc="""How far one example moves the weights. None: 1 for the threshold neuron, where it changes nothing but the
        length of the weights; for the others the largest step with which no example can overshoot.""",
    )
    fit_intercept: bool = parameter(default=True, takes="boolean", doc="Whether a constant 1 is among the columns.")
    standardize: bool = parameter(
        default=True,
        takes="boolean",
        doc="""Whether columns are brought to mean 0 and spread 1 first. The rule of the lectures on the numbers as they
        are is False. Weights are told for the columns as they are.""",
    )
    shuffle: bool = parameter(
        default=True,
        takes="boolean",
        doc="""Whether each pass has an order of its own. Then equal rows count as one of their joint weight, and the
        order of the table does not matter. False visits the table from top to bottom.""",
    )
    tol: float | None = parameter(
        default=0.001,
        takes=[at_least(0.0), None],
        doc="""A pass is better if it makes fewer errors by this share of the rows (or a mean loss lower by this). None
        goes on to `max_iter`, or to a pass without mistakes.""",
    )
    n_iter_no_change: int = parameter(
        default=5,
        takes=whole(1),
        doc="""It ends after so many passes without a better one, but not before 200,000 examples were seen by a
        threshold neuron.""",
    )
    max_iter: int = parameter(default=1000, takes=whole(1), doc="The most passes.")
    class_weight: Mapping[Any, float] | str | None = parameter(
        default=None,
        takes=[dict, one_of("balanced"), None],
        doc="How much each class counts: the step is multiplied by it.",
    )
    missing: str = parameter(
        default="mean",
        takes=one_of("mean", "flag", "refuse"),
        doc="""Missing values become the mean of their column; with "flag" a column of 0 and 1 beside it says where;
        "refuse" makes them an error.""",
    )
    keep_trace: bool = parameter(
        default=False,
        takes="boolean",
        doc="""Whether to keep the weights after every update (of linear and sigmoid neurons after every pass), see
        `trace()`.""",
    )
    random_state: Any = parameter(default=None, takes="random_state", doc="The seed of the orders.")
    verbose: int = parameter(default=0, takes="verbose", doc="Whether a bar on stderr shows how far the fit is.")

    _fitted_numbers = {"n_iter_": count(), "mistakes_": count(), "radius_": real(absent="left out")}
    _fitted_arrays = {
        "coef_": reals("outputs", "terms"),
        "intercept_": reals("outputs"),
        "bounds_": reals("neurons", unknown=True, infinite=True),
        "margins_": reals("neurons", unknown=True, infinite=True),
        "separated_": truths("neurons"),
        "loss_curve_": reals("passes", unknown=True, infinite=True, needed=False),
        "trace_": reals("updates", "of an update", unknown=True, infinite=True, needed=False),
        "spread_": reals("terms"),
        "fill_": reals("terms"),
        "flagged_": truths("columns"),
    }

    coef_: Floats = fitted()
    intercept_: Floats = fitted()

    # ---------------------------------------------------------------- fit
    _sparing = FEWER_LEVELS

    def _fit_blocks(self, data: LaidOutRows) -> list[Block]:
        n_rows, width = data.columns.n_rows, matrix_width(data.schema)
        classes = 0 if data.classes is None else len(data.classes)
        return [Block(16, rows=n_rows, columns=width), Block(32, classes=classes, columns=width)]

    def _learn_from(self, columns: Columns, truth: Target) -> dict[str, Any]:
        design = learn_design(columns, truth.weights, missing=self.missing)
        progress = _core.Progress()

        def watch(number: int, score: float) -> None:
            progress.done, progress.score = number, score

        with show_progress(progress, type(self).__name__, "errors", self.verbose):
            fitted = fit_perceptron(self, design.matrix(columns), truth, design.names, watch)
        return {**fitted, "fill_": design.fill, "flagged_": design.flagged}

    def _prepare(self) -> None:
        self._design = Design(self.schema_, "treatment", self.flagged_, self.fill_)

    def _check_fitted(self, schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> None:
        design = Design(schema, "treatment", fitted["flagged_"], fitted["fill_"])
        units = 1 if classes is None or len(classes) <= 2 else len(classes)
        if len(fitted["bounds_"]) not in (1, units):
            raise ValueError("its bounds_ are not one a neuron")
        check_sums(fitted["fill_"], fitted["coef_"])
        if "trace_" in fitted and fitted["trace_"].shape[1] != 4 + len(design.names):
            raise ValueError("its trace does not fit its columns")

    # ---------------------------------------------------------------- answers
    def _sums(self, columns: Columns) -> Floats:
        return np.asarray(row_products(self._design.matrix(columns), self.coef_.T) + self.intercept_)

    def _answers(self, columns: Columns) -> NDArray[Any]:
        sums = self._sums(columns)
        two = len(self.classes_) == 2
        return np.asarray(self.classes_[(sums[:, 0] > 0).astype(np.intp) if two else sums.argmax(axis=1)])

    def decision_function(self, X: Any) -> Floats:
        """Give the sums: with two classes one number a row, above 0 for the second class; else one a class.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.Perceptron(standardize=False, shuffle=False).fit([[1], [2], [4], [5]], list("aabb"))
        >>> model.decision_function([[3]])
        array([0.])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.decision_function)
        sums = self._sums(self._columns(X))
        return np.asarray(sums[:, 0] if len(self.classes_) <= 2 else sums)

    def _probabilities(self, columns: Columns) -> Floats:
        each = expit(self._sums(columns))
        if len(self.classes_) == 1:
            return np.ones_like(each)
        if len(self.classes_) == 2:
            return np.column_stack([1 - each[:, 0], each[:, 0]])
        return shares(each)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Give what the sigmoid neurons say, as shares that sum to 1.

        Other neurons have no probabilities until `tw.calibrate` makes some of their sums.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.Perceptron("sigmoid", tol=1e-9).fit([[1], [2], [4], [5]], list("aabb"))
        >>> model.predict_proba([[3]]).round(1)
        array([[0.5, 0.5]])
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.predict_proba)
        return super().predict_proba(X)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Give the logarithms of `predict_proba`."""
        return super().predict_log_proba(X)

    # ---------------------------------------------------------------- about the model
    @property
    def coef_names_(self) -> tuple[str, ...]:
        """The names of the weights, in the order of the columns of `coef_`."""
        check_is_fitted(self)
        return self._design.names

    @property
    def separable_(self) -> bool:
        """Whether every neuron ended with a pass without a mistake."""
        check_is_fitted(self)
        return bool(np.all(self.separated_))

    @property
    def bound_(self) -> float:
        """The most mistakes that all neurons together could have made; NaN where one of them did not separate."""
        check_is_fitted(self)
        return float(np.sum(self.bounds_))

    @property
    def feature_importances_(self) -> Floats:
        """How far each column of the table moves the sums: spread times weight, as shares that sum to 1."""
        check_is_fitted(self)
        return column_shares(self.coef_, self.spread_, self._design.sources, len(self.schema_.columns))

    def trace(self) -> pd.DataFrame:
        """Give the weights after every update as a data frame, where `keep_trace` was on.

        Column `row` is the row of the table that was mistaken (the first of equal ones), or -1 after a whole pass.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.Perceptron(standardize=False, shuffle=False, keep_trace=True)
        >>> model.fit([[1], [2], [4], [5]], list("aabb")).trace().head(3)
           neuron  pass  row  (intercept)   x0
        0       0     1    0         -1.0 -1.0
        1       0     1    2          0.0  3.0
        2       0     2    0         -1.0  2.0
        """
        check_is_fitted(self)
        if "trace_" not in self.__dict__:
            raise AttributeError("No trace was kept. Fit with keep_trace=True.")
        kept = cast(Floats, self.trace_)
        frame = pd.DataFrame(kept[:, 3:], columns=["(intercept)", *self.coef_names_])
        for place, name in enumerate(("neuron", "pass", "row")):
            frame.insert(place, name, kept[:, place].astype(np.int64))
        return frame

    def __str__(self) -> str:
        return perceptron_text(self) if "schema_" in self.__dict__ else str(super().__repr__())

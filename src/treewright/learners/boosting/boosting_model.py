"""What both gradient boosters do: the rules for the core, the rows that judge, and sums that start somewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.column_rules import MONOTONIC_CST, column_groups, monotone_ways
from treewright.learners.base.folds import Rows, draw_held_out, join_columns, join_tables
from treewright.learners.base.learnt import Arrays, Numbers, count, real, reals
from treewright.learners.base.parameters import (
    MOST_TREES,
    above,
    at_least,
    declares_parameters,
    fitted,
    number,
    one_of,
    parameter,
    share,
    whole,
)
from treewright.learners.ensemble.ensemble_model import Floats, GrownTrees
from treewright.learners.trees.training_data import CodedRows, encode_rows, rows_of
from treewright.table.frame import InputFrame
from treewright.table.target import encode_weights

_PLAIN = ("n_estimators", "learning_rate", "max_leaf_nodes", "max_depth", "min_hessian", "l2_regularization",
          "min_gain", "subsample", "level_smoothing", "level_charge")  # fmt: skip
_NONE = np.empty(0, dtype=np.uint32)
_BUCKET_SAMPLE = 32768  # splits lie between the runs of long columns, so these have to be fair


@dataclass(frozen=True, kw_only=True)
class BoostedRows(CodedRows):
    """What is boosted: coded rows, and which of them judge, where the user has said so, with their weights."""

    held_out: tuple[Rows, Floats | None] | None = None


@declares_parameters
class BoostingModel(BaseEstimator):  # type: ignore[misc]
    """What the boosting classifier and regressor share beside `EnsembleModel`."""

    learning_rate: float = parameter(
        default=0.1,
        takes=above(0.0),
        doc="What every leaf is multiplied by. Lowering it needs more trees, and mostly gives a better model.",
    )
    n_estimators: int = parameter(
        default=100,
        takes=whole(1, MOST_TREES),
        doc="""Rounds. Each adds a tree, with three classes and more one for each class. Too many overfit: see
        `early_stopping`.""",
    )
    max_leaf_nodes: int | None = parameter(
        default=31,
        takes=[whole(2), None],
        doc="The most leaves of a tree. Raising it lets more columns act together; None sets no limit.",
    )
    max_depth: int | None = parameter(
        default=None,
        takes=[whole(1), None],
        doc="The most questions on the way to a leaf. None sets no limit.",
    )
    growth: str = parameter(
        default="leaf",
        takes=one_of("leaf", "level"),
        doc="Which node is divided next: the one with the most to gain, or all of one depth before the next.",
    )
    min_samples_leaf: float = parameter(
        default=20,
        takes=[whole(1), share("neither")],
        doc="No leaf may have fewer rows. A fraction is a share of all rows. Raising it gives smoother trees.",
    )
    min_hessian: float = parameter(
        default=0.001,
        takes=at_least(0.0),
        doc="No leaf may have a smaller sum of hessians. Raising it keeps leaves from answering with large numbers.",
    )
    l2_regularization: float = parameter(
        default=0.0,
        takes=at_least(0.0),
        doc="Added to the hessian of every leaf. Raising it draws the answers of small leaves towards 0.",
    )
    min_gain: float = parameter(
        default=0.0,
        takes=at_least(0.0),
        doc="A split must lower the loss by more than this. Raising it gives smaller trees.",
    )
    subsample: float = parameter(
        default=1.0,
        takes=number(0.0, 1.0, "right"),
        doc="""The share of rows that each tree is grown from, drawn without putting back. Lowering it mostly saves
        time.""",
    )
    max_features: float | str | None = parameter(
        default=None,
        takes=[one_of("sqrt", "log2"), whole(1), share("right"), None],
        kind='int, float, "sqrt" or "log2"',
        doc="How many columns are drawn for each node; a fraction is a share of them. None takes all.",
    )
    max_features_per_tree: float | str | None = parameter(
        default=None,
        takes=[one_of("sqrt", "log2"), whole(1), share("right"), None],
        kind='int, float, "sqrt" or "log2"',
        doc="The same for each tree. Nodes then draw from the columns of their tree.",
    )
    max_bins: int | None = parameter(
        default=255,
        takes=[whole(2, 255), None],
        doc="""Numbers are cut into at most so many runs of about equal size, and only the cuts between runs are tried.
        None tries every cut, as a single tree does, and takes several times as long.""",
    )
    level_smoothing: float = parameter(
        default=1.0,
        takes=at_least(0.0),
        doc="""Levels of nominal columns are ordered by gradient ÷ (hessian + this). Raising it draws rare levels to the
        middle.""",
    )
    level_charge: float = parameter(
        default=1.0,
        takes=at_least(0.0),
        doc="""Sorted by their gradients, many levels look good even on noise. This many times what noise would gain is
        taken off before a nominal column is compared with others. 0 charges nothing.""",
    )
    monotonic_cst: Any = MONOTONIC_CST
    interaction_cst: Any = parameter(
        default=None,
        takes=[list, tuple, HasMethods(["__iter__"]), one_of("pairwise", "no_interactions"), None],
        kind='list of lists, "pairwise" or "no_interactions"',
        doc="""Groups of columns, by name or number, that may stand on one path: ``[["age", "job"], ["zip"]]``. Columns
        that are in no group make one more.""",
    )
    early_stopping: bool = parameter(
        default=False,
        takes="boolean",
        doc="""Stop when the loss of held-out rows has not improved for `n_iter_no_change` rounds, and keep the best
        round.""",
    )
    validation_fraction: float | None = parameter(
        default=0.1,
        takes=[number(0.0, 1.0, "neither"), whole(1), None],
        doc="""With early stopping: the share (or number) of rows that are held out, unless `fit` is given some. Classes
        keep their shares. None judges by the rows that are learnt from.""",
    )
    n_iter_no_change: int = parameter(
        default=10,
        takes=whole(1),
        doc="With early stopping: how many rounds without improvement end it.",
    )
    tol: float = parameter(
        default=1e-7,
        takes=at_least(0.0),
        doc="With early stopping: an improvement must be larger than this.",
    )
    missing: str = parameter(
        default="learn",
        takes=one_of("learn", "refuse"),
        doc="Every cut is tried with the rows without a value on either side, or missing values are an error.",
    )
    verbose: int = parameter(default=0, takes="verbose", doc="1 shows a progress bar.")
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="Draws rows and columns where fewer than all are taken, and the rows that are held out.",
    )

    baseline_: Floats = fitted()
    _each_tree_counts_same = False
    _score_name = "loss"
    _fitted_numbers: ClassVar[Numbers] = {"n_estimators_": count(), "validation_score_": real(absent="left out")}
    _renamed: ClassVar[Mapping[str, str]] = {"loss_history_": "loss_curve_"}
    _fitted_arrays: ClassVar[Arrays] = {
        "baseline_": reals("outputs"),
        "loss_curve_": reals("stages", unknown=True, infinite=True, needed=False),
    }

    _fit_bytes: ClassVar[tuple[float, float]] = (4, 60)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Boost the trees. If it is interrupted or refused, the estimator stays as it was.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, a duckdb relation, a numpy array or a list of rows. Text, categories,
            booleans, dates and missing values are taken as they are.
        y : column of length n_rows
            The target.
        sample_weight : column of length n_rows, optional
            How much each row counts; a weight of 0 drops it.
        X_val, y_val, sample_weight_val
            With ``early_stopping=True``: the rows that judge, in place of some that are held out.

        Returns
        -------
        self
        """
        if X_val is None and y_val is None:
            self._fit(X, y, sample_weight)
            return self
        if X_val is None or y_val is None or not self.early_stopping:
            raise DataError("X_val and y_val go together, with early_stopping=True. Pass both and say so, or neither.")
        X, X_val = self._table(X), self._table(X_val)
        n, n_val = X.shape[0], X_val.shape[0]
        weight = np.ones(n) if sample_weight is None else encode_weights(sample_weight, n)
        weight_val = encode_weights(sample_weight_val, n_val)
        validation_weights = None if weight_val is None else np.concatenate([np.zeros(n), weight_val])
        held_out = np.arange(n, n + n_val, dtype=np.uint32), validation_weights
        weights = np.concatenate([weight, np.zeros(n_val)])
        self._fit(join_tables(X, X_val), join_columns(y, y_val), weights, held_out)
        return self

    def _encode(
        self, frame: InputFrame, y: Any, sample_weight: Any, held_out: tuple[Rows, Floats | None] | None = None
    ) -> BoostedRows:
        coded = encode_rows(self, frame, y, sample_weight, _BUCKET_SAMPLE)
        return BoostedRows(**vars(coded), held_out=held_out)

    # ---------------------------------------------------------------- growing
    def _grow_trees(self, training: BoostedRows, progress: _core.Progress) -> GrownTrees:
        self._check_target(training)
        rows, held_out, weights, validation_weights = self._rows_of(training)
        own_loss = self.loss if callable(self.loss) else None
        core, start, losses = _core.boost(
            training.table.core,
            np.ascontiguousarray(training.truth, dtype=np.float64),
            0 if training.classes is None else len(training.classes),
            weights,
            rows,
            held_out,
            validation_weights,
            self._rules(training, len(rows)),
            own_loss,
            training.threads,
            progress,
        )
        self._refuse_runaway(core, start)
        fitted: dict[str, Any] = {"baseline_": start, "n_estimators_": core.n_trees // len(start)}
        if len(losses):
            fitted |= {"loss_curve_": losses, "validation_score_": -float(losses.min())}
        return GrownTrees(core, fitted)

    def _refuse_runaway(self, core: _core.Ensemble, start: Floats) -> None:
        """Refuse sums of trees that are no numbers any more."""
        with np.errstate(over="ignore", invalid="ignore"):
            reach = np.abs(core.arrays()["value"]).sum() + np.abs(start).sum()
        if not np.isfinite(reach):
            why = "the loss function gives gradients that are too large" if callable(self.loss) else "it overshoots"
            raise DataError(
                f"The answers grew beyond all numbers with learning_rate={self.learning_rate:g}: {why}. "
                "Choose a learning_rate of 1 or less."
            )

    def _check_target(self, training: CodedRows) -> None:
        """Refuse a loss or a target that cannot be boosted."""
        if self.loss is None:
            raise DataError(
                "The loss that this model was trained with is a function, and its file cannot hold one. Set `loss` to "
                "it again before fitting."
            )
        if callable(self.loss) and self.early_stopping:
            raise DataError(
                "early_stopping=True has to know the loss of a row, and a loss of your own gives gradients only. Say "
                "early_stopping=False, or choose one of the losses by name."
            )

    def _rows_of(self, training: BoostedRows) -> tuple[Rows, Rows, Floats | None, Floats | None]:
        """The rows that are learnt from, those that judge, and the weights of both."""
        weights = training.weights
        counts = np.ones(len(training.truth), dtype=bool) if weights is None else weights > 0
        held_out, validation_weights = _NONE, None
        if training.held_out is not None:
            held_out, validation_weights = training.held_out
        elif self.early_stopping and self.validation_fraction is not None:
            held_out, validation_weights = draw_held_out(training, self.validation_fraction, self._seed()), weights
        counts[held_out] = False
        if training.classes is not None:
            _refuse_unlearnt_classes(training.truth, counts, training.classes)
        if not counts.all():
            weights = np.where(counts, 1.0 if weights is None else weights, 0.0)
        return np.flatnonzero(counts).astype(np.uint32), held_out, weights, validation_weights

    def _rules(self, training: BoostedRows, n_rows: int) -> dict[str, Any]:
        schema = training.table.schema
        rules: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN}
        rules |= {
            "loss": "" if callable(self.loss) else self.loss,
            "alpha": getattr(self, "alpha", 0.5),
            "level_wise": self.growth == "level",
            "min_samples_leaf": rows_of(self.min_samples_leaf, n_rows),
            "columns_per_node": _column_count(self.max_features, len(schema.columns)),
            "columns_per_tree": _column_count(self.max_features_per_tree, len(schema.columns)),
            "seed": self._seed(),
            "max_bins": 0 if self.max_bins is None else self.max_bins,
            "monotone": monotone_ways(self.monotonic_cst, schema),
            "together": column_groups(self.interaction_cst, schema),
            "patience": self.n_iter_no_change if self.early_stopping else 0,
            "tolerance": self.tol,
        }
        return rules

    @property
    def n_iter_(self) -> int:
        """The rounds that were kept: another name of `n_estimators_`, as in scikit-learn's histogram booster."""
        check_is_fitted(self)
        return int(self.n_estimators_)

    # ---------------------------------------------------------------- what sums mean
    def _says(self) -> str:
        return "values"

    def _start(self, core: _core.Ensemble, fitted: Mapping[str, Any]) -> Floats:
        return np.asarray(fitted["baseline_"], dtype=np.float64)

    def _check_fitted(self, core: _core.Ensemble, fitted: dict[str, Any]) -> None:
        if core.n_classes or core.n_trees != fitted["n_estimators_"] * len(fitted["baseline_"]):
            raise ValueError("its trees are not those of a booster")


def _column_count(given: Any, n_columns: int) -> int:
    """How many columns are drawn; 0 for all."""
    if given is None:
        return 0
    if given in ("sqrt", "log2"):
        return max(1, int(math.sqrt(n_columns) if given == "sqrt" else math.log2(n_columns)))
    return int(given) if isinstance(given, Integral) else max(1, round(given * n_columns))


def _refuse_unlearnt_classes(truth: NDArray[Any], counts: NDArray[np.bool_], classes: NDArray[Any]) -> None:
    seen = np.bincount(truth[counts], minlength=len(classes))
    judged = np.bincount(truth[~counts], minlength=len(classes))
    strange = np.flatnonzero((seen == 0) & (judged > 0))
    if len(strange) and seen.any() and len(classes) > 1:
        raise DataError(
            f"No row that is learnt from has the class {classes[strange[0]]!r}. Give it some, or leave out the rows of "
            "that class."
        )

"""What both gradient boosters do: the rules for the core, the rows that judge, and sums that start somewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.column_rules import MONOTONIC_CST, columns_named
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
from treewright.learners.boosting import starting_model as first_model
from treewright.learners.boosting.averaged_models import BoostedRows, JudgedRows, OneModel, average_models
from treewright.learners.boosting.given_scores import goes_on, grow_from_scores, scores_to_go_on_from
from treewright.learners.boosting.grow_rounds import RoundsGrower, stage_sums
from treewright.learners.boosting.kept_scores import KEPT_SCORES, RowsOfRounds, scores_of_rounds
from treewright.learners.boosting.refusals import refuse_odd_judges, refuse_runaway, refuse_source_with_judges
from treewright.learners.boosting.settings import BoostingSettings, resolve_settings
from treewright.learners.boosting.stopping_parameters import (
    EARLY_STOPPING,
    INIT,
    KEEP_SCORES,
    N_ITER_NO_CHANGE,
    SCORING,
    TOL,
    VALIDATION_FRACTION,
    WARM_START,
)
from treewright.learners.ensemble.ensemble_model import SMALLEST_TREE, Floats, GrownTrees
from treewright.learners.ensemble.lookup import EnsembleLookup
from treewright.learners.trees.training_data import encode_rows, growing_blocks
from treewright.memory import Block
from treewright.save.attached import carry, whole_state
from treewright.save.model_bytes import to_bytes
from treewright.sources.source import Source
from treewright.table.frame import InputFrame
from treewright.table.target import encode_weights


@declares_parameters
class BoostingModel(BaseEstimator):  # type: ignore[misc]
    """What the boosting classifier and regressor share beside `EnsembleModel`."""

    preset: str = parameter(
        default="auto",
        takes=one_of("auto", "lightgbm"),
        doc="""What parameters that are "auto" stand for. "auto": rounds are searched for, several models are averaged,
        and the rest follows from the size of the table (see the page on defaults). "lightgbm": LightGBM's
        defaults, for comparisons of like with like: 100 rounds at a rate of 0.1, 31 leaves of 20 rows or more,
        nothing drawn.""",
    )
    learning_rate: float | str = parameter(
        default="auto",
        takes=[one_of("auto"), above(0.0)],
        doc="""What every leaf is multiplied by. Lowering it needs more trees, and mostly gives a better model. "auto":
        0.1 with a given `n_estimators`, else 0.05.""",
    )
    n_estimators: int | str = parameter(
        default="auto",
        takes=[one_of("auto"), whole(1, MOST_TREES)],
        doc="""Rounds. Each adds a tree, with three classes and more one for each class. "auto" goes on until the loss
        of rows that are not learnt from has stopped falling. A number is kept to, and too many overfit: see
        `early_stopping`. The other parameters that are "auto" then are LightGBM's defaults.""",
    )
    n_models: int | str = parameter(
        default="auto",
        takes=[one_of("auto"), whole(1, 100)],
        doc="""How many models are averaged. The rows are dealt into so many folds; each model learns from all folds
        but one, and that one tells it when to stop. "auto": 8 up to 3,000 rows, 6 up to 15,000, 3 up to 60,000,
        and 1 beyond, with early stopping, and wherever `n_estimators` is given. Raising it gives steadier
        answers and takes longer.""",
    )
    max_leaf_nodes: int | str | None = parameter(
        default="auto",
        takes=[one_of("auto"), whole(2), None],
        doc="""The most leaves of a tree. Raising it lets more columns act together; None sets no limit. "auto": 31
        with a given `n_estimators`, else 12 for classes and 16 for numbers.""",
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
    min_samples_leaf: float | str = parameter(
        default="auto",
        takes=[one_of("auto"), whole(1), share("neither")],
        doc="""No leaf may have fewer rows. A fraction is a share of all rows. Raising it gives smoother trees. "auto":
        20 with a given `n_estimators`, else 5 for classes and 2 for numbers.""",
    )
    min_hessian: float = parameter(
        default=0.001,
        takes=at_least(0.0),
        doc="No leaf may have a smaller sum of hessians. Raising it keeps leaves from answering with large numbers.",
    )
    l2_regularization: float | str = parameter(
        default="auto",
        takes=[one_of("auto"), at_least(0.0)],
        doc="""Added to the hessian of every leaf. Raising it draws the answers of small leaves towards 0. "auto": 0
        with a given `n_estimators`, else 0.2 for classes and 0.5 for numbers.""",
    )
    min_gain: float = parameter(
        default=0.0,
        takes=at_least(0.0),
        doc="A split must lower the loss by more than this. Raising it gives smaller trees.",
    )
    subsample: float | str = parameter(
        default="auto",
        takes=[one_of("auto"), number(0.0, 1.0, "right")],
        doc="""The share of rows that each tree is grown from, drawn without putting back. Lowering it saves time, and
        makes the trees differ. "auto": 1 with a given `n_estimators`, else 0.7 for classes and 0.8 for numbers.""",
    )
    max_features: float | str | None = parameter(
        default="auto",
        takes=[one_of("auto", "sqrt", "log2"), whole(1), share("right"), None],
        kind='int, float, "auto", "sqrt" or "log2"',
        doc="""How many columns are drawn for each node; a fraction is a share of them. None takes all. "auto": all
        with a given `n_estimators`, else 0.5 for classes and 0.8 for numbers.""",
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
        doc="""Levels of nominal columns are ordered by gradient ÷ (hessian + this). Raising it draws rare levels to
        the middle.""",
    )
    level_charge: float | str = parameter(
        default="auto",
        takes=[one_of("auto"), at_least(0.0)],
        doc="""Sorted by their gradients, many levels look good even on noise. This many times what noise would gain is
        taken off before a nominal column is compared with others. 0 charges nothing. "auto": 1 with a given
        `n_estimators`, else 0.3.""",
    )
    monotonic_cst: Any = MONOTONIC_CST
    interaction_cst: Any = parameter(
        default=None,
        takes=[list, tuple, HasMethods(["__iter__"]), one_of("pairwise", "no_interactions"), None],
        kind='list of lists, "pairwise" or "no_interactions"',
        doc="""Groups of columns, by name or number, that may stand on one path: ``[["age", "job"], ["zip"]]``. Columns
        that are in no group make one more.""",
    )
    categorical_features: Any = parameter(
        default=None,
        takes=["array-like", one_of("from_dtype"), None],
        kind="list of columns",
        doc="""Columns that are nominal whatever they hold, by name, by number or as a truth value for each column:
        scikit-learn's way to say ``column_kinds={"zip": "nominal"}``. Text and categories are found without it, which
        is what "from_dtype" says.""",
    )
    early_stopping: bool | str | None = EARLY_STOPPING
    validation_fraction: float | None = VALIDATION_FRACTION
    n_iter_no_change: int | str | None = N_ITER_NO_CHANGE
    tol: float = TOL
    scoring: str | Callable[..., float] | None = SCORING
    warm_start: bool = WARM_START
    init: Any = INIT
    keep_scores: bool = KEEP_SCORES
    missing: str = parameter(
        default="learn",
        takes=one_of("learn", "refuse"),
        doc="Every cut is tried with the rows without a value on either side, or missing values are an error.",
    )
    verbose: int = parameter(default=0, takes="verbose", doc="1 shows a progress bar.")
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="Draws rows and columns where fewer than all are taken, the folds, and the rows that are held out.",
    )

    baseline_: Floats = fitted()
    _each_tree_counts_same = False
    _score_name = "loss"
    _fitted_numbers: ClassVar[Numbers] = {
        "n_estimators_": count(),
        "validation_score_": real(absent="left out"),
        "oob_score_": real(absent="left out"),
        "n_models_": count(1, "left out"),
        "learning_rate_": real(0.0, "left out"),
        "max_leaf_nodes_": count(2, "left out"),
        "min_samples_leaf_": real(0.0, "left out"),
        "l2_regularization_": real(0.0, "left out"),
        "subsample_": real(0.0, "left out"),
        "level_charge_": real(0.0, "left out"),
        "max_features_": count(0, "left out"),
    }
    _renamed: ClassVar[Mapping[str, str]] = {"loss_history_": "loss_curve_"}
    _other_names: ClassVar[Mapping[str, str]] = {"max_iter": "n_estimators", "quantile": "alpha"}
    _fitted_arrays: ClassVar[Arrays] = {
        "baseline_": reals("outputs"),
        "loss_curve_": reals("stages", unknown=True, infinite=True, needed=False),
        **{name: reals("rounds", unknown=True, infinite=True, needed=False) for name in KEPT_SCORES},
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
        refuse_source_with_judges(X, X_val)
        if X_val is None or y_val is None or self.early_stopping in (None, False):
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

    def _fit_source(self, source: Source, y: Any, sample_weight: Any = None) -> None:
        from treewright.learners.base.fit_gathered import fit_gathered  # most fits have their rows at hand
        from treewright.learners.boosting.fit_source import fit_source
        from treewright.sources.batches import BatchSource

        if isinstance(source, BatchSource):
            fit_source(self, source, y, sample_weight)
        else:  # a database hands its rows over in one answer
            fit_gathered(self, source, y, sample_weight)

    def _encode(
        self, frame: InputFrame, y: Any, sample_weight: Any, held_out: tuple[Rows, Floats | None] | None = None
    ) -> BoostedRows:
        # splits lie between the runs of long columns, so all rows decide where these end
        coded = encode_rows(self, frame, y, sample_weight, frame.n_rows)
        looks_again = self.keep_scores or self._judges_by_score() or self.init is not None
        rows = BoostedRows(**vars(coded), held_out=held_out, frame=frame if looks_again else None)
        if first_model.is_estimator(self.init) and not goes_on(self):
            return first_model.start_from_model(self, rows, self._one_side(rows, self._settings(rows)))
        return replace(rows, scores=scores_to_go_on_from(self, frame, coded))

    def _kinds(self, frame: InputFrame) -> Mapping[Any, Any] | None:
        nominal = dict.fromkeys(columns_named(self.categorical_features, frame.names), "nominal")
        return {**nominal, **(self.column_kinds or {})} if nominal else self.column_kinds

    # ---------------------------------------------------------------- growing
    def _grow_trees(self, training: BoostedRows, progress: _core.Progress) -> GrownTrees:
        self._check_target(training)
        settings = self._settings(training)
        refuse_odd_judges(self, training, settings)
        if training.scores is not None:
            core, start, fitted = grow_from_scores(
                self, training, settings, self._one_side(training, settings), progress
            )
            return self._grown(training, settings, core, start, fitted)
        sides = self._one_side(training, settings)
        if settings.n_models > 1:
            grown = average_models(self._boost, training, settings, self._seed(), progress)
        else:
            grown = self._boost(training, settings, sides, self._seed(), progress)
        core, start, losses = grown
        fitted = {}
        if self.keep_scores:
            stages = stage_sums(self, training, core, start)
            fitted = scores_of_rounds(
                self, training, RowsOfRounds(training, sides, settings.subsample, self._seed()), stages
            )
        if len(losses):
            fitted |= {"loss_curve_": losses, "validation_score_": -float(losses.min())}
        return self._grown(training, settings, core, start, fitted)

    def _grown(
        self,
        training: BoostedRows,
        settings: BoostingSettings,
        core: _core.Ensemble,
        start: Floats,
        fitted: dict[str, Any],
    ) -> GrownTrees:
        refuse_runaway(self, core, start, settings)
        fitted = {**fitted, "baseline_": start, "n_estimators_": core.n_trees // len(start)}
        if training.starting is not None:
            fitted["init_"] = training.starting.estimator
        elif goes_on(self) and "init_" in self.__dict__:
            fitted["init_"] = self.init_
        return GrownTrees(core, fitted | settings.fitted(len(training.schema.columns)))

    def _boost(
        self, training: BoostedRows, settings: BoostingSettings, sides: JudgedRows, seed: int, progress: _core.Progress
    ) -> OneModel:
        """Grow one model: its trees, where they start, and the losses of the rows that judge."""
        return RoundsGrower(self, training, settings, sides, seed, progress).grow()

    def _sums(self, X: Any) -> Floats:
        known = self.__dict__.get("_known_sums")  # of a model that is judged round by round
        sums: Floats = known[1] if known is not None and known[0] is X else super()._sums(X)
        return sums

    def _judges_by_score(self) -> bool:
        return self.scoring not in (None, "loss")

    def _settings(self, training: BoostedRows) -> BoostingSettings:
        return resolve_settings(self, training.n_units, training.n_classes, training.held_out is not None)

    def _fit_blocks(self, data: Any) -> list[Block]:
        settings = self._settings(data)
        most = settings.n_estimators * settings.n_models
        return [*growing_blocks(self._fit_bytes, data), Block(SMALLEST_TREE, trees=most)]

    def _check_target(self, training: BoostedRows) -> None:
        """Refuse a loss or a target that cannot be boosted."""
        if self.loss is None:
            raise DataError(
                "The loss that this model was trained with is a function, and its file cannot hold one. Set `loss` to "
                "it again before fitting."
            )

    def _one_side(self, training: BoostedRows, settings: BoostingSettings) -> JudgedRows:
        """The rows that one model learns from, and those that judge it."""
        if training.split is not None:
            return training.split
        if training.held_out is not None:
            return training.without(*training.held_out)
        if settings.early_stopping and self.validation_fraction is not None:
            held_out = draw_held_out(training, self.validation_fraction, self._seed())
            return training.without(held_out, training.weights)
        return training.without(np.empty(0, dtype=np.uint32), None)

    @property
    def n_iter_(self) -> int:
        """The rounds that were kept: another name of `n_estimators_`, as in scikit-learn's histogram booster."""
        check_is_fitted(self)
        return int(self.n_estimators_)

    @property
    def is_categorical_(self) -> NDArray[np.bool_] | None:
        """Which columns are split by levels, as scikit-learn's histogram booster tells it; None where none is."""
        check_is_fitted(self)
        nominal = np.array([column.kind == "nominal" for column in self.trees_.schema.columns])
        return nominal if nominal.any() else None

    @property
    def do_early_stopping_(self) -> bool:
        """Whether some rows judged, as scikit-learn's histogram booster tells it."""
        check_is_fitted(self)
        return "loss_curve_" in self.__dict__

    def __getattr__(self, name: str) -> Any:
        """Only what is not there comes here."""
        if name in (*KEPT_SCORES, "oob_score_") and "trees_" in self.__dict__:
            of_drawn = "" if name == "train_score_" else " and subsample below 1"
            raise AttributeError(f"`{name}` is kept with keep_scores=True{of_drawn}. Set it and fit again.")
        return super().__getattr__(name)

    # ---------------------------------------------------------------- what sums mean
    def _says(self) -> str:
        return "values"

    def _start(self, core: _core.Ensemble, fitted: Mapping[str, Any]) -> Floats:
        return np.asarray(fitted["baseline_"], dtype=np.float64)

    # ---------------------------------------------------------------- a model that it starts from
    def _make_lookup(self) -> EnsembleLookup:
        return first_model.lookup_of(self, super()._make_lookup())

    def _start_from(self, first: Any) -> None:
        """Take the first model out of a file or a pickle; ValueError where it does not fit."""
        if first_model.is_ours(first):
            first_model.refuse_unfit(self, first)
        carry(self, init_=first)
        self._lookup = self._make_lookup()

    def _refuse_beside_trees(self, what: str) -> None:
        first_model.refuse_beside_trees(self, what)

    def _refuse_file(self) -> None:
        first_model.refuse_file(self)

    def _tw_bytes(self) -> bytes:
        first_model.refuse_file(self)
        return bytes(super()._tw_bytes())

    def __getstate__(self) -> dict[str, Any]:
        first = self.__dict__.get("init_")
        if first is None or first_model.is_ours(first):
            return dict(super().__getstate__())
        return {"params": self.get_params(deep=False), "model": to_bytes(*whole_state(self)), "starts_from": first}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "starts_from" in state:
            self._start_from(state["starts_from"])

    def _check_fitted(self, core: _core.Ensemble, fitted: dict[str, Any]) -> None:
        if core.n_classes or core.n_trees != fitted["n_estimators_"] * len(fitted["baseline_"]):
            raise ValueError("its trees are not those of a booster")

"""What all networks share: inputs, training, going on, answers, the model file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.deduplicate_rows import join_alike
from treewright.learners.base.design_matrix import Columns, matrix_width
from treewright.learners.base.learnt import Arrays, LearntArray, Numbers, count, real, reals, wholes
from treewright.learners.base.matrix_model import LaidOutRows, Target
from treewright.learners.base.parameters import declares_parameters, fitted
from treewright.learners.base.progress_bar import show_progress
from treewright.learners.base.threads import one_blas_thread
from treewright.learners.neural_network.inputs import (
    INPUT_ARRAYS,
    Examples,
    Head,
    Inputs,
    hold_out,
    learn_inputs,
    restored_inputs,
)
from treewright.learners.neural_network.layers import Array, Layers, activation, initial_weights
from treewright.learners.neural_network.members import averaged, member_seeds, side_by_side, widened
from treewright.learners.neural_network.parameters import NetworkParameters, hidden_sizes
from treewright.learners.neural_network.propagation import Blueprint, Propagation
from treewright.learners.neural_network.settings import NetworkSettings, resolve_settings
from treewright.learners.neural_network.text import network_text
from treewright.learners.neural_network.training import (
    Adam,
    Course,
    Descent,
    Momentum,
    Rules,
    Schedule,
    train,
    train_at_once,
)
from treewright.memory import FEWER_LEVELS, Block
from treewright.table.frame import InputFrame
from treewright.table.schema import Schema
from treewright.table.target import encode_weights

_STEPS_AN_EPOCH, _LARGEST_BATCH = 32, 200


@dataclass(frozen=True)
class Work:
    """One network to train: its rows, those that judge it, the steps that it takes, and where it goes on."""

    network: Propagation
    examples: Examples
    held_out: Examples | None
    descent: Descent
    seed: int
    first_epoch: int


@declares_parameters
class NetworkModel(NetworkParameters):
    """What all networks have beside `MatrixModel`. Subclasses say what the outputs are and what they should give."""

    _sparing = FEWER_LEVELS
    _contrasts = "treatment"  # how nominal columns are coded

    _fitted_numbers: ClassVar[Numbers] = {
        "n_iter_": count(),
        "t_": count(),
        "loss_": real(),
        "best_loss_": real(),
        "settled_": count(),
        "n_models_": count(1, absent="left out"),  # a single network is not told to be one
        "clip_": real(3.0, absent="left out"),
    }
    _fitted_arrays: ClassVar[Arrays] = {
        "all_weights_": LearntArray("f8|f4", ("weights",)),
        "layer_sizes_": wholes("layers", lowest=0),  # a column of one level is no input
        "loss_curve_": reals("epochs", unknown=True, infinite=True, needed=False),
        "validation_loss_curve_": reals("judged epochs", unknown=True, infinite=True, needed=False),
        **INPUT_ARRAYS,
    }

    coefs_: list[Array] = fitted()
    intercepts_: list[Array] = fitted()
    loss_curve_: NDArray[np.float64] = fitted()

    # ---------------------------------------------------------------- what a subclass says
    def _end(self, n_inputs: int, classes: NDArray[Any] | None) -> tuple[int, Head]:
        """How many outputs there are, and what stands at them."""
        raise NotImplementedError

    def _targets(self, truth: Target, rows: Array, fitted: dict[str, Any]) -> NDArray[Any]:
        """What the outputs should give for rows of such inputs, as the head takes it."""
        raise NotImplementedError

    def _layers(self, n_inputs: int, classes: NDArray[Any] | None) -> Layers:
        """The sizes of all layers."""
        return Layers((n_inputs, *hidden_sizes(self.hidden_layer_sizes), self._end(n_inputs, classes)[0]))

    def _scaling(self) -> str:
        """On which scale the inputs are brought."""
        return "robust" if self.standardize == "robust" else "standard" if self.standardize else "none"

    def _mask(self) -> float:
        """The share of inputs that are hidden while it learns."""
        return 0.0

    def _before(self, network: Propagation, examples: Examples, fitted: dict[str, Any]) -> None:
        """What happens to the weights before training."""

    def _learn_target(self, truth: Target) -> dict[str, Any]:
        """What has to be known of the target beside its classes."""
        return {}

    def _loss_unit(self, fitted: dict[str, Any]) -> float:
        """What a loss of 1 on the scale of the outputs is on that of the target."""
        return 1.0

    # ---------------------------------------------------------------- learning
    def _learn_from(self, columns: Columns, truth: Target) -> dict[str, Any]:
        activation(self.activation)  # a threshold is refused before anything else
        if self.shuffle:
            columns, truth = join_alike(columns, truth)
        goes_on = self.warm_start and "schema_" in self.__dict__
        settings = resolve_settings(self, columns.n_rows, self.warm_start)
        fitted = self._known(columns, truth) if goes_on else self._begin(columns, truth)
        return self._train(columns, truth, fitted, settings, self._descent(settings))

    def _fit_blocks(self, data: LaidOutRows) -> list[Block]:
        inputs, n_rows = matrix_width(data.schema, self._contrasts), data.columns.n_rows
        layers = self._layers(inputs, data.classes)
        weights = sum((before + 1) * after for before, after in pairwise(layers.sizes))
        blocks = [Block(28, rows=n_rows, inputs=inputs), Block(72, weights=weights)]
        n_models = resolve_settings(self, n_rows, self.warm_start).n_models
        return blocks if n_models == 1 else [*blocks, Block(16, weights=widened(layers, n_models).n_numbers)]

    def _begin(self, columns: Columns, truth: Target) -> dict[str, Any]:
        """Inputs, layers and starting weights: everything that is known before the first step."""
        inputs = learn_inputs(columns, truth.weights, self._contrasts, self.missing, self._scaling(), self.precision)
        layers = self._layers(len(inputs.design.names), truth.classes)
        start = initial_weights(layers, self.initial_weights, self._seed())
        return {
            **inputs.fitted(),
            **self._learn_target(truth),
            "layer_sizes_": np.array(layers.sizes, dtype=np.int64),
            "all_weights_": start.astype(inputs.dtype),
            "loss_curve_": np.zeros(0),
            "n_iter_": 0,
            "t_": 0,
        }

    def _known(self, columns: Columns, truth: Target) -> dict[str, Any]:
        """What this model has learnt, to go on from."""
        known = self.__dict__.get("classes_")
        same_classes = (known is None) == (truth.classes is None) and (
            known is None or np.array_equal(known, np.asarray(truth.classes))
        )
        sizes = tuple(self.layer_sizes_.tolist())
        if columns.schema.columns != self.schema_.columns or not same_classes:
            raise DataError(
                "warm_start=True goes on with the table of the first fit, and this one has other columns, levels or "
                "classes. Pass the same table, or fit with warm_start=False."
            )
        if sizes != self._all_layers(sizes[0], truth.classes, self.__dict__).sizes:
            raise DataError(
                f"The network has layers of {sizes}, and hidden_layer_sizes asks for others. "
                "Set warm_start=False to train a new one."
            )
        names = (*self._fitted_arrays, *self._fitted_numbers)
        return {name: self.__dict__[name] for name in names if name in self.__dict__}

    def _train(
        self, columns: Columns, truth: Target, fitted: dict[str, Any], settings: NetworkSettings, descent: Descent
    ) -> dict[str, Any]:
        """Train the networks one after the other, each from its own start, and put them side by side."""
        examples, plan = self._examples(columns, truth, fitted), self._blueprint(fitted, truth.classes)
        progress = _core.Progress()
        progress.total = settings.max_iter * settings.n_models
        seeds = member_seeds(self._seed(), settings.n_models)
        members, courses = [fitted["all_weights_"].astype(examples.rows.dtype)], []
        members += [
            initial_weights(plan.layers, self.initial_weights, seed).astype(members[0].dtype) for seed in seeds[1:]
        ]
        with show_progress(progress, type(self).__name__, "loss", self.verbose):
            for turn, (seed, numbers) in enumerate(zip(seeds, members, strict=True)):
                network = Propagation(plan, numbers, self.alpha)
                learnt, judging = self._parted(examples, truth, settings, turn)
                self._before(network, learnt, fitted)
                steps = descent if turn == 0 else self._descent(settings)
                work = Work(network, learnt, judging, steps, seed, fitted["n_iter_"])
                courses.append(self._run(work, settings, progress))
        outcome = self._outcome(fitted, members[0], averaged(courses), len(learnt))
        if settings.n_models == 1:
            return outcome
        sizes = np.array(widened(plan.layers, len(members)).sizes, dtype=np.int64)
        whole = {"all_weights_": side_by_side(plan.layers, members), "layer_sizes_": sizes}
        return {**outcome, **whole, "n_models_": settings.n_models}

    def _examples(self, columns: Columns, truth: Target, fitted: dict[str, Any]) -> Examples:
        inputs = restored_inputs(columns.schema, self._contrasts, fitted, self.precision)
        weights = None if truth.weights is None else (truth.weights / truth.weights.mean()).astype(inputs.dtype)
        rows = inputs.rows(columns)
        return Examples(rows, self._targets(truth, rows, fitted), weights)

    def _parted(
        self, examples: Examples, truth: Target, settings: NetworkSettings, turn: int
    ) -> tuple[Examples, Examples | None]:
        """The rows to learn from, and those to judge by, other ones in each turn."""
        if not settings.early_stopping or self.solver == "lbfgs":
            return examples, None
        groups = np.zeros(len(examples), dtype=np.int64) if truth.classes is None else truth.values
        learn, judge = hold_out(groups, self.validation_fraction, self._seed(), turn)
        if len(judge) == 0:
            raise DataError(
                f"validation_fraction={self.validation_fraction} of {len(examples)} sample(s) holds out none. "
                "Raise it, or say early_stopping=False."
            )
        return examples.take(learn), examples.take(judge)

    def _run(self, work: Work, settings: NetworkSettings, progress: _core.Progress | None) -> Course:
        done = 0 if progress is None else progress.done

        def watch(epoch: int, loss: float) -> None:
            if progress is not None:
                progress.done, progress.score = done + epoch, loss

        examples = work.examples
        if self.solver == "lbfgs":
            return train_at_once(work.network, examples, settings.max_iter, self.tol, watch)
        is_known = self.solver == "sgd" or settings.learning_rate == "cosine"
        kind = settings.learning_rate if is_known else "constant"
        schedule = Schedule(kind, settings.learning_rate_init, self.power_t, settings.max_iter)
        by_size = min(_LARGEST_BATCH, -(-len(examples) // _STEPS_AN_EPOCH))
        size = by_size if self.batch_size == "auto" else int(self.batch_size)
        rules = Rules(
            batch_size=min(size, len(examples)),
            max_epochs=settings.max_iter,
            tol=self.tol,
            patience=settings.n_iter_no_change,
            shuffle=self.shuffle,
            seed=work.seed,
            mask=self._mask(),
            first_epoch=work.first_epoch,
        )
        return train(work.network, examples, work.held_out, work.descent, schedule, rules, watch)

    def _outcome(self, fitted: dict[str, Any], numbers: Array, course: Course, n_rows: int) -> dict[str, Any]:
        unit = self._loss_unit(fitted)
        losses = unit * np.array(course.losses)
        outcome = {
            **fitted,
            "all_weights_": numbers,
            "loss_curve_": np.concatenate([fitted["loss_curve_"], losses]),
            "n_iter_": fitted["n_iter_"] + len(losses),
            "t_": fitted["t_"] + len(losses) * n_rows,
            "loss_": float(losses[-1]),
            "settled_": int(course.settled),
        }
        outcome["best_loss_"] = float(outcome["loss_curve_"].min())
        outcome.pop("validation_loss_curve_", None)
        if course.held_out_losses:
            outcome["validation_loss_curve_"] = unit * np.array(course.held_out_losses)
            outcome["best_loss_"] = float(outcome["validation_loss_curve_"].min())
        return outcome

    def _descent(self, settings: NetworkSettings) -> Descent:
        if self.solver == "adam":
            return Adam(settings.learning_rate_init, self.beta_1, self.beta_2, self.epsilon)
        return Momentum(settings.learning_rate_init, self.momentum, self.nesterovs_momentum)

    def _blueprint(self, fitted: dict[str, Any], classes: NDArray[Any] | None) -> Blueprint:
        n_inputs = int(fitted["layer_sizes_"][0])
        head = self._end(n_inputs, classes)[1]
        return Blueprint(self._all_layers(n_inputs, classes, fitted), activation(self.activation), head)

    def _all_layers(self, n_inputs: int, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> Layers:
        """The layers of all networks that are averaged, side by side."""
        return widened(self._layers(n_inputs, classes), fitted.get("n_models_", 1))

    # ---------------------------------------------------------------- going on
    def _go_on(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> Self:
        """One epoch on these rows, from the weights that are there."""
        self._validate_params()
        activation(self.activation)
        first = self._fitted_by not in self.__dict__

        def encode(frame: InputFrame) -> LaidOutRows:
            if not first:
                return self._later_rows(frame, y, sample_weight)
            rows = self._encode(frame, y, sample_weight)
            return LaidOutRows(rows.columns, self._with_classes(rows.truth, classes))

        self._fit_by(X, encode, self._one_epoch, goes_on=not first)
        return self

    def _one_epoch(self, data: LaidOutRows) -> dict[str, Any]:
        columns, truth = join_alike(data.columns, data.truth) if self.shuffle else (data.columns, data.truth)
        settings = replace(resolve_settings(self, columns.n_rows, True), max_iter=1, early_stopping=False)
        descent = self.__dict__.get("_going") or self._descent(settings)
        first = self._fitted_by not in self.__dict__
        with one_blas_thread():
            fitted = self._begin(columns, truth) if first else self._known(columns, truth)
            fitted = self._train(columns, truth, fitted, settings, descent)
        return {"schema_": data.schema, **fitted, "_going": descent}

    def _later_rows(self, frame: InputFrame, y: Any, sample_weight: Any) -> LaidOutRows:
        weights = encode_weights(sample_weight, frame.n_rows)
        truth = Target(self._known_target(y, frame.n_rows), weights, self.__dict__.get("classes_"))
        return LaidOutRows(self._lookup.columns(frame), truth).that_count()

    def _with_classes(self, truth: Target, classes: Any) -> Target:
        """The truth of the first rows, told all classes that may come."""
        return truth

    def _known_target(self, y: Any, n_rows: int) -> NDArray[Any]:
        """The target of later rows."""
        raise NotImplementedError

    # ---------------------------------------------------------------- answers
    def _prepare(self) -> None:
        fitted = self.__dict__
        self._inputs = restored_inputs(self.schema_, self._contrasts, fitted, self.precision)
        self._plan = self._blueprint(fitted, fitted.get("classes_"))
        self.coefs_, self.intercepts_ = self._plan.layers.parts(self.all_weights_)

    def _outputs(self, columns: Columns) -> NDArray[np.float64]:
        network = Propagation(self._plan, self.all_weights_)  # its own buffers: threads may ask at the same time
        return network.outputs(self._inputs.rows(columns)).astype(np.float64)

    @property
    def input_names_(self) -> tuple[str, ...]:
        """What the inputs of the network are called."""
        check_is_fitted(self)
        inputs: Inputs = self._inputs
        return inputs.design.names

    @property
    def n_layers_(self) -> int:
        """How many layers there are, inputs and outputs included."""
        check_is_fitted(self)
        return len(self.layer_sizes_)

    @property
    def n_outputs_(self) -> int:
        """How many outputs the network has."""
        check_is_fitted(self)
        return int(self.layer_sizes_[-1])

    @property
    def out_activation_(self) -> str:
        """What the outputs make of their sums."""
        check_is_fitted(self)
        plan: Blueprint = self._plan
        return plan.head.name

    def __str__(self) -> str:
        return network_text(self) if "schema_" in self.__dict__ else repr(self)

    # ---------------------------------------------------------------- the model file
    def _check_fitted(self, schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> None:
        inputs = restored_inputs(schema, self._contrasts, fitted, self.precision)
        check_weights(fitted, self._all_layers(len(inputs.design.names), classes, fitted), inputs.dtype)


def goes_on(model: Any) -> bool:
    """Whether a model has `partial_fit`: L-BFGS looks at all rows for every step, so it has not.

    Examples
    --------
    >>> import treewright as tw
    >>> hasattr(tw.MLPRegressor(), "partial_fit"), hasattr(tw.MLPRegressor(solver="lbfgs"), "partial_fit")
    (True, False)
    """
    if model.solver == "lbfgs":
        raise AttributeError("partial_fit takes steps row by row, and solver='lbfgs' cannot. Choose 'adam' or 'sgd'.")
    return True


def check_weights(fitted: dict[str, Any], layers: Layers, dtype: np.dtype[Any]) -> None:
    """Refuse with a ValueError weights that are not those of such layers."""
    if tuple(fitted["layer_sizes_"].tolist()) != layers.sizes:
        raise ValueError("its layers do not fit its columns")
    numbers = fitted["all_weights_"]
    if numbers.shape != (layers.n_numbers,) or numbers.dtype != dtype or not np.isfinite(numbers).all():
        raise ValueError("its weights do not fit its layers")
    if "validation_loss_curve_" in fitted and not len(fitted["validation_loss_curve_"]):
        raise ValueError("its held-out rows were judged in no epoch")
    if fitted["loss_curve_"].ndim != 1:
        raise ValueError("its loss curve is no list of numbers")

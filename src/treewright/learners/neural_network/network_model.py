"""What all networks share: inputs, training, going on, answers, the model file."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.deduplicate_rows import join_alike
from treewright.learners.base.design_matrix import Columns, matrix_width
from treewright.learners.base.learnt import Arrays, LearntArray, Numbers, count, real, reals, wholes
from treewright.learners.base.matrix_model import LaidOutRows, Target
from treewright.learners.base.parameters import (
    above,
    at_least,
    declares_parameters,
    fitted,
    number,
    one_of,
    parameter,
    whole,
)
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
from treewright.learners.neural_network.parameters import ACTIVATIONS, hidden_sizes
from treewright.learners.neural_network.propagation import Blueprint, Propagation
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


@declares_parameters
class NetworkModel(BaseEstimator):  # type: ignore[misc]
    """What all networks have beside `MatrixModel`. Subclasses say what the outputs are and what they should give."""

    hidden_layer_sizes: Any = parameter(
        default=(100,),
        takes=["array-like", whole(1)],
        kind="int or tuple of int",
        kw_only=False,
        doc="""How many units each hidden layer has; ``()`` is a single layer of output neurons. More units can bend
        further, and need more rows.""",
    )
    activation: str = parameter(
        default="relu",
        takes=one_of(*ACTIVATIONS),
        kind='{"relu", "sigmoid", "tanh", "linear"}',
        kw_only=False,
        doc="""What a hidden unit makes of its sum. "logistic" and "identity" are other names of "sigmoid" and "linear".
        "threshold" is answered with an error: it has no gradient.""",
    )
    solver: str = parameter(
        default="adam",
        takes=one_of("adam", "sgd", "lbfgs"),
        doc="""How steps are taken. "sgd" is gradient descent with momentum; "lbfgs" looks at all rows for each step,
        and is often best for some hundred rows.""",
    )
    alpha: float = parameter(
        default=0.0001,
        takes=at_least(0.0),
        doc="The price of large weights (L2), divided by the rows of a batch. Raising it gives a smoother model.",
    )
    batch_size: int | str = parameter(
        default="auto",
        takes=[one_of("auto"), whole(1)],
        kind='int or "auto"',
        doc="""After how many rows the weights are changed; 1 is example by example. "auto" takes a 32nd of the rows, at
        most 200. A number above the rows takes all of them: batch gradient descent.""",
    )
    learning_rate: str = parameter(
        default="constant",
        takes=one_of("constant", "invscaling", "adaptive"),
        doc="""With "sgd": the rate stays; falls with the rows seen, as start ÷ (rows + 1)^power_t; or is divided by 5
        whenever the loss stops falling.""",
    )
    learning_rate_init: float = parameter(
        default=0.001,
        takes=above(0.0),
        doc="How long the first steps are. Too large a rate diverges, which is answered with an error.",
    )
    power_t: float = parameter(default=0.5, takes=at_least(0.0), doc='The exponent of "invscaling".')
    max_iter: int = parameter(default=200, takes=whole(1), doc="The most epochs: how often each row is seen.")
    shuffle: bool = parameter(
        default=True,
        takes="boolean",
        doc="""Whether each epoch takes the rows in another order, by seed and epoch. Rows that are alike are then one
        row of their joint weight, so that neither the order of the table nor how weights are written changes the model.
        False takes the rows as they stand.""",
    )
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="The seed of weights, order and held-out rows. None is 0: the same table gives the same model.",
    )
    tol: float = parameter(
        default=0.0001,
        takes=at_least(0.0),
        doc="Training stops when the loss has not fallen by more than this for `n_iter_no_change` epochs.",
    )
    verbose: int = parameter(default=0, takes="verbose", doc="1 shows a bar with the epochs and the loss.")
    warm_start: bool = parameter(
        default=False,
        takes="boolean",
        doc="Whether the next fit goes on from the weights that are there.",
    )
    momentum: float = parameter(
        default=0.9,
        takes=number(0.0, 1.0, "left"),
        doc='With "sgd": the share of the last step that the next one keeps. 0 is plain gradient descent.',
    )
    nesterovs_momentum: bool = parameter(
        default=True,
        takes="boolean",
        doc='With "sgd": whether the slope is taken where the momentum leads.',
    )
    early_stopping: bool = parameter(
        default=False,
        takes="boolean",
        doc="""Whether a share of the rows is held out to judge by; the weights of the epoch with the smallest loss on
        them are kept. Not with "lbfgs", whose steps are chosen by all rows.""",
    )
    validation_fraction: float = parameter(default=0.1, takes=number(0.0, 1.0, "neither"), doc="That share.")
    beta_1: float = parameter(
        default=0.9,
        takes=number(0.0, 1.0, "left"),
        doc='With "adam": how long the mean of the gradient remembers.',
    )
    beta_2: float = parameter(
        default=0.999,
        takes=number(0.0, 1.0, "left"),
        doc='With "adam": how long the mean of its square remembers.',
    )
    epsilon: float = parameter(default=1e-8, takes=above(0.0), doc='With "adam": keeps the divisor from 0.')
    n_iter_no_change: int = parameter(
        default=10,
        takes=whole(1),
        doc="How many epochs without a better loss end the training.",
    )
    standardize: bool = parameter(
        default=True,
        takes="boolean",
        doc="""Whether number columns are brought to mean 0 and spread 1 first. Nominal columns are coded as 0 and 1 and
        stay so.""",
    )
    initial_weights: Any = parameter(
        default=None,
        takes=["array-like", above(0.0), None],
        kind="float or list of pairs",
        doc="""Where training starts. A number: weights and biases are drawn within ± this number. A list: the weights
        (inputs × outputs) and the biases of each layer. None: the larger a layer, the smaller the number.""",
    )
    precision: str = parameter(
        default="double",
        takes=one_of("double", "single"),
        doc='"single" computes with 32 bits: up to twice as fast, with about 6 digits.',
    )
    missing: str = parameter(
        default="mean",
        takes=one_of("mean", "flag", "refuse"),
        doc="""Missing values take the mean of their column; "flag" also adds a column that tells where; "refuse" is an
        error.""",
    )
    n_jobs: int | None = parameter(
        default=None,
        doc="""Taken for the sake of other estimators; a network is trained on one thread, so that it is always the
        same.""",
    )

    _sparing = FEWER_LEVELS
    _contrasts = "treatment"  # how nominal columns are coded

    _fitted_numbers: ClassVar[Numbers] = {
        "n_iter_": count(),
        "t_": count(),
        "loss_": real(),
        "best_loss_": real(),
        "settled_": count(),
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
        return "standard" if self.standardize else "none"

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
        fitted = self._known(columns, truth) if goes_on else self._begin(columns, truth)
        return self._train(columns, truth, fitted, self._descent(), self.max_iter, self.early_stopping)

    def _fit_blocks(self, data: LaidOutRows) -> list[Block]:
        inputs = matrix_width(data.schema, self._contrasts)
        sizes = self._layers(inputs, data.classes).sizes
        weights = sum((before + 1) * after for before, after in pairwise(sizes))
        return [Block(28, rows=data.columns.n_rows, inputs=inputs), Block(72, weights=weights)]

    def _begin(self, columns: Columns, truth: Target) -> dict[str, Any]:
        """Inputs, layers and starting weights: everything that is known before the first step."""
        scaling = self._scaling()
        inputs = learn_inputs(columns, truth.weights, self._contrasts, self.missing, scaling, self.precision)
        layers = self._layers(len(inputs.design.names), truth.classes)
        start = initial_weights(layers, self.initial_weights, self._seed())
        return {
            **inputs.arrays(),
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
        if sizes != self._layers(sizes[0], truth.classes).sizes:
            raise DataError(
                f"The network has layers of {sizes}, and hidden_layer_sizes asks for others. "
                "Set warm_start=False to train a new one."
            )
        names = (*self._fitted_arrays, *self._fitted_numbers)
        return {name: self.__dict__[name] for name in names if name in self.__dict__}

    def _train(
        self, columns: Columns, truth: Target, fitted: dict[str, Any], descent: Descent, epochs: int, judged: bool
    ) -> dict[str, Any]:
        inputs = restored_inputs(columns.schema, self._contrasts, fitted, self.precision)
        weights = None if truth.weights is None else (truth.weights / truth.weights.mean()).astype(inputs.dtype)
        rows = inputs.rows(columns)
        examples = Examples(rows, self._targets(truth, rows, fitted), weights)
        numbers = fitted["all_weights_"].astype(inputs.dtype)
        network = Propagation(self._blueprint(fitted, truth.classes), numbers, self.alpha)
        held_out = None
        if judged and self.solver != "lbfgs":
            examples, held_out = self._hold_out(examples, truth)
        self._before(network, examples, fitted)
        progress = _core.Progress()
        progress.total = epochs
        with show_progress(progress, type(self).__name__, "loss", self.verbose):
            course = self._run(network, examples, held_out, descent, epochs, fitted["n_iter_"], progress)
        return self._outcome(fitted, numbers, course, len(examples))

    def _run(
        self,
        network: Propagation,
        examples: Examples,
        held_out: Examples | None,
        descent: Descent,
        epochs: int,
        first_epoch: int,
        progress: _core.Progress | None,
    ) -> Course:
        def watch(epoch: int, loss: float) -> None:
            if progress is not None:
                progress.done, progress.score = epoch, loss

        if self.solver == "lbfgs":
            return train_at_once(network, examples, epochs, self.tol, watch)
        kind = self.learning_rate if self.solver == "sgd" else "constant"
        schedule = Schedule(kind, self.learning_rate_init, self.power_t)
        by_size = min(_LARGEST_BATCH, -(-len(examples) // _STEPS_AN_EPOCH))
        size = by_size if self.batch_size == "auto" else int(self.batch_size)
        rules = Rules(
            batch_size=min(size, len(examples)),
            max_epochs=epochs,
            tol=self.tol,
            patience=self.n_iter_no_change,
            shuffle=self.shuffle,
            seed=self._seed(),
            mask=self._mask(),
            first_epoch=first_epoch,
        )
        return train(network, examples, held_out, descent, schedule, rules, watch)

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

    def _hold_out(self, examples: Examples, truth: Target) -> tuple[Examples, Examples]:
        groups = np.zeros(len(examples), dtype=np.int64) if truth.classes is None else truth.values
        learn, judge = hold_out(groups, self.validation_fraction, self._seed())
        if len(judge) == 0:
            raise DataError(
                f"validation_fraction={self.validation_fraction} of {len(examples)} sample(s) holds out none. "
                "Raise it, or say early_stopping=False."
            )
        return examples.take(learn), examples.take(judge)

    def _descent(self) -> Descent:
        if self.solver == "adam":
            return Adam(self.learning_rate_init, self.beta_1, self.beta_2, self.epsilon)
        return Momentum(self.learning_rate_init, self.momentum, self.nesterovs_momentum)

    def _blueprint(self, fitted: dict[str, Any], classes: NDArray[Any] | None) -> Blueprint:
        n_inputs = int(fitted["layer_sizes_"][0])
        head = self._end(n_inputs, classes)[1]
        return Blueprint(self._layers(n_inputs, classes), activation(self.activation), head)

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
        descent = self.__dict__.get("_going") or self._descent()
        first = self._fitted_by not in self.__dict__
        with one_blas_thread():
            fitted = self._begin(columns, truth) if first else self._known(columns, truth)
            fitted = self._train(columns, truth, fitted, descent, 1, judged=False)
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
        check_weights(fitted, self._layers(len(inputs.design.names), classes), inputs.dtype)


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

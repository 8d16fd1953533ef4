"""Autoencoders: networks that learn to give back their inputs through a narrow layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Columns, Floats, table_from_matrix
from treewright.learners.base.matrix_model import MatrixModel, Target
from treewright.learners.base.parameters import at_least, fixed, number, one_of, parameter
from treewright.learners.base.threads import one_blas_thread
from treewright.learners.neural_network.inputs import Examples, Head, SigmoidLogLoss, SquaredLoss
from treewright.learners.neural_network.layers import Array, Layers, activation, initial_weights
from treewright.learners.neural_network.network_model import NetworkModel, Work
from treewright.learners.neural_network.parameters import ACTIVATIONS, MLP_ATTRIBUTES, hidden_sizes
from treewright.learners.neural_network.propagation import Blueprint, Propagation, Sparsity, through
from treewright.learners.neural_network.settings import resolve_settings


class Autoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, NetworkModel, MatrixModel):  # type: ignore[misc]
    __doc__ = f"""A network that learns to give back its inputs through a narrow layer, the code.

    The encoder turns rows into codes, the decoder turns codes into rows. Tables are taken as they are; nominal columns
    have one input a level.

    Attributes
    ----------
    {MLP_ATTRIBUTES}

    References
    ----------
    G. E. Hinton and R. Salakhutdinov, Reducing the Dimensionality of Data with Neural Networks, 2006.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.Autoencoder(2, solver="lbfgs", max_iter=300).fit(X)
    >>> codes = model.encode(X)
    >>> codes.shape, model.decode(codes).columns.tolist() == X.columns.tolist()
    ((150, 2), True)
    >>> bool(model.reconstruction_error(X).mean() < 0.1)
    True
    """

    hidden_layer_sizes: Any = parameter(
        default=(2,),
        kw_only=False,
        doc="The layers of the encoder; the last one is the code. The decoder has the same layers in reverse.",
    )
    activation: str = parameter(
        default="tanh",
        kind='{"tanh", "sigmoid", "relu", "linear"}',
        kw_only=False,
        doc="What the hidden units make of their sums.",
    )
    code_activation: str | None = parameter(
        default=None,
        takes=[one_of(*ACTIVATIONS), None],
        kind="str",
        doc="""The same for the units of the code; None is `activation`. With all of them "linear" the codes span what
        principal components span.""",
    )
    output_activation: str = parameter(
        default="linear",
        takes=one_of(*ACTIVATIONS),
        kind='{"linear", "sigmoid", "tanh", "relu"}',
        doc="What the outputs make of their sums.",
    )
    loss: str = parameter(
        default="squared_error",
        takes=one_of("squared_error", "log_loss"),
        doc='Half the squared distance from input to output; "log_loss" needs ``scaling="unit"`` and sigmoid outputs.',
    )
    scaling: str = parameter(
        default="standard",
        takes=one_of("standard", "unit", "none"),
        doc="Number columns get mean 0 and spread 1; or lie between 0 and 1; or stay as they are.",
    )
    tied: bool = parameter(
        default=False,
        takes="boolean",
        doc="Whether the decoder uses the weights of the encoder, turned over: half the weights.",
    )
    pretrain: bool = parameter(
        default=False,
        takes="boolean",
        doc="Whether each layer is trained by itself first, on the codes of the layer before it.",
    )
    mask: float = parameter(
        default=0.0,
        takes=number(0.0, 1.0, "left"),
        doc="""The share of inputs that are set to 0 at every step while the whole row is asked for (a denoising
        autoencoder).""",
    )
    sparsity: float = parameter(
        default=0.0,
        takes=at_least(0.0),
        doc="The price of codes whose units are active more or less often than `active_share`. Needs sigmoid codes.",
    )
    active_share: float = parameter(
        default=0.05,
        takes=number(0.0, 1.0, "neither"),
        doc="How active a unit of the code should be on average.",
    )
    alpha: float = parameter(default=0.0)

    _why_no_source = "it has no target to name"
    _contrasts = "full"
    initial_weights: Any = fixed(None)
    standardize: bool | str = fixed(False)  # see `scaling`
    preset: str = fixed("scikit-learn")
    n_models: int | str = fixed(1)

    # ---------------------------------------------------------------- learning
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn to give back the rows of a table. If it is interrupted or refused, the estimator stays as it was.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            As other estimators take it.
        y : ignored
        sample_weight : column of length n_rows, optional
            How much each row counts.
        """
        self._check_choices()
        return super().fit(X, None, sample_weight)

    def _check_choices(self) -> None:
        self._validate_params()
        if self.loss == "log_loss" and (self.scaling != "unit" or activation(self.output_activation).name != "sigmoid"):
            raise DataError(
                "loss='log_loss' compares chances, so inputs and outputs must lie between 0 and 1. "
                "Set scaling='unit' and output_activation='sigmoid', or loss='squared_error'."
            )
        if self.sparsity and self._code_activation() != "sigmoid":
            raise DataError("sparsity needs codes between 0 and 1. Set code_activation='sigmoid', or sparsity=0.")
        if self.solver == "lbfgs" and self.mask:
            raise DataError("mask draws other inputs at every step, which solver='lbfgs' cannot use. Choose 'adam'.")

    def _encode_target(self, y: Any, n_rows: int, weights: Any) -> tuple[NDArray[Any] | None, NDArray[Any], Any]:
        return None, np.zeros(n_rows), weights

    def _code_activation(self) -> str:
        return activation(self.code_activation or self.activation).name

    def _layers(self, n_inputs: int, classes: NDArray[Any] | None) -> Layers:
        hidden = hidden_sizes(self.hidden_layer_sizes)
        if not hidden:
            raise DataError("hidden_layer_sizes=() leaves no layer for the code. Give at least one size, such as (2,).")
        return Layers((n_inputs, *hidden, *hidden[-2::-1], n_inputs), self.tied)

    def _end(self, n_inputs: int, classes: NDArray[Any] | None) -> tuple[int, Head]:
        if self.loss == "log_loss":
            return n_inputs, SigmoidLogLoss()
        return n_inputs, SquaredLoss(activation(self.output_activation))

    def _scaling(self) -> str:
        return str(self.scaling)

    def _mask(self) -> float:
        return float(self.mask)

    def _targets(self, truth: Target, rows: Array, fitted: dict[str, Any]) -> NDArray[Any]:
        return rows

    def _blueprint(self, fitted: dict[str, Any], classes: NDArray[Any] | None) -> Blueprint:
        n_inputs = int(fitted["layer_sizes_"][0])
        layers = self._layers(n_inputs, None)
        code = len(layers.shapes) // 2 - 1
        sparse = Sparsity(code, self.active_share, self.sparsity) if self.sparsity else None
        own = activation(self._code_activation())
        return Blueprint(layers, activation(self.activation), self._end(n_inputs, None)[1], (code, own), sparse)

    def _before(self, network: Propagation, examples: Examples, fitted: dict[str, Any]) -> None:
        if self.pretrain and fitted["n_iter_"] == 0 and len(network.weights) > 2:
            settings = resolve_settings(self, len(examples))

            def train_one(small: Propagation, rows: Examples) -> None:
                work = Work(small, rows, None, self._descent(settings), self._seed(), 0)
                self._run(work, settings, None)

            pretrain(network.blueprint, network.numbers, examples, self._seed(), train_one)

    # ---------------------------------------------------------------- codes and rows
    @property
    def _n_features_out(self) -> int:
        return hidden_sizes(self.hidden_layer_sizes)[-1]

    def _answers(self, columns: Columns) -> NDArray[Any]:
        """The codes of the rows."""
        plan: Blueprint = self._plan
        middle = len(plan.layers.shapes) // 2
        return through(plan, self.all_weights_, self._inputs.rows(columns), 0, middle).astype(np.float64)

    def transform(self, X: Any) -> Any:
        """Give the code of each row: what the narrow layer makes of it."""
        return self.encode(X)

    def encode(self, X: Any) -> Floats:
        """Give the code of each row, as an array of rows × units of the code.

        Examples
        --------
        >>> import treewright as tw
        >>> tw.Autoencoder(1).fit([[1, 2], [2, 4], [3, 6]]).encode([[2, 4]]).shape
        (1, 1)
        """
        columns = self._columns(X)
        with one_blas_thread():
            return self._answers(columns)

    def decode(self, codes: Any) -> Any:
        """Give the rows that have such codes: a data frame where the model learnt from one, else an array.

        Of a nominal column the most active level is given, of an ordinal column the nearest.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.Autoencoder(1, "linear", solver="lbfgs").fit([[1, 2], [2, 4], [3, 6]])
        >>> model.decode(model.encode([[2, 4]])).round(2)
        array([[2., 4.]])
        """
        check_is_fitted(self)
        given = check_array(codes, dtype=self.all_weights_.dtype, ensure_min_samples=0, input_name="codes")
        if given.shape[1] != self._n_features_out:
            raise DataError(
                f"These codes have {given.shape[1]} columns, but the code has {self._n_features_out} units. "
                "Pass what encode gave."
            )
        with one_blas_thread():
            outputs = self._decoded(given)
        design = self._inputs.design
        table = table_from_matrix(design, self._inputs.back(outputs)[:, : sum(design.widths)])
        plain = all(column.kind == "numeric" and column.value_type == "number" for column in self.schema_.columns)
        if "feature_names_in_" in self.__dict__ or not plain:
            return table
        return table.to_numpy()

    def inverse_transform(self, X: Any) -> Any:
        """Give the rows that have such codes, as `decode` does."""
        return self.decode(X)

    def reconstruct(self, X: Any) -> Any:
        """Give each row as it comes back: encoded and decoded.

        Examples
        --------
        >>> import pandas as pd
        >>> import treewright as tw
        >>> table = pd.DataFrame({"size": [1.0, 2.0, 8.0, 9.0], "kind": ["ant", "ant", "elk", "elk"]})
        >>> model = tw.Autoencoder(1, solver="lbfgs").fit(table)
        >>> model.reconstruct(table)["kind"].tolist()
        ['ant', 'ant', 'elk', 'elk']
        """
        return self.decode(self.encode(X))

    def reconstruction_error(self, X: Any) -> Floats:
        """Give for each row the mean squared difference of inputs and outputs, on the scale of the inputs.

        Rows that are unlike those of the training come back badly: a large error marks an outlier.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.Autoencoder(1, "linear", solver="lbfgs").fit([[1, 2], [2, 4], [3, 6]])
        >>> usual, odd = model.reconstruction_error([[2, 4], [3, 2]])
        >>> bool(usual < 0.001 < 0.1 < odd)
        True
        """
        columns = self._columns(X)
        with one_blas_thread():
            rows, outputs = self._inputs.rows(columns), self._outputs(columns)
        return np.asarray(np.square(rows - outputs).mean(axis=1), dtype=np.float64)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Give minus the mean reconstruction error: larger is better."""
        return -float(np.average(self.reconstruction_error(X), weights=sample_weight))

    def _decoded(self, codes: Array) -> Array:
        plan: Blueprint = self._plan
        depth = len(plan.layers.shapes)
        return through(plan, self.all_weights_, codes, depth // 2, depth)

    @property
    def predict(self) -> Any:
        """An autoencoder has no target."""
        raise AttributeError("Autoencoder has no target to predict. Use encode, decode or reconstruct.")

    @property
    def predict_one(self) -> Any:
        """An autoencoder has no target."""
        raise AttributeError("Autoencoder has no target to predict. Use encode, decode or reconstruct.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


# Layer by layer: each layer of an encoder is first trained alone, as a small autoencoder of the layer before it.


Trainer = Callable[[Propagation, Examples], object]


def pretrain(whole: Blueprint, numbers: Array, examples: Examples, seed: int, train: Trainer) -> None:
    """Give a deep autoencoder its starting weights, in place (G. E. Hinton and R. Salakhutdinov, 2006, in spirit).

    Layer l of the encoder and its mirror in the decoder are trained on the codes of layer l - 1, with the others left
    out; then their weights go into the whole network.
    """
    weights, biases = whole.layers.parts(numbers)
    values, depth = examples.rows, len(weights) // 2
    for layer in range(depth):
        sizes = (*whole.layers.shapes[layer], whole.layers.sizes[layer])
        small = Blueprint(
            Layers(sizes, whole.layers.tied),
            whole.activation,
            whole.head if layer == 0 else SquaredLoss(activation("linear")),
            (0, whole.activation_of(layer)),
        )
        start = initial_weights(small.layers, None, seed + layer).astype(numbers.dtype)
        network = Propagation(small, start)
        train(network, replace(examples, rows=values, target=values))
        mirror = len(weights) - 1 - layer
        weights[layer][:], biases[layer][:] = network.weights[0], network.biases[0]
        weights[mirror][:], biases[mirror][:] = network.weights[1], network.biases[1]
        values = np.ascontiguousarray(through(small, start, values, 0, 1))

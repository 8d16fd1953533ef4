"""Multilayer perceptrons for classes and for numbers."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Columns, Floats
from treewright.learners.base.learnt import Numbers, real
from treewright.learners.base.links import shares
from treewright.learners.base.matrix_model import MatrixClassifier, MatrixModel, Target
from treewright.learners.base.parameters import one_of, parameter
from treewright.learners.base.scaling import moments
from treewright.learners.base.several_targets import fit_one_by_one
from treewright.learners.neural_network.inputs import Head, SigmoidLogLoss, SoftmaxLogLoss, SquaredLoss
from treewright.learners.neural_network.layers import Array, activation
from treewright.learners.neural_network.network_model import NetworkModel, goes_on
from treewright.learners.neural_network.parameters import ACTIVATIONS, MLP_ATTRIBUTES
from treewright.table.schema import Schema
from treewright.table.target import encode_classes, encode_known_classes, target_column


class MLPClassifier(MatrixClassifier, NetworkModel, MatrixModel):
    __doc__ = f"""A multilayer perceptron for classes, trained by back-propagation.

    Tables are taken as they are: nominal columns become inputs of 0 and 1, missing values are filled, numbers are
    brought to one scale. The same table, parameters and seed give the same model.

    Attributes
    ----------
    classes_ : array
        The class labels, sorted.
    {MLP_ATTRIBUTES}

    References
    ----------
    D. E. Rumelhart, G. E. Hinton and R. J. Williams, Learning Representations by Back-propagating Errors, 1986.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.MLPClassifier(hidden_layer_sizes=(8,), max_iter=100, learning_rate_init=0.01).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.predict(X.iloc[:2]).tolist()
    (True, ['Iris-setosa', 'Iris-setosa'])
    """

    loss: str = parameter(
        default="log_loss",
        takes=one_of("log_loss", "squared_error"),
        doc="""What is made small. "log_loss": minus the logarithm of the true class's probability, with sigmoid (two
        classes) or softmax outputs. "squared_error": half of (t - o)² of sigmoid outputs, as in the lectures.""",
    )

    _fit_targets: ClassVar[Any] = fit_one_by_one

    @available_if(goes_on)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go once through these rows, from the weights that are there. The first rows decide inputs and scales.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array
            All classes that may come; needed at the first call only.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.MLPClassifier(4, random_state=0)
        >>> for _ in range(3):
        ...     model = model.partial_fit([[1, 2], [3, 1]], ["a", "b"], classes=["a", "b", "c"])
        >>> model.n_iter_, model.predict_proba([[1, 2]]).shape
        (3, (1, 3))
        """
        return self._go_on(X, y, sample_weight, classes)

    def _with_classes(self, truth: Target, classes: Any) -> Target:
        if classes is None:
            raise DataError(
                "classes must be passed on the first call to partial_fit: later rows may have classes that these do "
                "not. Pass all of them."
            )
        labels, _ = encode_classes(np.asarray(classes))
        found = np.asarray(truth.classes)
        number = {label: code for code, label in enumerate(labels.tolist())}
        unknown = [label for label in found.tolist() if label not in number]
        if unknown:
            raise DataError(f"y holds the class {unknown[0]!r}, which is not in classes. Pass all classes there.")
        place = np.array([number[label] for label in found.tolist()], dtype=np.int32)
        return Target(place[truth.values], truth.weights, labels)

    def _known_target(self, y: Any, n_rows: int) -> NDArray[Any]:
        codes = encode_known_classes(target_column(y, n_rows, type(self).__name__), self.classes_)
        if (codes < 0).any():
            row = int(np.argmax(codes < 0))
            raise DataError(f"Row {row + 1} has a class that was not in classes at the first call. Pass only those.")
        return codes

    def _end(self, n_inputs: int, classes: NDArray[Any] | None) -> tuple[int, Head]:
        n_classes = 0 if classes is None else len(classes)
        n_outputs = 1 if n_classes == 2 else n_classes
        if self.loss == "squared_error":
            return n_outputs, SquaredLoss(activation("sigmoid"))
        return n_outputs, SigmoidLogLoss() if n_outputs == 1 and n_classes == 2 else SoftmaxLogLoss()

    def _targets(self, truth: Target, rows: Array, fitted: dict[str, Any]) -> NDArray[Any]:
        if truth.classes is not None and len(truth.classes) == 2:
            return truth.values[:, None].astype(rows.dtype)
        return truth.values.astype(np.int64)

    def _probabilities(self, columns: Columns) -> Floats:
        outputs = self._outputs(columns)
        if len(self.classes_) == 2:
            return np.column_stack([1 - outputs, outputs])
        if self._plan.head.name == "softmax" and self.precision == "double":
            return outputs  # they sum to 1 but for rounding; to divide them again would only round them again
        return shares(outputs)


class MLPRegressor(RegressorMixin, NetworkModel, MatrixModel):  # type: ignore[misc]
    __doc__ = f"""A multilayer perceptron for numbers, trained by back-propagation on half the squared error.

    Tables are taken as they are: nominal columns become inputs of 0 and 1, missing values are filled, numbers are
    brought to one scale, and so is the target while it is learnt. The same table, parameters and seed give the same
    model.

    Attributes
    ----------
    {MLP_ATTRIBUTES}

    References
    ----------
    D. E. Rumelhart, G. E. Hinton and R. J. Williams, Learning Representations by Back-propagating Errors, 1986.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    >>> model = tw.MLPRegressor(hidden_layer_sizes=(16,), learning_rate_init=0.01, max_iter=50).fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    output_activation: str = parameter(
        default="linear",
        takes=one_of(*ACTIVATIONS),
        kind='{"linear", "sigmoid", "tanh", "relu"}',
        doc="""What the output makes of its sum. Other outputs than linear ones learn the target as it is, not on one
        scale: a sigmoid can only answer between 0 and 1.""",
    )

    _fitted_numbers: ClassVar[Numbers] = {
        **NetworkModel._fitted_numbers,
        "target_center_": real(),
        "target_scale_": real(0.0),
    }
    _target_exponent = 900  # it learns the target on one scale
    _fit_targets: ClassVar[Any] = fit_one_by_one

    @available_if(goes_on)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go once through these rows, from the weights that are there. The first rows decide inputs and scales.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.MLPRegressor(4)
        >>> for _ in range(3):
        ...     model = model.partial_fit([[1, 2], [3, 1]], [0.5, 1.5])
        >>> model.n_iter_
        3
        """
        return self._go_on(X, y, sample_weight, None)

    def _known_target(self, y: Any, n_rows: int) -> NDArray[Any]:
        return self._encode_numbers(target_column(y, n_rows, type(self).__name__))

    def _end(self, n_inputs: int, classes: NDArray[Any] | None) -> tuple[int, Head]:
        return 1, SquaredLoss(activation(self.output_activation))

    def _learn_target(self, truth: Target) -> dict[str, Any]:
        if not self.standardize or activation(self.output_activation).name != "linear":
            return {"target_center_": 0.0, "target_scale_": 1.0}
        center, scale = moments(truth.values[:, None], truth.weights)
        return {"target_center_": float(center[0]), "target_scale_": float(scale[0])}

    def _targets(self, truth: Target, rows: Array, fitted: dict[str, Any]) -> NDArray[Any]:
        scaled = (truth.values - fitted["target_center_"]) / fitted["target_scale_"]
        return np.ascontiguousarray(scaled[:, None], dtype=rows.dtype)

    def _loss_unit(self, fitted: dict[str, Any]) -> float:
        scale = fitted["target_scale_"]
        return float(scale**2) if scale < 1e150 else 1.0  # beyond, squares are no numbers

    def _answers(self, columns: Columns) -> NDArray[Any]:
        return np.asarray(self._outputs(columns)[:, 0] * self.target_scale_ + self.target_center_)

    def _check_fitted(self, schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> None:
        super()._check_fitted(schema, classes, fitted)
        if not fitted["target_scale_"] > 0:
            raise ValueError("it does not say on which scale it answers")

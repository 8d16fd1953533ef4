"""From a fitted model without trees to its formula: the only file of those exports that knows estimators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.errors import DataError
from treewright.export.basis_formula import basis_units
from treewright.export.bayes_formula import bayes_units
from treewright.export.correction import correction_of
from treewright.export.formula import MISSING, ONE, Formula, Input, Unit
from treewright.export.model_program import program_of, refuse_several_targets
from treewright.export.program import Program
from treewright.learners.base.design_matrix import Design
from treewright.learners.base.matrix_model import MatrixModel
from treewright.learners.linear.linear_model import LinearModel
from treewright.learners.logistic.logistic_regression import LogisticRegression
from treewright.learners.naive_bayes.naive_bayes import NaiveBayesClassifier
from treewright.learners.neural_network.multilayer_perceptron import MLPClassifier, MLPRegressor
from treewright.learners.neural_network.propagation import Propagation
from treewright.learners.perceptron.perceptron import Perceptron

Floats = NDArray[np.float64]
WITH_FORMULAS = (LinearModel, LogisticRegression, NaiveBayesClassifier, Perceptron, MLPClassifier, MLPRegressor)
MOST_WEIGHTS = 50_000  # a network with more of them is not small
MOST_TERMS = 200_000


def exported_of(model: Any) -> Program | Formula:
    """Give what an exporter prints of a fitted model: rules of trees, or sums; a model that has none is refused."""
    exported = formula_of(model) if isinstance(model, WITH_FORMULAS) else program_of(model)
    for label in exported.labels or ():
        _refuse_long_integer("class", label)
    for column in exported.columns:
        for level in column.levels:
            _refuse_long_integer("level", level)
    return exported


def _refuse_long_integer(what: str, value: Any) -> None:
    if isinstance(value, int) and abs(value) >= 2**63:
        raise DataError(
            f"The {what} {str(value)[:20]}… is a whole number that no database and no other language holds. Train "
            f"with {'classes' if what == 'class' else 'levels'} that are written as text."
        )


def formula_of(model: Any) -> Formula:
    """Give the formula of a fitted model of `WITH_FORMULAS`; what has none is refused by name.

    Examples
    --------
    >>> import treewright as tw
    >>> formula = formula_of(tw.LogisticRegression().fit([[1], [2]], ["a", "b"]))
    >>> formula.link, formula.labels, [entry.column for entry in formula.inputs]
    ('logistic_pair', ['a', 'b'], [-1, 0])
    """
    check_is_fitted(model)
    if "targets_" in model.__dict__:
        refuse_several_targets(model, len(model.targets_))
    formula = _formula_of(model)
    calibration = model.__dict__.get("calibration_")
    return formula if calibration is None else replace(formula, correction=correction_of(calibration))


def _formula_of(model: Any) -> Formula:
    if isinstance(model, Perceptron) and model.neuron != "sigmoid":
        raise DataError(
            f"This Perceptron cannot be exported: its {model.neuron} neurons answer with classes alone, and exports "
            "answer with probabilities. Train it with neuron='sigmoid', or take LogisticRegression."
        )
    if "classes_" in model.__dict__ and len(model.classes_) == 1:
        return _formula(model, [Input(ONE, fill=1.0)], [Unit(())], [1], "softmax", "answers")
    if isinstance(model, LinearModel):
        return _of_linear(model)
    if isinstance(model, NaiveBayesClassifier):
        return _of_bayes(model)
    if isinstance(model, LogisticRegression | Perceptron):
        return _of_sums(model)
    return _of_network(model)


def scores_of(model: Any, X: Any) -> Floats:
    """Give what the model itself makes of rows before its link: rows × scores."""
    columns = model._columns(X)
    if "classes_" in model.__dict__ and len(model.classes_) == 1:
        return np.zeros((columns.n_rows, 1))
    if isinstance(model, NaiveBayesClassifier):
        return model._joint_logarithms(columns)
    if isinstance(model, LogisticRegression | Perceptron):
        return model._sums(columns)
    if isinstance(model, MLPClassifier):
        network = Propagation(model._plan, model.all_weights_)
        return np.array(network.sums(model._inputs.rows(columns)), dtype=np.float64)
    return np.asarray(model.predict(X), dtype=np.float64)[:, None]


# ---------------------------------------------------------------- the kinds of models


def _of_linear(model: Any) -> Formula:
    inputs = design_inputs(model._design.design)
    if model._design.bases:
        inputs, units, answer = basis_units(model, inputs)
        return _formula(model, inputs, units, [answer], "identity", "")
    return _dense(model, inputs, [(model.coef_[:, None], np.array([model.intercept_]), "linear")], "identity", "")


def _of_sums(model: Any) -> Formula:
    layer = (model.coef_.T, model.intercept_, "linear")
    inputs = design_inputs(model._design)
    if isinstance(model, LogisticRegression):
        link = "logistic_pair" if len(model.classes_) == 2 else "softmax" if model.loss == "log" else "expit_shares"
        return _dense(model, inputs, [layer], link, "answers")
    two = len(model.classes_) == 2
    return _dense(model, inputs, [layer], "logistic" if two else "expit_shares", "sign" if two else "sums")


def _of_network(model: Any) -> Formula:
    if model.precision == "single":
        raise DataError(
            f"This {type(model).__name__} cannot be exported: it computes with 32 bits (precision='single'), and "
            "exports compute in doubles, so that its answers would differ. Train it with precision='double'."
        )
    if model._plan.layers.n_numbers > MOST_WEIGHTS:
        raise DataError(
            f"This {type(model).__name__} has {model._plan.layers.n_numbers:,} weights, and networks are written out "
            f"up to {MOST_WEIGHTS:,}. Choose smaller hidden_layer_sizes, or save it with tw.save."
        )
    inputs = design_inputs(model._inputs.design, model._inputs.center, model._inputs.scale)
    last = len(model.coefs_) - 1
    shapes = [model._plan.activation_of(layer).name for layer in range(last)]
    layers = list(zip(model.coefs_, model.intercepts_, [*shapes, "linear"], strict=True))
    if isinstance(model, MLPClassifier):
        links = {"log_loss": "softmax", "squared_error": "expit_shares"}
        link = "logistic" if len(model.classes_) == 2 else links[model.loss]
        return _dense(model, inputs, layers, link, "answers")
    output = model._plan.head.name
    layers[-1] = (*layers[-1][:2], "expit" if output == "sigmoid" else output)
    if (model.target_scale_, model.target_center_) != (1.0, 0.0):
        layers.append((np.array([[model.target_scale_]]), np.array([model.target_center_]), "linear"))
    return _dense(model, inputs, layers, "identity", "")


def _of_bayes(model: Any) -> Formula:
    inputs, units, outputs = bayes_units(model)
    with np.errstate(divide="ignore"):
        fallback = tuple(np.log(model.class_prior_).tolist())
    return replace(_formula(model, inputs, units, outputs, "bayes", "sums"), fallback=fallback)


# ---------------------------------------------------------------- inputs and layers


def design_inputs(design: Design, center: Floats | None = None, scale: Floats | None = None) -> list[Input]:
    """Give the columns of a design matrix as inputs, the constant first."""
    made: list[tuple[int, int]] = []
    for place, column in enumerate(design.schema.columns):
        if column.kind == "nominal":
            made += [(place, code) for code in range(design.first_levels, len(column.levels) + 1)]
        else:
            made.append((place, 0))
    made += [(int(place), MISSING) for place in np.flatnonzero(design.flagged)]
    centers = np.zeros(len(made)) if center is None else center
    scales = np.ones(len(made)) if scale is None else scale
    numbers = zip(made, design.fill.tolist(), centers.tolist(), scales.tolist(), strict=True)
    return [Input(ONE, fill=1.0), *(Input(*place, fill, less, by) for place, fill, less, by in numbers)]


def _dense(
    model: Any, inputs: list[Input], layers: list[tuple[Floats, Floats, str]], link: str, label_by: str
) -> Formula:
    """A formula of layers, each reading the one before: weights are inputs × outputs; the bias is added last.

    Inputs that a network draws in are the first units.
    """
    kept = [0, *(1 + np.flatnonzero((layers[0][0] != 0).any(axis=1))).tolist()]  # a weight of 0 adds nothing
    inputs = [inputs[place] for place in kept]
    units: list[Unit] = []
    sources = list(range(1, len(inputs)))
    if getattr(model, "clip_", None) is not None:
        clipped = [at for at in sources if model._inputs.clipped[kept[at] - 1]]
        units = [Unit(((at, 1.0),), "smooth_clip") for at in clipped]
        sources = [len(inputs) + clipped.index(at) if at in clipped else at for at in sources]
    for number, (weights, biases, shape) in enumerate(layers):
        rows = weights[[place - 1 for place in kept[1:]]] if number == 0 else weights
        first = len(inputs) + len(units)
        for column, bias in zip(rows.T.tolist(), biases.tolist(), strict=True):
            terms = [(source, weight) for source, weight in zip(sources, column, strict=True) if weight != 0]
            units.append(Unit((*terms, *([(0, bias)] if bias != 0 else [])), shape))
        sources = list(range(first, len(inputs) + len(units)))
    return _formula(model, inputs, units, sources, link, label_by)


def _formula(
    model: MatrixModel,
    inputs: list[Input],
    units: list[Unit],
    outputs: list[int],
    link: str,
    label_by: str,
) -> Formula:
    labels = model.classes_.tolist() if "classes_" in model.__dict__ else None
    formula = Formula(
        model.schema_.columns,
        tuple(inputs),
        tuple(units),
        tuple(outputs),
        link,
        label_by,
        labels,
        model.schema_.target,
        type(model).__name__,
        model.fingerprint(),
        takes_missing=getattr(model, "missing", None) != "refuse",
    )
    if formula.n_terms + formula.n_bells > MOST_TERMS:
        raise DataError(
            f"This {formula.title} has {formula.n_terms + formula.n_bells:,} terms, and formulas are written out up to "
            f"{MOST_TERMS:,}. Leave out columns with many levels or values, or save it with tw.save."
        )
    return formula

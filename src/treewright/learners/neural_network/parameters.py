"""The parameters that the networks for classes and for numbers have: what each does, and which values it takes."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from treewright.errors import DataError
from treewright.learners.base.parameters import SHARED_CONSTRAINTS

_AT_LEAST_ONE = [Interval(Integral, 1, None, closed="left")]
_POSITIVE = [Interval(Real, 0.0, None, closed="neither")]
_NOT_NEGATIVE = [Interval(Real, 0.0, None, closed="left")]
ACTIVATIONS = {"sigmoid", "logistic", "tanh", "relu", "linear", "identity", "threshold"}

MLP_CONSTRAINTS: dict[str, list[Any]] = {
    "hidden_layer_sizes": ["array-like", *_AT_LEAST_ONE],
    "activation": [StrOptions(ACTIVATIONS)],
    "solver": [StrOptions({"adam", "sgd", "lbfgs"})],
    "alpha": _NOT_NEGATIVE,
    "batch_size": [StrOptions({"auto"}), *_AT_LEAST_ONE],
    "learning_rate": [StrOptions({"constant", "invscaling", "adaptive"})],
    "learning_rate_init": _POSITIVE,
    "power_t": _NOT_NEGATIVE,
    "max_iter": _AT_LEAST_ONE,
    "shuffle": ["boolean"],
    "tol": _NOT_NEGATIVE,
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "momentum": [Interval(Real, 0.0, 1.0, closed="left")],
    "nesterovs_momentum": ["boolean"],
    "early_stopping": ["boolean"],
    "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
    "beta_1": [Interval(Real, 0.0, 1.0, closed="left")],
    "beta_2": [Interval(Real, 0.0, 1.0, closed="left")],
    "epsilon": _POSITIVE,
    "n_iter_no_change": _AT_LEAST_ONE,
    "standardize": ["boolean"],
    "initial_weights": ["array-like", Interval(Real, 0.0, None, closed="neither"), None],
    "precision": [StrOptions({"double", "single"})],
    "missing": [StrOptions({"mean", "flag", "refuse"})],
    **{name: SHARED_CONSTRAINTS[name] for name in ("column_kinds", "random_state", "n_jobs")},
}

MLP_PARAMETERS = """hidden_layer_sizes : int or tuple of int, default (100,)
        How many units each hidden layer has; ``()`` is a single layer of output neurons. More units can bend further,
        and need more rows.
    activation : {"relu", "sigmoid", "tanh", "linear"}, default "relu"
        What a hidden unit makes of its sum. "logistic" and "identity" are other names of "sigmoid" and "linear".
        "threshold" is answered with an error: it has no gradient.
    solver : {"adam", "sgd", "lbfgs"}, default "adam"
        How steps are taken. "sgd" is gradient descent with momentum; "lbfgs" looks at all rows for each step, and is
        often best for some hundred rows.
    alpha : float, default 0.0001
        The price of large weights (L2), divided by the rows of a batch. Raising it gives a smoother model.
    batch_size : int or "auto", default "auto"
        After how many rows the weights are changed; 1 is example by example. "auto" takes a 32nd of the rows, at most
        200. A number above the rows takes all of them: batch gradient descent.
    learning_rate : {"constant", "invscaling", "adaptive"}, default "constant"
        With "sgd": the rate stays; falls with the rows seen, as start ÷ (rows + 1)^power_t; or is divided by 5 whenever
        the loss stops falling.
    learning_rate_init : float, default 0.001
        How long the first steps are. Too large a rate diverges, which is answered with an error.
    power_t : float, default 0.5
        The exponent of "invscaling".
    max_iter : int, default 200
        The most epochs: how often each row is seen.
    shuffle : bool, default True
        Whether each epoch takes the rows in another order, by seed and epoch. Rows that are alike are then one row of
        their joint weight, so that neither the order of the table nor how weights are written changes the model. False
        takes the rows as they stand.
    tol : float, default 0.0001
        Training stops when the loss has not fallen by more than this for `n_iter_no_change` epochs.
    verbose : int, default 0
        1 shows a bar with the epochs and the loss.
    warm_start : bool, default False
        Whether the next fit goes on from the weights that are there.
    momentum : float, default 0.9
        With "sgd": the share of the last step that the next one keeps. 0 is plain gradient descent.
    nesterovs_momentum : bool, default True
        With "sgd": whether the slope is taken where the momentum leads.
    early_stopping : bool, default False
        Whether a share of the rows is held out to judge by; the weights of the epoch with the smallest loss on them
        are kept. Not with "lbfgs", whose steps are chosen by all rows.
    validation_fraction : float, default 0.1
        That share.
    beta_1 : float, default 0.9
        With "adam": how long the mean of the gradient remembers.
    beta_2 : float, default 0.999
        With "adam": how long the mean of its square remembers.
    epsilon : float, default 1e-8
        With "adam": keeps the divisor from 0.
    n_iter_no_change : int, default 10
        How many epochs without a better loss end the training.
    standardize : bool, default True
        Whether number columns are brought to mean 0 and spread 1 first. Nominal columns are coded as 0 and 1 and stay
        so.
    initial_weights : None, float or list of pairs, default None
        Where training starts. A number: weights and biases are drawn within ± this number. A list: the weights
        (inputs × outputs) and the biases of each layer. None: the larger a layer, the
        smaller the number.
    precision : {"double", "single"}, default "double"
        "single" computes with 32 bits: up to twice as fast, with about 6 digits.
    missing : {"mean", "flag", "refuse"}, default "mean"
        Missing values take the mean of their column; "flag" also adds a column that tells where; "refuse" is an error.
    column_kinds : dict, optional
        Kinds that override the guess, for instance ``{"zip": "nominal", "grade": "ordinal"}``.
    random_state : int, optional
        The seed of weights, order and held-out rows. None is 0: the same table gives the same model.
    n_jobs : int, optional
        Taken for the sake of other estimators; a network is trained on one thread, so that it is always the same."""

MLP_ATTRIBUTES = """coefs_ : list of arrays
        The weights of each layer, inputs × outputs.
    intercepts_ : list of arrays
        The biases of each layer.
    loss_curve_ : array
        The loss of each epoch.
    validation_loss_curve_ : array
        With early stopping: the loss on the held-out rows after each epoch.
    loss_, best_loss_ : float
        The last loss, and the smallest (with early stopping: on held-out rows).
    n_iter_ : int
        The epochs that were done.
    input_names_ : tuple of str
        What the inputs are called, such as ``job = smith``."""


def hidden_sizes(given: Any) -> tuple[int, ...]:
    """Give the sizes of the hidden layers as a tuple, or say what is wrong with them.

    Examples
    --------
    >>> hidden_sizes(5), hidden_sizes([4, 2]), hidden_sizes(())
    ((5,), (4, 2), ())
    """
    sizes = np.atleast_1d(np.asarray(given))
    whole = sizes.size == 0 or sizes.dtype.kind in "iu"
    if sizes.ndim != 1 or not whole or (sizes.size and sizes.min() < 1):
        raise DataError(
            f"hidden_layer_sizes={given!r} is no list of sizes. Give the number of units of each hidden layer, such as "
            "(100,) or (50, 50)."
        )
    return tuple(int(size) for size in sizes)

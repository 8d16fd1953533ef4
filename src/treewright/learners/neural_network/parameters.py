"""The parameters that all networks share, what they are read with, and what all networks have learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from treewright.errors import DataError
from treewright.learners.base.parameters import (
    above,
    at_least,
    declares_parameters,
    number,
    one_of,
    parameter,
    whole,
)

ACTIVATIONS = ("relu", "sigmoid", "tanh", "linear", "logistic", "identity", "threshold")


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


_MOST_UNITS = 1_000_000


def hidden_sizes(given: Any) -> tuple[int, ...]:
    """Give the sizes of the hidden layers as a tuple, or say what is wrong with them.

    Examples
    --------
    >>> hidden_sizes(5), hidden_sizes([4, 2]), hidden_sizes(())
    ((5,), (4, 2), ())
    """
    try:
        sizes = np.atleast_1d(np.asarray(given))
    except ValueError:  # lists of different lengths
        sizes = np.zeros((0, 0))
    whole = sizes.size == 0 or sizes.dtype.kind in "iu"
    if sizes.ndim == 1 and whole and sizes.size and sizes.max() > _MOST_UNITS:
        raise DataError(
            f"hidden_layer_sizes={given!r} has a layer of more than {_MOST_UNITS:,} units. Choose smaller layers."
        )
    if sizes.ndim != 1 or not whole or (sizes.size and sizes.min() < 1):
        raise DataError(
            f"hidden_layer_sizes={given!r} is no list of sizes. Give the number of units of each hidden layer, such as "
            "(100,) or (50, 50)."
        )
    return tuple(int(size) for size in sizes)


@declares_parameters
class NetworkParameters(BaseEstimator):  # type: ignore[misc]
    """What all networks are told. "auto" is looked up in `settings.py`."""

    preset: str = parameter(
        default="auto",
        takes=one_of("auto", "scikit-learn"),
        doc="""What parameters that are "auto" stand for. "auto": several networks are averaged, each with a falling
        rate and the weights of its best epoch (see the page on defaults). "scikit-learn": its defaults, one network
        at a constant rate until the loss stops falling. So it is, too, with a given `max_iter`, with another `solver`
        than "adam", with `warm_start`, `partial_fit` and `shuffle=False`, and below 40 rows.""",
    )
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
        default="auto",
        takes=one_of("auto", "constant", "cosine", "invscaling", "adaptive"),
        doc="""The rate stays; or falls as half a wave, from the first rate to 0 in the last of `max_iter` epochs
        ("cosine"). With "sgd" alone: falls with the rows seen, as start ÷ (rows + 1)^power_t ("invscaling"); or is
        divided by 5 whenever the loss stops falling ("adaptive"). "auto": "cosine", or with the settings of
        scikit-learn "constant".""",
    )
    learning_rate_init: float | str = parameter(
        default="auto",
        takes=[one_of("auto"), above(0.0)],
        kind='float or "auto"',
        doc="""How long the first steps are. Too large a rate diverges, which is answered with an error. "auto": 0.01,
        or with the settings of scikit-learn 0.001.""",
    )
    power_t: float = parameter(default=0.5, takes=at_least(0.0), doc='The exponent of "invscaling".')
    max_iter: int | str = parameter(
        default="auto",
        takes=[one_of("auto"), whole(1)],
        kind='int or "auto"',
        doc="""The most epochs: how often each row is seen. "auto": 120, or with the settings of scikit-learn 200.""",
    )
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
    early_stopping: bool | str = parameter(
        default="auto",
        takes=[one_of("auto"), "boolean"],
        kind='bool or "auto"',
        doc="""Whether a share of the rows is held out to judge by; the weights of the epoch with the smallest loss on
        them are kept. Not with "lbfgs", whose steps are chosen by all rows. "auto": yes, other rows for each of the
        averaged networks, or with the settings of scikit-learn no.""",
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
    n_iter_no_change: int | str = parameter(
        default="auto",
        takes=[one_of("auto"), whole(1)],
        kind='int or "auto"',
        doc="""How many epochs without a better loss end the training. "auto": none with the rate "cosine", which has
        to come to its end; else 10.""",
    )
    standardize: bool | str = parameter(
        default=True,
        takes=["boolean", one_of("robust")],
        kind='bool or "robust"',
        doc="""Whether number columns are brought to one scale first: to mean 0 and spread 1, or "robust", where the
        median becomes 0, the quartiles are 1 apart, and numbers far out are drawn in smoothly, within ±3. Nominal
        columns are coded as 0 and 1 and stay so.""",
    )
    n_models: int | str = parameter(
        default="auto",
        takes=[one_of("auto"), whole(1, 100)],
        kind='int or "auto"',
        doc="""How many networks are trained, from other starts and with other rows held out, and averaged before the
        bend of the outputs. They are kept as one network, their hidden units side by side. "auto": 4 up to 15,000
        rows, 2 up to 60,000, else 1; with `early_stopping` given, or with the settings of scikit-learn, 1. With
        `warm_start`, and in `partial_fit`, it is always one.""",
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

"""What the parameters of all networks are read with, and what all networks have learnt."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.errors import DataError

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

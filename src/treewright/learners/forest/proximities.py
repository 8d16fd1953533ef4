"""Which rows a forest holds for alike: those that end in the same leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.threads import thread_count


def proximities(self: Any, X: Any, others: Any = None, k: int = 10) -> csr_matrix:
    """Tell which rows the forest holds for alike: in how many of the trees two rows end in the same leaf.

    Parameters
    ----------
    X : table
        The rows to look from.
    others : table, optional
        The rows to look at; None is X itself.
    k : int, default 10
        How many neighbours are kept for each row: those with the largest shares.

    Returns
    -------
    sparse matrix of shape (rows of X, rows of others)
        The shares of the trees, between 0 and 1.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.RandomForestClassifier(random_state=1).fit(X, y)
    >>> near = model.proximities(X, k=3)
    >>> near.shape, near[0].nnz, float(near[0].max())
    ((150, 150), 3, 1.0)
    """
    if k < 1:
        raise DataError(f"k={k} neighbours cannot be found. Ask for 1 or more.")
    rows = self._lookup_nodes(X)
    training = rows if others is None else self._lookup_nodes(others)
    nearest, shared = _core.nearest_by_leaves(training, rows, min(k, len(training)), thread_count(self.n_jobs))
    found = nearest.reshape(len(rows), -1)
    at, place = np.nonzero(found >= 0)
    shares = shared.reshape(found.shape)[at, place] / rows.shape[1]
    return csr_matrix((shares, (at, found[at, place])), shape=(len(rows), len(training)))

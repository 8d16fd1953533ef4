"""A saved model that is only asked for answers: the way in that needs no estimator, and so nothing of scikit-learn."""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import NDArray

from treewright.learners.ensemble.asked_ensemble import AskedEnsemble, asked_ensemble_of
from treewright.learners.linear.asked_sums import AskedSums, asked_sums_of
from treewright.learners.trees.asked_tree import AskedTree, asked_of
from treewright.save.model_file import beginning_of, path_text, read_model
from treewright.save.other_formats import BEGINNING, reader_of

AskedModel = AskedTree | AskedEnsemble | AskedSums


def open_asked_model(path: str | os.PathLike[str]) -> AskedModel | None:
    """Open a model file to ask it for answers; None where only its estimator knows them.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.save(tw.RandomForestClassifier(5).fit(X, y), pathlib.Path(folder) / "iris.tw")
    ...     asked = open_asked_model(pathlib.Path(folder) / "iris.tw")
    >>> asked.trees_
    <5 trees, 99 nodes in all>
    """
    if reader_of(beginning_of(path, BEGINNING)) is not None:
        return None  # a model of another library, which takes the whole way
    return asked_model_of(*read_model(path), path_text(path))


def asked_model_of(header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> AskedModel | None:
    """The same of what a file holds; what does not fit is a ModelFileError."""
    for asked in (asked_of, asked_ensemble_of, asked_sums_of):
        found: AskedModel | None = asked(header, arrays, source)
        if found is not None:
            return found
    return None

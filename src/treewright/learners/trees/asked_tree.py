"""A saved tree that is only asked: for its answers, its text, its rules and why.

An estimator brings scikit-learn, scipy and pandas with it, which take two seconds to import; a question takes none of
them. The file is read and checked as for an estimator (`read_tree`), and rows are answered by the same `RowLookup`.
"""

from __future__ import annotations

import os
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learners.base.table_lookup import Rows
from treewright.learners.registry import LEARNERS
from treewright.learners.trees import explained_answer
from treewright.learners.trees.smoothed_shares import smoothed_shares
from treewright.learners.trees.stored_tree import read_tree
from treewright.learners.trees.tree_lookup import RowLookup, column_importance
from treewright.save.model_file import beginning_of, path_text, read_model
from treewright.save.other_formats import BEGINNING, reader_of
from treewright.save.refusing_damage import refusing_damage
from treewright.save.tree_header import class_array
from treewright.tree.tree import Tree

# What the header of a model says that is one tree and answers by it alone. A file that says more is an estimator's.
_KNOWN = {
    "estimator",
    "params",
    "schema",
    "has_names",
    "classes",
    "classes_dtype",
    "n_columns",
    "n_classes",
    "prices",
}


class AskedTree:
    """One tree of a model file, without its estimator.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.save(tw.DecisionTreeClassifier(max_depth=2).fit(X, y), pathlib.Path(folder) / "iris.tw")
    ...     asked = open_asked(pathlib.Path(folder) / "iris.tw")
    >>> asked.tree_, asked.classes_.tolist()
    (<Tree of 5 nodes, 3 leaves, depth 2>, ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica'])
    """

    why = explained_answer.why
    rules = explained_answer.rules
    apply: Any = None  # held-out rows are counted by estimators

    def __init__(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        core, schema, labels = read_tree(header, arrays, source)
        params = header["params"]
        self.refuses_missing = params.get("missing") == "refuse"
        if labels is not None:
            self.classes_ = class_array(labels, header.get("classes_dtype"), source)
        classes = getattr(self, "classes_", None)
        criterion = params.get("criterion", "squared_error" if classes is None else None)
        if not isinstance(criterion, str | None):
            raise ValueError("its criterion is no name")
        self._smoothing = _smoothing_in(params)
        self.tree_ = Tree(core, schema, None if classes is None else classes.tolist(), criterion)
        self.feature_names_in_ = np.array(schema.names, dtype=object)
        self._lookup = RowLookup(self.tree_, False, classes)

    @property
    def encoder(self) -> Any:
        """What lays rows out for the tree."""
        return self._lookup.encoder

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column lowered the impurity, as shares that sum to 1."""
        return column_importance(self.tree_.arrays, len(self.feature_names_in_))

    def predict(self, rows: Rows) -> NDArray[Any]:
        """Give the answer to each of some encoded rows; with so few one thread is the quickest."""
        return self._lookup.answer(rows, 1)

    def predict_proba(self, rows: Rows) -> NDArray[np.float64]:
        """Give the share of each class in the leaf of each row."""
        if not self._smoothing:
            return self._lookup.class_shares(rows, 1)
        shares = smoothed_shares(cast(_core.Tree, self.tree_.core), self._smoothing)
        return self._lookup.shares_by_node(rows, shares, 1)


def open_asked(path: str | os.PathLike[str]) -> AskedTree | None:
    """Open a model file to ask it; None where only its estimator knows the answer, such as that of many trees."""
    if reader_of(beginning_of(path, BEGINNING)) is not None:
        return None  # a model of another library, which takes the whole way
    return asked_of(*read_model(path), path_text(path))


def asked_of(header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> AskedTree | None:
    """The same of what a file holds; what does not fit is a ModelFileError."""
    with refusing_damage(header, source):
        return AskedTree(header, arrays, source) if _answers_by_its_tree(header) else None


def _smoothing_in(params: dict[str, Any]) -> float:
    """How far class shares are drawn towards those above, as the estimator would take it."""
    smoothing = params.get("smoothing", 0.0)
    if isinstance(smoothing, bool) or not isinstance(smoothing, int | float) or not 0 <= smoothing < np.inf:
        raise ValueError("its smoothing is no number that it can be")
    return float(smoothing)


def _answers_by_its_tree(header: dict[str, Any]) -> bool:
    single = {
        name
        for record in LEARNERS.values()
        if record.module.startswith("treewright.learners.trees.")
        for name in record.classes.values()
    }
    params = header.get("params")
    if header.get("estimator") not in single or not set(header) <= _KNOWN or not isinstance(params, dict):
        return False
    return params.get("costs") is None and not params.get("laplace")  # rules with costs; shares that are not the leaf's

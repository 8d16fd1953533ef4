"""A saved model of weighted sums that is only asked for its answers, without its estimator and what that imports.

Linear, regularized and logistic regression of the columns as they are. One with basis functions is its estimator's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.design_matrix import Design, Floats, columns_of
from treewright.learners.base.learnt import check_learnt, learnt_sizes, reals, truths, wholes
from treewright.learners.base.links import expit, shares, softmax
from treewright.learners.base.row_products import check_sums, row_products
from treewright.learners.base.state import split_fitted
from treewright.learners.base.table_lookup import TableLookup
from treewright.learners.registry import LEARNERS
from treewright.save.refusing_damage import refusing_damage
from treewright.save.tree_header import check_tree_header, class_array
from treewright.table.encode import EncodedRows

# What the header of a model says that answers by its sums alone. A file that says more is an estimator's.
_KNOWN = {
    "estimator",
    "params",
    "schema",
    "has_names",
    "classes",
    "classes_dtype",
    "n_columns",
    "n_classes",
    "learnt",
}
_NUMBERS, _CLASSES = ("linear", "regularized"), ("logistic",)
_MATRIX = {"fill_": reals("terms"), "flagged_": truths("columns")}
_ARRAYS_OF_NUMBERS = {**_MATRIX, "coef_": reals("terms"), "basis_sizes_": wholes("columns", lowest=0, highest=0)}
_ARRAYS_OF_CLASSES = {**_MATRIX, "coef_": reals("outputs", "terms"), "intercept_": reals("outputs", infinite=True)}
_LOSSES = ("log", "squared", "squared_sigmoid")


class AskedSums:
    """The sums of a model file, without their estimator.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.save.model_bytes import from_bytes
    >>> model = tw.LogisticRegression().fit([[1], [2], [3], [4]], list("aabb"))
    >>> asked = asked_sums_of(*from_bytes(model._tw_bytes(), "m.tw"), "m.tw")
    >>> asked.classes_.tolist(), asked.feature_names_in_.tolist()
    (['a', 'b'], ['x0'])
    """

    def __init__(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> None:
        params, learnt = header["params"], header["learnt"]
        saved = header.get("classes")
        n_columns = len(header["schema"]["columns"])
        schema, labels = check_tree_header(header, n_columns, 0 if saved is None else len(saved), source)
        if (labels is not None) != (header["estimator"] in _classes_of(_CLASSES)):
            raise ValueError("its classes are not those of its estimator")
        if labels is not None:
            self.classes_ = class_array(labels, header.get("classes_dtype"), source)
        declared = _ARRAYS_OF_NUMBERS if labels is None else _ARRAYS_OF_CLASSES
        sizes = learnt_sizes(schema, None if labels is None else self.classes_)
        beside, _ = split_fitted(arrays, declared)
        held = check_learnt({}, declared, {}, beside, sizes)
        check_sums(held["fill_"], held["coef_"])
        self._coefficients = held["coef_"].T
        self._constant = float(learnt["intercept_"]) if labels is None else held["intercept_"]
        contrasts = params.get("contrasts", "treatment")
        if labels is not None:
            contrasts = "full" if learnt["has_all_levels_"] else "treatment"
        self._design = Design(schema, str(contrasts), held["flagged_"], held["fill_"])
        self._loss = params.get("loss", "log")
        self.refuses_missing = params.get("missing") == "refuse"
        self.feature_names_in_ = np.array(schema.names, dtype=object)
        self._lookup = TableLookup(schema, self.refuses_missing)

    @property
    def encoder(self) -> Any:
        """What lays rows out."""
        return self._lookup.encoder

    def predict(self, rows: EncodedRows) -> NDArray[Any]:
        """Give the answer to each of some encoded rows."""
        if not hasattr(self, "classes_"):
            return self._sums(rows)
        return np.asarray(self.classes_[self.predict_proba(rows).argmax(axis=1)])

    def predict_proba(self, rows: EncodedRows) -> Floats:
        """Give the probability of each class."""
        sums = self._sums(rows)
        if len(self.classes_) == 1:
            return np.ones((len(sums), 1))
        if len(self.classes_) == 2:
            return np.column_stack([expit(-sums[:, 0]), expit(sums[:, 0])])
        return softmax(sums) if self._loss == "log" else shares(expit(sums))

    def _sums(self, rows: EncodedRows) -> Floats:
        matrix = self._design.matrix(columns_of(rows, self._design.schema))
        return np.asarray(row_products(matrix, self._coefficients) + self._constant)


def asked_sums_of(header: dict[str, Any], arrays: dict[str, NDArray[Any]], source: str) -> AskedSums | None:
    """The same of what a file holds; what does not fit is a ModelFileError, None what only an estimator answers."""
    with refusing_damage(header, source):
        return AskedSums(header, arrays, source) if _answers_by_its_sums(header) else None


def _classes_of(names: tuple[str, ...]) -> set[str]:
    return {each for name in names for each in LEARNERS[name].classes.values()}


def _answers_by_its_sums(header: dict[str, Any]) -> bool:
    params = header.get("params")
    if not set(header) <= _KNOWN or not isinstance(params, dict) or "learnt" not in header:
        return False
    if header.get("estimator") in _classes_of(_CLASSES):
        return params.get("loss", "log") in _LOSSES
    return header.get("estimator") in _classes_of(_NUMBERS) and params.get("basis") is None

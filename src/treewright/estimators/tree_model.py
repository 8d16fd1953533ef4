"""What every estimator with one tree does: fit = check → encode → grow → prune → store."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, validate_data

from treewright import _core
from treewright.encode.input_frame import InputFrame, is_frame, open_frame
from treewright.encode.schema import Schema
from treewright.encode.table import EncodedRows, EncodedTable, encode_rows, encode_table
from treewright.errors import DataError
from treewright.estimators.cost_complexity import PriceTable, choose_price, cut_at_price, impurity_risk, loss_risk
from treewright.estimators.folds import deal_folds
from treewright.estimators.fraction import rows_of
from treewright.estimators.parameter_and_method import ParameterAndMethod
from treewright.estimators.persist import FittedState
from treewright.estimators.threads import thread_count
from treewright.recipe import CostComplexity, Pruner, Recipe
from treewright.tree.tree import Tree


@dataclass
class Lesson:
    """Everything that one fit learns from, encoded."""

    table: EncodedTable
    target: _core.Target
    truth: NDArray[np.float64]  # class numbers or values
    weights: NDArray[np.float64] | None
    classes: NDArray[Any] | None
    recipe: Recipe
    threads: int

    def grow(self, rows: NDArray[np.uint32] | None = None) -> _core.Tree:
        """Grow a tree from all rows, or from some."""
        return _core.grow(self.table.core, self.target, self.recipe.for_core(), self.threads, rows)


class TreeModel(FittedState, BaseEstimator):  # type: ignore[misc]
    """The part that classifier and regressor share. Subclasses encode the target and turn leaves into answers."""

    tree_: Tree
    prune = ParameterAndMethod("prune", "_prune_model")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, a duckdb relation, or a numpy array. Text, categories, booleans, dates
            and missing values are taken as they are.
        y : column of length n_rows
            The target.
        sample_weight : column of length n_rows, optional
            How much each row counts. A weight of 2 is the same as the row twice; a weight of 0 drops it.

        Returns
        -------
        self
        """
        self._validate_params()
        frame = self._open(X)
        lesson = self._encode(frame, X, y, sample_weight)
        core, prices = self._prune_grown(lesson.grow(), lesson)
        self._store(X, lesson, core, prices)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters by name (see `ParameterAndMethod` for why `prune` is looked up apart)."""
        names = self._get_param_names()
        return {name: self.__dict__["prune"] if name == "prune" else getattr(self, name) for name in names}

    # ---------------------------------------------------------------- the steps of fit
    def _open(self, X: Any) -> InputFrame:
        if is_frame(X):
            frame = open_frame(X)
            if frame.n_rows == 0:
                raise DataError("Found array with 0 sample(s) while a minimum of 1 is required: the table has no rows.")
            if frame.n_columns == 0:
                raise DataError("0 feature(s) while a minimum of 1 is required: the table has no columns to learn from.")
            return frame
        return open_frame(check_array(X, dtype=None, ensure_all_finite=False, estimator=self, input_name="X"))

    def _encode(self, frame: InputFrame, X: Any, y: Any, sample_weight: Any) -> Lesson:
        threads = thread_count(self.n_jobs)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, np.empty((frame.n_rows, 0)), dtype=np.float64)
            if (weights < 0).any():
                row = int(np.flatnonzero(weights < 0)[0])
                raise DataError(f"Negative values in sample_weight: row {row + 1} has {weights[row]}. Weights are 0 or more.")
        target_name = getattr(y, "name", None)
        classes, truth, weights = self._encode_target(y, frame.n_rows, weights)
        if weights is not None and not (weights > 0).any():
            raise DataError("Every sample_weight is zero, so there is nothing to learn from.")
        table = encode_table(frame, self.column_kinds, None if target_name is None else str(target_name), threads)
        self._refuse_missing(table)
        recipe = self._recipe(frame.n_rows)
        if classes is not None:
            target = _core.Target.classes(truth, len(classes), weights)
        else:
            target = _core.Target.numbers(truth, weights, recipe.criterion == "poisson")
        return Lesson(table, target, truth, weights, classes, recipe, threads)

    def _recipe(self, n_rows: int) -> Recipe:
        return Recipe(
            criterion=self.criterion,
            missing=self.missing,
            max_depth=self.max_depth,
            min_samples_split=max(2, rows_of(self.min_samples_split, n_rows)),
            min_samples_leaf=max(1, rows_of(self.min_samples_leaf, n_rows)),
            max_leaf_nodes=self.max_leaf_nodes,
            min_impurity_decrease=self.min_impurity_decrease,
        )

    def _refuse_missing(self, table: EncodedTable) -> None:
        if self.missing != "refuse":
            return
        names = [c.name for c, holes in zip(table.schema.columns, table.core.has_missing(), strict=True) if holes]
        if names:
            raise DataError(
                f"Column '{names[0]}' has missing values and missing='refuse' was asked for"
                f"{f' ({len(names)} such columns)' if len(names) > 1 else ''}. "
                "Fill them, or choose missing='learn', 'larger' or 'branch'."
            )

    def _prune_grown(self, core: _core.Tree, lesson: Lesson) -> tuple[_core.Tree, PriceTable | None]:
        pruner = self._pruner()
        return (core, None) if pruner is None else _prune(core, pruner, lesson, self._seed())

    def _pruner(self) -> Pruner | None:
        choice = self.get_params(deep=False)["prune"]
        if choice is not None and not isinstance(choice, str):
            return choice
        if choice == "cost_complexity_cv":
            return CostComplexity(cv=10)
        if choice == "cost_complexity" or self.ccp_alpha > 0:
            return CostComplexity(alpha=self.ccp_alpha)
        return None

    def _seed(self) -> int:
        from sklearn.utils import check_random_state

        if self.random_state is None:
            return 0  # the same data and parameters give the same model
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    def _store(self, X: Any, lesson: Lesson, core: _core.Tree, prices: PriceTable | None) -> None:
        validate_data(self, X, reset=True, skip_check_array=True)  # remembers n_features_in_ and feature_names_in_
        self.n_outputs_ = 1
        if lesson.classes is not None:
            self.classes_ = lesson.classes
            self.n_classes_ = len(lesson.classes)
        self._set_tree(core, lesson.table.schema)
        if prices is not None:
            self.prices_ = prices
        elif hasattr(self, "prices_"):
            del self.prices_

    def _set_tree(self, core: _core.Tree, schema: Schema) -> None:
        classes = getattr(self, "classes_", None)
        self.tree_ = Tree(core, schema, None if classes is None else classes.tolist(), criterion=self.criterion)
        self.__dict__.pop("_door", None)
        self.__dict__.pop("_leaf_answers", None)

    # ---------------------------------------------------------------- looking rows up
    def _rows(self, X: Any) -> EncodedRows:
        check_is_fitted(self)
        if is_frame(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            frame = open_frame(X)
        else:
            X = check_array(X, dtype=None, ensure_all_finite=False, estimator=self, input_name="X")
            validate_data(self, X, reset=False, skip_check_array=True)
            frame = open_frame(X)
        rows = encode_rows(frame, self.tree_.schema)
        if self.missing == "refuse":
            _refuse_missing_rows(rows, self.tree_.schema)
        return rows

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Give the node in which each row ends."""
        return self._leaves(X).astype(np.int64)

    def _leaves(self, X: Any) -> NDArray[np.int32]:
        return self._rows(X).find_leaves(self.tree_.core, thread_count(self.n_jobs))

    def decision_path(self, X: Any) -> Any:
        """Give the nodes that each row passes, as a sparse matrix of shape (n_rows, n_nodes)."""
        from scipy.sparse import csr_matrix

        leaves = self._leaves(X)
        parent, depth = self.tree_.node_parent, self.tree_.node_depth
        lengths = depth[leaves].astype(np.int64) + 1
        starts = np.concatenate([[0], np.cumsum(lengths)])
        nodes = np.empty(starts[-1], dtype=np.int64)
        at, place = leaves.astype(np.int64), starts[1:] - 1
        alive = np.arange(len(leaves))
        while len(alive):  # one step up for all rows at once; a row drops out at the root
            nodes[place[alive]] = at[alive]
            at[alive] = parent[at[alive]]
            place[alive] -= 1
            alive = alive[at[alive] >= 0]
        return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, starts), shape=(len(leaves), self.tree_.n_nodes))

    def predict_one(self, values: Any) -> Any:
        """Answer one row, given as a list or tuple in column order or as a dict by column name, in about a microsecond.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_iris(return_X_y=True)
        >>> model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
        >>> model.predict_one([5.1, 3.5, 1.4, 0.2])
        'setosa'
        """
        door = self.__dict__.get("_door")
        if door is None:
            door = self._open_door()
        return door(values)

    def _open_door(self) -> Any:
        check_is_fitted(self)
        schema = self.tree_.schema
        if any(c.face in ("date", "datetime", "time", "duration") for c in schema.columns):
            door: Any = partial(_predict_one_by_frame, self)
        else:
            codes = [{level: i for i, level in enumerate(c.levels, 1)} if c.levels else None for c in schema.columns]
            door = _core.OneRow(self.tree_.core, [c.name for c in schema.columns], codes, self._node_answers().tolist())
        self._door = door
        return door

    def _prune_model(self, pruner: Pruner, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """Give a smaller model; this one stays as it is.

        Parameters
        ----------
        pruner : CostComplexity
            How. A price (`alpha` or `cp`) needs no data; `cv` needs the rows that the model was trained on.
        X, y, sample_weight
            The rows to judge by, where the pruner needs them.
        """
        from copy import copy

        check_is_fitted(self)
        if not isinstance(pruner, CostComplexity):
            raise DataError(f"A pruner was expected, such as tw.CostComplexity(alpha=0.01). Got {pruner!r} instead.")
        lesson = None
        if pruner.cv is not None:
            if X is None or y is None:
                raise DataError("CostComplexity(cv=…) grows trees on parts of the training rows: pass them as X and y.")
            lesson = self._encode(self._open(X), X, y, sample_weight)
        core, prices = _prune(self.tree_.core, pruner, lesson, self._seed())
        smaller = copy(self)
        smaller._set_tree(core, self.tree_.schema)
        if prices is not None:
            smaller.prices_ = prices
        return smaller

    # ---------------------------------------------------------------- about the tree
    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column lowered the impurity, as shares that sum to 1."""
        check_is_fitted(self)
        arrays = self.tree_.arrays
        inner = arrays["column"] >= 0
        total = np.bincount(
            arrays["column"][inner], weights=(arrays["weight"] * arrays["gain"])[inner], minlength=self.n_features_in_
        )
        return total / total.sum() if total.sum() > 0 else total

    def get_depth(self) -> int:
        """The depth of the tree."""
        check_is_fitted(self)
        return int(self.tree_.depth)

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return int(self.tree_.n_leaves)

    def fingerprint(self) -> str:
        """A short text that is equal for equal models: same tree, columns, classes and parameters."""
        check_is_fitted(self)
        return hashlib.sha256(self._tw_bytes()).hexdigest()[:32]

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Mapping[str, NDArray[np.float64]]:
        """The alphas at which the fully grown tree loses a part, and the impurity of what is left (as scikit-learn)."""
        from sklearn.base import clone
        from sklearn.utils import Bunch

        grown = clone(self).set_params(ccp_alpha=0.0, prune=None).fit(X, y, sample_weight)
        alphas, risks, _ = grown.tree_.core.prune_path(impurity_risk(grown.tree_.core))
        return Bunch(ccp_alphas=alphas, impurities=risks)

    def __str__(self) -> str:
        return str(self.tree_) if "tree_" in self.__dict__ else repr(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags


def _prune(
    core: _core.Tree, pruner: Pruner, lesson: Lesson | None, seed: int
) -> tuple[_core.Tree, PriceTable | None]:
    if pruner.alpha is not None:
        return cut_at_price(core, impurity_risk(core), pruner.alpha), None
    risk = loss_risk(core)
    if pruner.cp is not None:
        return cut_at_price(core, risk, pruner.cp * risk[0]), None
    assert lesson is not None  # callers that ask for cross-validation bring the rows
    weights = np.ones(len(lesson.truth)) if lesson.weights is None else lesson.weights
    is_classes = lesson.classes is not None
    folds = deal_folds(len(weights), int(pruner.cv or 10), seed, lesson.truth if is_classes else None)
    truth = np.ascontiguousarray(lesson.truth, dtype=np.float64)

    def losses(tree: _core.Tree, rows: Any, complexity: Any, prices: Any) -> Any:
        leaves = _core.leaves_of_table(tree, lesson.table.core, rows)
        kind = "classes" if is_classes else lesson.recipe.criterion
        return _core.path_loss(tree, complexity, prices, leaves, truth[rows], weights[rows], kind)

    alpha, prices = choose_price(core, lesson.grow, losses, folds, weights, pruner.rule)
    return cut_at_price(core, risk, alpha), prices


def _refuse_missing_rows(rows: EncodedRows, schema: Schema) -> None:
    for j, column in enumerate(schema.columns):
        if rows.matrix is not None:
            values = rows.matrix[:, j]
            holes = np.isnan(values) if values.dtype.kind == "f" else np.zeros(0, dtype=bool)
        else:
            kind, values, mask = rows.parts[j]
            holes = values == 0 if kind == "levels" else np.isnan(values) if values.dtype.kind == "f" else mask
        if holes is not None and np.any(holes):
            row = int(np.flatnonzero(holes)[0])
            raise DataError(
                f"Row {row + 1} has no known value in column '{column.name}', and the model was trained with "
                "missing='refuse'. Fill it, or train with missing='learn'."
            )


def _predict_one_by_frame(model: Any, values: Any) -> Any:
    """Dates and times need the frame's own parsing: slower, the same answer."""
    import pandas as pd

    names = [column.name for column in model.tree_.schema.columns]
    row = dict(values) if isinstance(values, Mapping) else dict(zip(names, values, strict=True))
    answer = model.predict(pd.DataFrame({name: [row.get(name)] for name in names}))[0]
    return answer.item() if isinstance(answer, np.generic) else answer

"""What random forests and extra trees share: many trees, each grown from drawn rows, looking at drawn columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import Bunch

from treewright import _core
from treewright.encode.input_frame import open_frame
from treewright.errors import DataError
from treewright.estimators.ensemble_model import EnsembleModel, GrownTrees
from treewright.estimators.forest_rules import columns_of, groups_to_draw, n_units, rules_of_trees, sampling_of
from treewright.estimators.oblique_forest import KnownOfRows, grow_oblique_forest, make_oblique_grower
from treewright.estimators.out_of_bag import OutOfBag
from treewright.estimators.row_groups import encode_groups
from treewright.estimators.threads import thread_count
from treewright.estimators.training_data import TrainingData
from treewright.estimators.tree_recipe import tree_recipe
from treewright.estimators.warm_start import trees_to_keep
from treewright.estimators.whole_trees import WholeTrees
from treewright.recipe import Recipe


class ForestModel(EnsembleModel):
    """Grows a forest. Subclasses say what the out-of-bag answers are called."""

    splitter = "axis"  # random forests have a choice
    _random_cuts = False
    _keeps_nodes = False  # whether the model wants to know where the training rows end
    _learnt_numbers: ClassVar[tuple[str, ...]] = ("oob_score_", "n_groups_")
    _score_name = "out of bag"

    # ---------------------------------------------------------------- growing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Grow the forest. If it is interrupted or refused, the estimator stays as it was.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, a duckdb relation, a numpy array or a list of rows. Text, categories,
            booleans, dates and missing values are taken as they are.
        y : column of length n_rows
            The target.
        sample_weight : column of length n_rows, optional
            How much each row counts. A weight of 2 is the same as the row twice; a weight of 0 drops it.
        groups : column of length n_rows, optional
            Rows that belong together, such as the visits of a patient. Whole groups are then drawn for each tree, so
            that a row is out of bag only where its whole group is; `max_samples` counts groups.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups)

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        return tree_recipe(self, n_rows, weights)

    def _forest_rules(self, training: TrainingData) -> dict[str, Any]:
        """Everything that the core is told about the forest."""
        sampling = sampling_of(self, n_units(training))
        if training.groups is not None:
            sampling |= groups_to_draw(training.groups, sampling["sampling"])
        return {
            **rules_of_trees(training.recipe),
            **sampling,
            "seed": self._seed(),
            "n_trees": self.n_estimators,
            "max_features": columns_of(self.max_features, len(training.table.schema.columns)),
            "random_cuts": self._random_cuts,
        }

    def _grow_trees(self, training: TrainingData, progress: _core.Progress) -> GrownTrees:
        rules = self._forest_rules(training)
        before = trees_to_keep(self, training.table.schema, training.classes)
        if before is not None and isinstance(before, WholeTrees) != (self.splitter == "oblique"):
            raise DataError("warm_start=True goes on with trees of the same splitter. Fit with warm_start=False.")
        n_before = 0 if before is None else before.n_trees
        if self.oob_score and rules["sampling"] == "all_rows":
            raise DataError("oob_score=True needs rows that a tree did not see. Set bootstrap=True or max_samples.")
        if self.splitter == "oblique":
            return self._grow_oblique(training, before, progress)
        # What is known about rows needs all trees, so these are then grown again; they come out the same.
        first = 0 if self.oob_score or self._keeps_nodes else n_before
        rules |= {"first_tree": first, "out_of_bag": self.oob_score, "keep_nodes": self._keeps_nodes}
        grown, known = _core.grow_forest(training.table.core, training.target, rules, progress, training.threads)
        forest = before.extended(grown) if before is not None and first > 0 else grown
        return GrownTrees(forest, self._learnt(training, forest, known))

    def _grow_oblique(self, training: TrainingData, before: Any, progress: _core.Progress) -> GrownTrees:
        grower = make_oblique_grower(self, training)
        says = self._says() if self.oob_score else None
        known = KnownOfRows(
            grower, says, self._keeps_nodes, lambda out: self._score_of(out, training.truth, training.weights)
        )
        progress.total = self.n_estimators

        def done(number: int, tree: _core.Tree) -> None:
            progress.score = known.add(number, tree)
            progress.done = number + 1

        trees: Any = grow_oblique_forest(grower, before, self.n_estimators, training.threads, done)
        return GrownTrees(trees, self._learnt(training, trees, known.by_name()))

    def _criterion_of_trees(self) -> str | None:
        if self.splitter == "axis":
            return super()._criterion_of_trees()
        return "entropy" if self._predicts_classes else "squared_error"

    def _learnt(self, training: TrainingData, forest: _core.Ensemble, known: dict[str, Any]) -> dict[str, Any]:
        """What is known beside the trees, by the names of the attributes."""
        learnt = {} if training.groups is None else {"n_groups_": int(training.groups.max()) + 1}
        if not self.oob_score:
            return learnt
        out = OutOfBag(len(training.truth), max(1, forest.n_classes))
        out.sums, out.trees = known["sums"].reshape(out.sums.shape), known["n_trees"].astype(np.int64)
        out.tell_gaps()
        score = self._score_of(out, training.truth, training.weights)
        return {**learnt, "oob_score_": score, **self._out_of_bag(out)}

    def _score_of(self, out: OutOfBag, truth: NDArray[Any], weights: Any) -> float:
        """How good the answers out of bag are."""
        raise NotImplementedError

    def _out_of_bag(self, out: OutOfBag) -> dict[str, Any]:
        """The attribute that tells the answers out of bag."""
        raise NotImplementedError

    # ---------------------------------------------------------------- importance out of bag
    def unbiased_importance(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Bunch:
        """Tell how much each column lowers the impurity of rows that the trees did not see.

        `feature_importances_` is told by the rows that the trees were grown from, and so gives credit to noise, the
        more the more different values a column has. Here noise gets 0 in the mean (MDI-oob, Li et al. 2019).

        Parameters
        ----------
        X, y, sample_weight, groups
            The rows that the forest was trained on, in any order. Which tree saw which row is drawn again.

        Returns
        -------
        Bunch with `importances_mean`, `importances_std` (the spread over the trees) and `importances`
            (columns × trees).

        Examples
        --------
        >>> import numpy as np, treewright as tw
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([rng.integers(0, 2, 500), rng.normal(size=500)])  # the second column is noise
        >>> y = np.where(rng.random(500) < 0.2, 1 - X[:, 0], X[:, 0])
        >>> model = tw.RandomForestClassifier(random_state=1, max_features=None).fit(X, y)
        >>> model.feature_importances_.round(2)
        array([0.36, 0.64])
        >>> model.unbiased_importance(X, y).importances_mean.round(2)
        array([0.18, 0.01])
        """
        return self._importance(X, y, sample_weight, groups, "unbiased")

    def permutation_importance(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Bunch:
        """Tell how much worse each tree answers the rows it did not see when one column is dealt out anew among them.

        Worse by the share of wrong answers, or by the squared error. Columns that say the same share the credit.

        Parameters
        ----------
        X, y, sample_weight, groups
            The rows that the forest was trained on, in any order. Which tree saw which row is drawn again.

        Returns
        -------
        Bunch with `importances_mean`, `importances_std` (the spread over the trees) and `importances`
            (columns × trees).

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_iris(return_X_y=True)
        >>> model = tw.RandomForestClassifier(random_state=1).fit(X, y)
        >>> model.permutation_importance(X, y).importances_mean.round(2)
        array([0.03, 0.01, 0.31, 0.29])
        """
        return self._importance(X, y, sample_weight, groups, "permutation")

    def _importance(self, X: Any, y: Any, sample_weight: Any, groups: Any, kind: str) -> Bunch:
        self._rows(X)  # the same columns as in training
        frame = open_frame(self._table(X))
        training = self._encode(frame, y, sample_weight)
        if ("n_groups_" in self.__dict__) != (groups is not None):
            raise DataError("Groups say which rows a tree saw. Pass the same groups as to fit, or none if it had none.")
        if groups is not None:
            training = replace(training, groups=encode_groups(groups, frame.n_rows))
        forest = self.trees_.core
        if isinstance(forest, WholeTrees):
            raise DataError(
                f"{kind}_importance is not known for oblique forests. Use feature_importances_, or scikit-learn's "
                "permutation_importance on held-out rows."
            )
        rules = self._forest_rules(training) | {"n_trees": forest.n_trees}
        if rules["sampling"] == "all_rows":
            raise DataError(
                "Every tree of this forest saw every row, so that none is left to judge by. Fit with bootstrap=True."
            )
        if training.table.schema.columns != self.trees_.schema.columns:
            raise DataError(
                "These are not the rows that the forest was trained on: the levels differ. Pass the same rows."
            )
        found = _core.forest_importance(training.table.core, training.target, forest, rules, kind, training.threads)
        return Bunch(importances_mean=found.mean(axis=0), importances_std=found.std(axis=0), importances=found.T)

    # ---------------------------------------------------------------- neighbours
    def proximities(self, X: Any, others: Any = None, k: int = 10) -> csr_matrix:
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

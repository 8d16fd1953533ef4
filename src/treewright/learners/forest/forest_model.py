"""What random forests and extra trees share: many trees, each grown from drawn rows, looking at drawn columns."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from treewright import _core
from treewright.errors import DataError
from treewright.learners.base.column_rules import MONOTONIC_CST, monotone_ways
from treewright.learners.base.fit_gathered import gathered_table
from treewright.learners.base.folds import encode_groups
from treewright.learners.base.learnt import Numbers, count, real
from treewright.learners.base.parameters import (
    MOST_TREES,
    at_least,
    declares_parameters,
    number,
    one_of,
    parameter,
    share,
    whole,
)
from treewright.learners.ensemble.bootstrap import (
    OOB_SCORE,
    WARM_START,
    OutOfBag,
    drawn_rows,
    trees_to_keep,
)
from treewright.learners.ensemble.ensemble_model import SMALLEST_TREE, GrownTrees
from treewright.learners.ensemble.tree_store import WholeTrees
from treewright.learners.forest.monotone_forest import joined, make_monotone_grower, whole_trees
from treewright.learners.forest.oblique_forest import (
    KnownOfRows,
    ObliqueGrower,
    grow_oblique_forest,
    make_oblique_grower,
)
from treewright.learners.forest.parameters import bootstraps_of, groups_to_draw, n_units, sampling_of
from treewright.learners.forest.proximities import proximities
from treewright.learners.forest.settings import (
    as_settled,
    blocks_to_judge,
    blocks_to_shrink,
    n_trees_of,
    settle,
    with_defaults,
    with_leaf,
)
from treewright.learners.forest.several_targets import fit_forest_of_targets, suits_forest_of_targets
from treewright.learners.forest.shared_growth import grow_forest, hand_out
from treewright.learners.trees.drawn_splits import columns_of, rules_of_trees
from treewright.learners.trees.training_data import (
    TrainingData,
    encode_rows,
    growing_blocks,
    plain_criterion,
    tree_recipe,
    with_recipe,
)
from treewright.memory import Block
from treewright.sources.crew import Crew
from treewright.sources.source import Source
from treewright.table.frame import InputFrame, open_frame


@declares_parameters
class ForestModel(BaseEstimator):  # type: ignore[misc]
    """Grows the forest of an `EnsembleModel`. Subclasses say what the out-of-bag answers are called."""

    n_estimators: int | str = parameter(
        default="auto",
        takes=[one_of("auto"), whole(1, MOST_TREES)],
        kw_only=False,
        doc="""How many trees. More trees make the answers steadier, never worse; time grows with them. "auto" is 300.
        With a given number the other parameters that are "auto" are scikit-learn's defaults.""",
    )
    preset: str = parameter(
        default="auto",
        takes=one_of("auto", "scikit-learn"),
        doc="""What parameters that are "auto" stand for. "auto": 300 trees; columns and how much classes are shrunk are
        judged by rows that are held out (see the page on defaults). "scikit-learn": its defaults, 100 trees grown to
        the end.""",
    )
    splitter: str = parameter(
        default="axis",
        takes=one_of("axis", "oblique"),
        doc="""What a node may ask: one column, or also a weighted sum of its drawn columns where that tells more (see
        `ObliqueTreeClassifier`). Oblique trees are judged by bits and not by `criterion`, and take longer.""",
    )
    max_depth: int | None = parameter(
        default=None,
        takes=[whole(1), None],
        doc="The most questions on the way to a leaf. None grows every tree to the end.",
    )
    min_samples_split: float = parameter(
        default=2,
        takes=[whole(2), share("right")],
        doc="A node with fewer rows is not split. A fraction is a share of all rows.",
    )
    min_samples_leaf: float | str = parameter(
        default="auto",
        takes=[one_of("auto"), whole(1), share("neither")],
        doc="""No branch may have fewer rows. A fraction is a share of all rows. Raising it gives smaller, smoother
        trees. "auto" is 1; with more than ten classes and no given `n_estimators` 1, 2 or 5, judged by rows that are
        held out.""",
    )
    min_weight_fraction_leaf: float = parameter(
        default=0.0,
        takes=number(0.0, 0.5),
        doc="No branch may have a smaller share of all weight.",
    )
    max_features: float | str | None = parameter(
        default="auto",
        takes=[one_of("auto", "sqrt", "log2", "third"), whole(1), share("right"), None],
        doc="""How many columns each node looks at, drawn anew for every node; a fraction is a share of all columns,
        "third" is a third of them, None is all. Lowering it makes the trees differ more and grow faster. "auto" is
        "sqrt" for classes and 1.0 for numbers with a given `n_estimators`, else judged by rows that are held out; 1.0
        for extra trees of numbers.""",
    )
    max_leaf_nodes: int | None = parameter(
        default=None,
        takes=[whole(2), None],
        doc="The most leaves of a tree; the splits that lower the impurity most are kept.",
    )
    min_impurity_decrease: float = parameter(
        default=0.0,
        takes=at_least(0.0),
        doc="A split must lower the impurity by this much, times the node's share of the weight.",
    )
    bootstrap: bool = parameter(
        default=True,
        takes="boolean",
        doc="""Whether each tree is grown from rows drawn with replacement, as many as there are. Without it every tree
        sees all rows, or with `max_samples` that many different ones.""",
    )
    max_samples: float | None = parameter(
        default=None,
        takes=[whole(1), number(0.0, 1.0, "right"), None],
        doc="How many rows are drawn for each tree; a fraction is a share of all rows. Lowering it makes them differ.",
    )
    monotonic_cst: Any = MONOTONIC_CST
    oob_score: bool = OOB_SCORE
    warm_start: bool = WARM_START
    missing: str = parameter(
        default="learn",
        takes=one_of("learn", "refuse"),
        doc="""What happens to rows without a value in the column of a test: every cut is tried with them on either
        side, or missing values are an error. A level that was never seen in training counts as missing.""",
    )
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="Which rows and columns are drawn. None is 0: the same data and parameters give the same model.",
    )
    verbose: int = parameter(default=0, takes="verbose", doc="1 shows a bar on stderr while the trees grow.")

    _fit_targets: ClassVar[Any] = fit_forest_of_targets
    _suits_several_targets = suits_forest_of_targets
    _random_cuts = False
    quantiles = False  # forests of numbers have a choice: then the model keeps where the training rows end
    _fitted_numbers: ClassVar[Numbers] = {
        "oob_score_": real(absent="left out"),
        "n_groups_": count(1, "left out"),
        "n_estimators_": count(1, "left out"),
        "max_features_": count(1, "left out"),
        "min_samples_leaf_": count(1, "left out"),
        "shrinkage_": real(0.0, "left out"),
    }
    _score_name = "out of bag"

    proximities = proximities

    # ---------------------------------------------------------------- growing
    _fit_bytes: ClassVar[tuple[float, float]] = (21, 60)

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
        self._fit(X, y, sample_weight, groups)
        return self

    def _fit_source(self, source: Source, y: Any, *others: Any) -> None:
        X, truth, weights = gathered_table(self, source, y, *others)
        with source.crew() as crew:
            self._fit_by(X, lambda frame: self._encode(frame, truth, weights), partial(self._learn_with, crew=crew))

    def _learn_with(self, training: TrainingData, crew: Crew | None) -> dict[str, Any]:
        """Learn with the help of workers, where trees can be grown one by one and put together."""
        if self.splitter == "oblique" or monotone_ways(self.monotonic_cst, training.schema):
            crew = None
        shared = hand_out(training, crew, self._fit_blocks(training), f"{type(self).__name__}.fit")
        learnt: dict[str, Any] = self._learn(shared)
        return learnt

    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any, groups: Any = None) -> TrainingData:
        coded = encode_rows(self, frame, y, sample_weight)
        training = with_recipe(coded, tree_recipe(with_defaults(self), len(coded.truth), coded.weights))
        return training if groups is None else replace(training, groups=encode_groups(groups, frame.n_rows))

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

    def _fit_blocks(self, data: TrainingData) -> list[Block]:
        trees = Block(SMALLEST_TREE, trees=n_trees_of(self, data))
        judging = [*blocks_to_judge(self, data), *blocks_to_shrink(self, data)]
        return [*growing_blocks(self._fit_bytes, data), *judging, trees]

    def _grow_trees(self, training: TrainingData, progress: _core.Progress) -> GrownTrees:
        settings = settle(self, training)
        settled = as_settled(self, settings)
        grown = settled._grow_settled(with_leaf(training, settings.min_samples_leaf), progress)
        return GrownTrees(grown.ensemble, {**grown.fitted, **settings.fitted()})

    def _grow_settled(self, training: TrainingData, progress: _core.Progress) -> GrownTrees:
        """Grow the trees where no parameter is left open."""
        rules = self._forest_rules(training)
        before = trees_to_keep(self, training.table.schema, training.classes)
        if before is not None and isinstance(before, WholeTrees) != (self.splitter == "oblique"):
            raise DataError("warm_start=True goes on with trees of the same splitter. Fit with warm_start=False.")
        n_before = 0 if before is None else before.n_trees
        if self.oob_score and rules["sampling"] == "all_rows":
            raise DataError("oob_score=True needs rows that a tree did not see. Set bootstrap=True or max_samples.")
        one_by_one = self.splitter == "oblique" or monotone_ways(self.monotonic_cst, training.schema)
        if one_by_one and rules.get("shrinkage"):
            raise DataError(
                "shrinkage is for forests whose trees ask one column and have no monotonic_cst. Leave it out."
            )
        if self.splitter == "oblique":
            return self._grow_one_by_one(make_oblique_grower(self, training), training, before, progress)
        if monotone_ways(self.monotonic_cst, training.schema):
            kept = None if before is None else WholeTrees(whole_trees(before))
            return self._grow_one_by_one(make_monotone_grower(self, training), training, kept, progress)
        # What is known about rows needs all trees, so these are then grown again; they come out the same.
        first = 0 if self.oob_score or self.quantiles else n_before
        rules |= {"first_tree": first, "out_of_bag": bool(self.oob_score), "keep_nodes": bool(self.quantiles)}
        grown, known = grow_forest(training, rules, progress)
        known["seed"] = rules["seed"]
        forest = before.extended(grown) if before is not None and first > 0 else grown
        return GrownTrees(forest, self._fitted(training, forest, known))

    def _grow_one_by_one(
        self, grower: ObliqueGrower, training: TrainingData, before: Any, progress: _core.Progress
    ) -> GrownTrees:
        output_kind = self._says() if self.oob_score else None
        known = KnownOfRows(
            grower, output_kind, self.quantiles, lambda out: self._score_of(out, training.truth, training.weights)
        )
        progress.total = n_trees = int(self.n_estimators)

        def done(number: int, tree: _core.Tree) -> None:
            progress.score = known.add(number, tree)
            progress.done = number + 1

        trees: Any = grow_oblique_forest(grower, before, n_trees, training.threads, done)
        if self.splitter != "oblique":
            trees = joined(trees.trees, training)
        return GrownTrees(trees, self._fitted(training, trees, known.by_name()))

    def _criterion_of_trees(self) -> str | None:
        if self.splitter == "axis":
            return plain_criterion(self.criterion)
        return "entropy" if self._predicts_classes else "squared_error"

    def _fitted(self, training: TrainingData, forest: _core.Ensemble, known: dict[str, Any]) -> dict[str, Any]:
        """What is known beside the trees, by the names of the attributes."""
        fitted: dict[str, Any] = {"_samples": bootstraps_of(self, training, known)}
        if training.groups is not None:
            fitted["n_groups_"] = int(training.groups.max()) + 1
        if not self.oob_score:
            return fitted
        out = OutOfBag(len(training.truth), max(1, forest.n_classes))
        out.sums, out.trees = known["sums"].reshape(out.sums.shape), known["n_trees"].astype(np.int64)
        out.tell_gaps()
        if callable(self.oob_score):
            score = out.score_by(self.oob_score, training.truth, training.classes)
        else:
            score = self._score_of(out, training.truth, training.weights)
        return {**fitted, "oob_score_": score, **self._out_of_bag(out)}

    def _score_of(self, out: OutOfBag, truth: NDArray[Any], weights: Any) -> float:
        """How good the answers out of bag are."""
        raise NotImplementedError

    def _out_of_bag(self, out: OutOfBag) -> dict[str, Any]:
        """The attribute that tells the answers out of bag."""
        raise NotImplementedError

    @property
    def estimators_samples_(self) -> list[NDArray[np.int64]]:
        """The rows that each tree drew, ascending, each as often as it was drawn; not kept in a model file."""
        return drawn_rows(self, len(self.trees_))

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
        array([0.17, 0.01])
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
        array([0.01, 0.  , 0.32, 0.32])
        """
        return self._importance(X, y, sample_weight, groups, "permutation")

    def _importance(self, X: Any, y: Any, sample_weight: Any, groups: Any, kind: str) -> Bunch:
        self._rows(X)  # the same columns as in training
        frame = open_frame(self._table(X))
        if ("n_groups_" in self.__dict__) != (groups is not None):
            raise DataError("Groups say which rows a tree saw. Pass the same groups as to fit, or none if it had none.")
        training = self._encode(frame, y, sample_weight, groups)
        forest = self.trees_.core
        if isinstance(forest, WholeTrees):
            raise DataError(
                f"{kind}_importance is not known for oblique forests. Use feature_importances_, or scikit-learn's "
                "permutation_importance on held-out rows."
            )
        rules = with_defaults(self)._forest_rules(training) | {"n_trees": forest.n_trees}
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

"""What CART trees of classes and of numbers share: parameters, growing, candidates, rpart's table of prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.inspection.split_candidates import node_candidates
from treewright.learners.base.column_rules import MONOTONIC_CST, asks_for_order, monotone_ways
from treewright.learners.base.folds import Sides, Units
from treewright.learners.base.parameters import at_least, declares_parameters, number, one_of, parameter, whole
from treewright.learners.trees.drawn_splits import MAX_FEATURES, columns_of
from treewright.learners.trees.several_targets import fit_tree_of_targets, joint_risk, suits_several_targets
from treewright.learners.trees.training_data import CodedRows, Recipe, TrainingData, growing_blocks, tree_recipe
from treewright.memory import Block
from treewright.prune.choice import PRUNER_NAMES
from treewright.prune.cost_complexity import CostComplexity
from treewright.prune.pruner import Pruner
from treewright.prune.rpart_table import Links, make_cp_table, read_folds
from treewright.sources.source import Source
from treewright.table.encode import EncodedTable

if TYPE_CHECKING:
    import pandas as pd


_COMPETITORS = 4  # as rpart keeps


@declares_parameters
class CartModel(BaseEstimator):  # type: ignore[misc]
    """What the CART classifier and regressor share beside `TreeModel`. They say what the rows count."""

    missing: str = parameter(
        default="learn",
        takes=one_of("learn", "surrogates", "larger", "fractional", "branch", "stop", "refuse"),
        doc="""What happens to rows without a value in the column of a test. "learn", the default: every cut is tried
        with them on either side; "surrogates": they follow the test of another column that sends rows most alike, as in
        rpart; "larger": they follow the branch with more weight; "fractional": they go down every branch in pieces as
        large as the branches' weights, as in C4.5; "branch": they get a branch of their own; "stop": they end at the
        node and get its answer; "refuse": missing values are an error. A level that was never seen in training counts
        as missing.""",
    )
    max_depth: int | None = parameter(default=None)
    min_samples_split: float = parameter(default=2)
    min_samples_leaf: float = parameter(default=1)
    min_weight_fraction_leaf: float = parameter(
        default=0.0,
        takes=number(0.0, 0.5),
        doc="No branch may have a smaller share of all weight. Raising it gives a smaller tree.",
    )
    max_leaf_nodes: int | None = parameter(
        default=None,
        takes=[whole(2), None],
        doc="The most leaves; the splits that lower the impurity most are made first. Raising it gives a larger tree.",
    )
    min_impurity_decrease: float = parameter(
        default=0.0,
        takes=at_least(0.0),
        doc="""A split must lower the impurity by this much, times the node's share of the weight. Raising it gives a
        smaller tree.""",
    )
    ccp_alpha: float = parameter(
        default=0.0,
        takes=at_least(0.0),
        doc="The price of a leaf in cost-complexity pruning, in units of impurity. Raising it gives a smaller tree.",
    )
    prune: str | Pruner | None = parameter(
        default=None,
        takes=[one_of(*PRUNER_NAMES), Pruner, None],
        kind="a name or a pruner",
        doc="""What happens to the grown tree. A pruner has its own numbers, such as ``tw.CostComplexity(cp=0.01)`` or
        ``tw.ReducedError(share=0.3)``; a name stands for one with its usual numbers: "cost_complexity" (at
        `ccp_alpha`), "cost_complexity_cv" (the price by 10-fold cross-validation and the 1-SE rule), "reduced_error",
        "reduced_error_greedy", "validation_gain", "pessimistic", "chi_square", "minimum_error", "mdl" or
        "merge_equal_leaves". A fitted model is made smaller by ``model.pruned(pruner)``.""",
    )
    splitter: str = parameter(
        default="best",
        takes=one_of("best", "random"),
        doc="""Whether a column is cut where that is best, or at one place drawn at random, as extra trees do. What is
        drawn depends on the rows and on `random_state`, never on the order of rows.""",
    )
    max_features: float | str | None = MAX_FEATURES
    monotonic_cst: Any = MONOTONIC_CST
    max_surrogates: int = parameter(
        default=5,
        takes=whole(0),
        doc='With ``missing="surrogates"``: the most surrogates of a node. Raising it helps rows with many holes.',
    )
    surrogate_fallback: str = parameter(
        default="larger",
        takes=one_of("larger", "stop"),
        doc="""With ``missing="surrogates"``: rows that no surrogate can send follow the branch with more weight, or
        stop.""",
    )
    surrogate_share: str = parameter(
        default="known_primary",
        takes=one_of("known_primary", "known_both"),
        doc="""With ``missing="surrogates"``: agreement is counted among all rows that the test itself can send, so that
        a column with many holes is a poor surrogate; or among those that have both values.""",
    )
    keep_candidates: bool | int = parameter(
        default=False,
        takes=["boolean", whole(0)],
        doc="Keep the best splits of other columns (True: four) at every node, to be shown by `candidates`.",
    )
    random_state: Any = parameter(
        default=None,
        takes="random_state",
        doc="""Deals out the folds of cross-validated pruning and the rows that a pruner holds out, and draws what
        `max_features` and ``splitter="random"`` ask for. None is 0. Growing itself draws nothing else.""",
    )

    _fit_targets: ClassVar[Any] = fit_tree_of_targets
    _suits_several_targets = suits_several_targets

    def _fit_source(self, source: Source, y: Any, sample_weight: Any = None) -> None:
        from treewright.learners.trees.fit_source import fit_source  # most fits have their rows at hand

        fit_source(self, source, y, sample_weight)

    def _fit_blocks(self, data: TrainingData) -> list[Block]:
        if self.criterion == "absolute_error":
            return growing_blocks((8.5, 200), data)
        if data.classes is None:
            return growing_blocks((1.75, 82), data)
        return growing_blocks((1.7, 52) if len(data.classes) <= 2 else (8, 110), data)

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        options: dict[str, Any] = {}
        if self.missing == "surrogates":
            options = {
                "max_surrogates": self.max_surrogates,
                "count_both_known": self.surrogate_share == "known_both",
                "others_stop": self.surrogate_fallback == "stop",
            }
        if self.keep_candidates:
            options["competitors"] = _COMPETITORS if self.keep_candidates is True else int(self.keep_candidates)
        recipe = replace(tree_recipe(self, n_rows, weights), options=options)
        if self._draws_splits and (not asks_for_order(self.monotonic_cst) or self.splitter == "random"):
            return replace(recipe, draws=self._draws(recipe))
        by_tables = self.criterion == "gain_ratio" or self.missing == "fractional"
        return self._from_tables(recipe) if by_tables else recipe

    @property
    def max_features_(self) -> int:
        """How many columns each node looked at."""
        check_is_fitted(self)
        return columns_of(self.max_features, self.n_features_in_)

    @property
    def _draws_splits(self) -> bool:
        return self.splitter == "random" or self.max_features is not None

    def _draws(self, recipe: Recipe) -> dict[str, Any]:
        """What a node draws; refused together with what the trees of a forest do not know."""
        asked = "splitter='random'" if self.splitter == "random" else "max_features"
        if recipe.criterion not in ("gini", "entropy", "squared_error"):
            raise DataError(
                f"{asked} goes with the criteria gini, entropy (log_loss) and squared_error, not with "
                f"{self.criterion}. Choose one of these, or leave it out."
            )
        unknown = {
            "monotonic_cst": asks_for_order(self.monotonic_cst),
            "keep_candidates": self.keep_candidates,
            "min_variance_share": recipe.min_variance_share > 0,
            f"missing={self.missing!r}": self.missing not in ("learn", "refuse"),
        }
        for name, is_asked in unknown.items():
            if is_asked:
                raise DataError(f"{asked} does not go with {name}. Leave one of them out.")
        return {"random_cuts": self.splitter == "random", "seed": self._seed()}

    def _from_tables(self, recipe: Recipe) -> Recipe:
        """The recipe on the engine that spreads rows and ranks columns by gain ratio."""
        criterion = "entropy" if self.criterion == "gain_ratio" else recipe.criterion
        asked, cure = "missing='fractional'", "missing='larger'"
        if self.monotonic_cst is not None:
            asked, cure = "monotonic_cst", "leave it out"
        if criterion not in ("gini", "entropy", "squared_error"):
            raise DataError(
                f"{asked} goes with the criteria gini, entropy, gain_ratio and squared_error, not with "
                f"{self.criterion}. Choose one of these, or {cure}."
            )
        if self.missing not in ("learn", "larger", "fractional", "refuse"):
            raise DataError(
                f"criterion='gain_ratio' goes with missing='learn', 'larger', 'fractional' and 'refuse', "
                f"not with {self.missing!r}. Choose one of these, or criterion='entropy'."
            )
        if self.keep_candidates:
            raise DataError(
                "keep_candidates does not go with criterion='gain_ratio', missing='fractional' or monotonic_cst. Leave "
                "it out, or choose criterion='entropy' and missing='learn'."
            )
        by_ratio = self.criterion == "gain_ratio"
        return replace(recipe, criterion=criterion, splitter="binary_cuts", options={"by_ratio": by_ratio})

    def _training(self, coded: CodedRows) -> TrainingData:
        if self.missing in ("surrogates", "stop"):
            coded = replace(coded, weights=_leave_out_empty_rows(coded.table, coded.weights, len(coded.truth)))
        training: TrainingData = super()._training(coded)
        return replace(training, recipe=self._with_column_rules(training.recipe, training))

    def _with_column_rules(self, recipe: Recipe, training: TrainingData) -> Recipe:
        """The recipe with what it says of the columns: how many are drawn, which may only raise or lower the answer."""
        if recipe.draws is not None:
            drawn = columns_of(self.max_features, len(training.schema.columns))
            return replace(recipe, draws={**recipe.draws, "max_features": drawn})
        ways = monotone_ways(self.monotonic_cst, training.schema)
        if not ways:
            return recipe
        if training.classes is not None and len(training.classes) > 2:
            raise DataError(
                "monotonic_cst is not supported with three classes and more: no single share rises or falls there. "
                "Leave it out, or predict one class against the rest."
            )
        if self.missing not in ("learn", "refuse"):
            raise DataError(f"monotonic_cst goes with missing='learn' and 'refuse', not with {self.missing!r}.")
        by_tables = recipe if recipe.splitter == "binary_cuts" else self._from_tables(recipe)
        options = {**by_tables.options, "monotone": ways}
        if self.max_features is not None:
            drawn = columns_of(self.max_features, len(training.schema.columns))
            options |= {"max_features": drawn, "draw_seed": self._seed()}
        return replace(by_tables, options=options)

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Mapping[str, NDArray[np.float64]]:
        """The alphas at which the fully grown tree loses a part, and the impurity of what is left (as scikit-learn)."""
        grown = clone(self).set_params(ccp_alpha=0.0, prune=None).fit(X, y, sample_weight)
        cores = [one.tree_.core for one in grown.__dict__.get("targets_", (grown,))]
        alphas, risks, _ = cores[0].prune_path(joint_risk(cores))
        return cast(Mapping[str, NDArray[np.float64]], Bunch(ccp_alphas=alphas, impurities=risks))

    def _stored_candidates(self, node_id: int) -> pd.DataFrame:
        if not self.keep_candidates:
            raise DataError("This model was trained without candidates. Train again with keep_candidates=True.")
        return node_candidates(self.tree_, node_id)

    def cp_table(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        cv: Any = 10,
        links: Links = "sons",
    ) -> pd.DataFrame:
        """rpart's table: what each price of a leaf buys, from the root alone to this tree.

        Parameters
        ----------
        X, y, sample_weight
            The rows that the model was trained on. Without them there is no cross-validated error.
        cv : int or one whole number a row, default 10
            The number of folds, or the fold of each row.
        links : {"sons", "all"}, default "sons"
            How the price of a node is found: with one look at its two sons, as rpart does; or with all that is below
            it, as it is defined, whose prices can come out a little larger.

        Returns
        -------
        DataFrame
            `CP` is the price at which the tree of a line becomes the best, `rel error` its risk, both in shares of the
            root's risk; `xerror` and `xstd` are the cross-validated risk and its standard error.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
        >>> model = tw.DecisionTreeClassifier(
        ...     min_samples_split=20, min_samples_leaf=7, missing="surrogates", prune=tw.CostComplexity(cp=0.01)
        ... ).fit(X, y)
        >>> model.cp_table().round(4)
               CP  nsplit  rel error
        0  0.1765       0     1.0000
        1  0.0196       1     0.8235
        2  0.0100       4     0.7647
        """
        check_is_fitted(self)
        if links not in ("all", "sons"):
            raise DataError(f"The 'links' of a cp table are 'all' or 'sons'. Got {links!r} instead.")
        pruner = self.get_params(deep=False)["prune"]
        cp = float(pruner.cp) if isinstance(pruner, CostComplexity) and pruner.cp is not None else 0.0
        core, training, folds = cast(_core.Tree, self.tree_.core), None, None
        if X is not None and y is not None:
            training = self._encode(self._rows(X), y, sample_weight)
            folds = self._folds(training, cv)
        return make_cp_table(core, self._losses(), cp, links, training, folds)

    def _folds(self, training: TrainingData, cv: Any) -> list[Sides]:
        n_rows, units = len(training.truth), Units.of_training(training)
        if np.ndim(cv) > 0:
            units = replace(units, rows=units.rows[np.sort(np.unique(units.rows, return_index=True)[1])])
            return list(units.sides(read_folds(cv, n_rows)[units.rows], n_rows))
        if not isinstance(cv, int | np.integer) or cv < 2:
            raise DataError(f"The 'cv' of a cp table must be a whole number of at least 2. Got {cv!r} instead.")
        return list(units.sides(units.folds(min(int(cv), len(units)), self._seed()), n_rows))


def _leave_out_empty_rows(
    table: EncodedTable, weights: NDArray[np.float64] | None, n_rows: int
) -> NDArray[np.float64] | None:
    """Rows without any value teach nothing where every test sends only rows with a value: as rpart, leave them out."""
    if not all(table.core.has_missing()):
        return weights
    empty = table.core.empty_rows()
    if not len(empty) or len(empty) == n_rows:
        return weights
    kept = np.ones(n_rows) if weights is None else weights.copy()
    kept[empty] = 0
    return kept if kept.any() else weights

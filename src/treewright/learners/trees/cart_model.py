"""What both CART estimators do beyond any tree: surrogates, candidates, and rpart's table of prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from treewright import _core
from treewright.errors import DataError
from treewright.inspection.split_candidates import node_candidates
from treewright.learners.base.folds import deal_folds
from treewright.learners.base.parameters import at_least, declares_parameters, number, one_of, parameter, whole
from treewright.learners.trees.training_data import CodedRows, Recipe, TrainingData, tree_recipe
from treewright.prune.choice import PRUNER_NAMES
from treewright.prune.cost_complexity import CostComplexity
from treewright.prune.cp_table import Links, impurity_risk, make_cp_table, read_folds
from treewright.prune.pruner import Pruner
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
        doc="""Deals out the folds of cross-validated pruning and the rows that a pruner holds out. Growing itself draws
        no random numbers.""",
    )

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
        by_tables = self.criterion == "gain_ratio" or self.missing == "fractional"
        return self._from_tables(recipe) if by_tables else recipe

    def _from_tables(self, recipe: Recipe) -> Recipe:
        """The recipe on the engine that spreads rows and ranks columns by gain ratio."""
        criterion = "entropy" if self.criterion == "gain_ratio" else self.criterion
        if criterion not in ("gini", "entropy", "squared_error"):
            raise DataError(
                f"missing='fractional' goes with the criteria gini, entropy, gain_ratio and squared_error, "
                f"not with {self.criterion}. Choose one of these, or missing='larger'."
            )
        if self.missing not in ("learn", "larger", "fractional", "refuse"):
            raise DataError(
                f"criterion='gain_ratio' goes with missing='learn', 'larger', 'fractional' and 'refuse', "
                f"not with {self.missing!r}. Choose one of these, or criterion='entropy'."
            )
        if self.keep_candidates:
            raise DataError(
                "keep_candidates does not go with criterion='gain_ratio' or missing='fractional'. Leave it out, "
                "or choose criterion='entropy' and missing='learn'."
            )
        by_ratio = self.criterion == "gain_ratio"
        return replace(recipe, criterion=criterion, splitter="binary_cuts", options={"by_ratio": by_ratio})

    def _training(self, coded: CodedRows) -> TrainingData:
        if self.missing in ("surrogates", "stop"):
            coded = replace(coded, weights=_leave_out_empty_rows(coded.table, coded.weights, len(coded.truth)))
        training: TrainingData = super()._training(coded)
        return training

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Mapping[str, NDArray[np.float64]]:
        """The alphas at which the fully grown tree loses a part, and the impurity of what is left (as scikit-learn)."""
        grown = clone(self).set_params(ccp_alpha=0.0, prune=None).fit(X, y, sample_weight)
        alphas, risks, _ = grown.tree_.core.prune_path(impurity_risk(grown.tree_.core))
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

    def _folds(self, training: TrainingData, cv: Any) -> NDArray[np.int64]:
        n_rows, used = len(training.truth), training.row_weights > 0
        if np.ndim(cv) > 0:
            return np.where(used, read_folds(cv, n_rows), -1)
        if not isinstance(cv, int | np.integer) or cv < 2:
            raise DataError(f"The 'cv' of a cp table must be a whole number of at least 2. Got {cv!r} instead.")
        folds = np.full(n_rows, -1, dtype=np.int64)
        classes = None if training.classes is None else training.truth[used]
        folds[used] = deal_folds(int(used.sum()), min(int(cv), int(used.sum())), self._seed(), classes)
        return folds


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

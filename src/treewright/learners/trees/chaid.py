"""CHAID: several branches at a node, merged and chosen by tests of significance."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from treewright.errors import DataError
from treewright.learners.base.parameters import declares_parameters, number, one_of, parameter, share, whole
from treewright.learners.base.target import scores_of_target
from treewright.learners.trees.training_data import Recipe, TrainingData
from treewright.learners.trees.tree_model import TreeClassifier, TreeModel
from treewright.sources.source import Source
from treewright.table.encode import EncodedTable
from treewright.table.frame import InputFrame

_ATTRIBUTES = """tree_ : Tree
        The stored tree. Each split has its `statistic`, `df`, `log_p` and `log_p_adjusted` (natural logarithms).
    feature_importances_ : array
        How much each column lowered the impurity, as shares that sum to 1."""


@declares_parameters
class _CHAID(BaseEstimator):  # type: ignore[misc]
    """What both estimators share: the recipe. Tests say when to stop, so there is nothing to prune."""

    alpha_merge: float = parameter(
        default=0.05,
        takes=number(0.0, 1.0, "neither"),
        doc="Categories whose p-value is above this become one branch. Raising it gives more branches.",
    )
    alpha_split: float = parameter(
        default=0.05,
        takes=number(0.0, 1.0, "neither"),
        doc="""A node is split only if the adjusted p-value of its best column is at most this. Raising it gives a
        larger tree.""",
    )
    alpha_resplit: float | None = parameter(
        default=None,
        takes=[number(0.0, 1.0, "neither"), None],
        doc="""Whether merged categories may be divided again: if the best division in two has a p-value of at most
        this. It must be below `alpha_merge`. None: never.""",
    )
    exhaustive: bool = parameter(
        default=False,
        takes="boolean",
        doc="""Exhaustive CHAID: merge down to two branches whatever the p-values, and take the stage with the smallest
        one.""",
    )
    exhaustive_adjust: str = parameter(
        default="biggs",
        takes=one_of("biggs", "spss"),
        doc="""What exhaustive CHAID multiplies the p-value of a nominal column by: the number of pairs tested, or three
        times that, as IBM's document prints it.""",
    )
    bonferroni: bool = parameter(
        default=True,
        takes="boolean",
        doc="Whether p-values are multiplied by the number of ways in which the categories could have been merged.",
    )
    weights: str = parameter(
        default="frequency",
        takes=one_of("frequency", "sampling"),
        doc="""What `sample_weight` says. "frequency": how often a row occurred; a weight of 2 is the row twice.
        "sampling": how many others a row stands for, as in a survey. Tests then count rows, and sizes are numbers of
        rows; the weights say what to expect of them, and what a leaf answers.""",
    )
    missing: str = parameter(
        default="branch",
        takes=one_of("branch", "larger", "stop", "refuse"),
        doc="""What happens to rows without a value. "branch": missing is a category that may merge with any other;
        where a node had none in training, the row stops there. "larger" and "stop": tests leave these rows out, and
        they follow the branch with most weight, or stay at the node. "refuse": missing values are an error. A level
        that was never seen in training counts as missing.""",
    )
    max_depth: int | None = parameter(default=3)
    min_samples_split: float = parameter(
        default=100,
        takes=[whole(2), share("neither")],
        doc="""A node of less weight is not split. A fraction is a share of the whole weight. Raising it gives a smaller
        tree.""",
    )
    min_samples_leaf: float = parameter(
        default=50,
        takes=[whole(1), share("neither")],
        doc="A branch of less weight joins the branch most like it. A fraction is a share of the whole weight.",
    )
    min_segment: float | None = parameter(
        default=None,
        takes=[whole(1), share("neither"), None],
        doc="The same, for every column before the columns are compared. None: no limit.",
    )
    bins: int = parameter(
        default=10,
        takes=whole(2, 255),
        doc="How many categories a numeric column is cut into, of about equal weight at the root. At most 255.",
    )

    ccp_alpha = 0.0
    _fit_bytes: ClassVar[tuple[float, float]] = (16, 20)
    random_state = None

    def _recipe(self, n_rows: int, weights: NDArray[np.float64] | None) -> Recipe:
        total = float(n_rows if weights is None or self.weights == "sampling" else weights.sum())
        self._check_resplit()
        options = {
            "alpha_merge": float(self.alpha_merge),
            "alpha_split": float(self.alpha_split),
            "exhaustive": self.exhaustive,
            "exhaustive_adjust": self.exhaustive_adjust,
            "bonferroni": self.bonferroni,
            "weights": self.weights,
            "min_parent": _weight_of(self.min_samples_split, total),
            "min_child": _weight_of(self.min_samples_leaf, total),
            "min_segment": 0.0 if self.min_segment is None else _weight_of(self.min_segment, total),
            "bins": float(self.bins),
        }
        if self.alpha_resplit is not None:
            options["alpha_resplit"] = float(self.alpha_resplit)
        return Recipe(
            criterion=self.criterion,
            missing=self.missing,
            max_depth=self.max_depth,
            splitter="merged_categories",
            options=options,
        )

    def _check_resplit(self) -> None:
        if self.alpha_resplit is None:
            return
        if self.exhaustive:
            raise DataError(
                "alpha_resplit has no meaning with exhaustive=True, which tries every stage of merging anyway. "
                "Leave one of them out."
            )
        if self.alpha_resplit >= self.alpha_merge:
            raise DataError(
                f"alpha_resplit is {self.alpha_resplit} and alpha_merge is {self.alpha_merge}: what is merged would be "
                "divided again at once. Choose an alpha_resplit below alpha_merge."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn judges by tables of 200 rows; branches of 50 rows are made for thousands.
        tags_of_task = tags.regressor_tags if tags.classifier_tags is None else tags.classifier_tags
        tags_of_task.poor_score = isinstance(self.min_samples_leaf, Integral) and int(self.min_samples_leaf) > 20
        return tags

    def _encode(self, frame: InputFrame, y: Any, sample_weight: Any) -> TrainingData:
        training: TrainingData = super()._encode(frame, y, sample_weight)
        _tell_constant_columns(training.table)
        return training

    def _complete(self, training: TrainingData, y: Any) -> TrainingData:
        return replace(training, recipe=self._complete_recipe(training.recipe, training.classes, y))

    def _complete_recipe(self, recipe: Recipe, classes: NDArray[Any] | None, y: Any = None) -> Recipe:
        return replace(recipe, options={**recipe.options, **self._test(y, classes)})

    def _test(self, y: Any, classes: NDArray[Any] | None) -> dict[str, Any]:
        """Which test compares groups, and what the classes of an ordinal target count as."""
        return {"statistic": "f", "scores": []}


class CHAIDClassifier(_CHAID, TreeClassifier, TreeModel):
    __doc__ = f"""A tree that predicts classes, with several branches at a node, chosen by chi-square tests (CHAID).

    Categories of a column that do not differ significantly become one branch. The column whose branches are most
    significant is taken; where none is significant the tree stops. Numbers are cut into bins first. For a target with
    an order (see `target_order`) the tests look for a shift along the scale.

    Attributes
    ----------
    {_ATTRIBUTES}
    classes_ : array
        The class labels, sorted.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> model = tw.CHAIDClassifier(max_depth=2).fit(X[["sex", "passengerClass", "age"]], y)
    >>> print(model)
    survived: no 62 %, yes 38 %  (1,309 rows)  [statistic 365.9, df 1, p 1.5e-81]
    ├─ sex is female               yes   73 %  (339 of 466)  [statistic 115.7, df 2, p 7.5e-26]
    │  ├─ passengerClass is 1st  → yes   97 %  (139 of 144)
    │  ├─ passengerClass is 2nd  → yes   89 %  (94 of 106)
    │  └─ passengerClass is 3rd  → no    51 %  (110 of 216)
    └─ sex is male                 no    81 %  (682 of 843)  [statistic 41.65, df 1, p 1.1e-10, adjusted 2.1e-9]
       ├─ age <= 13              → yes   53 %  (28 of 53)
       └─ age > 13 or missing    → no    83 %  (657 of 790)
    >>> node = model.tree_.root
    >>> round(node.statistic, 4), node.df, round(node.log_p_adjusted, 4)
    (365.8869, 1.0, -186.1231)
    """

    statistic: str = parameter(
        default="pearson",
        takes=one_of("pearson", "likelihood"),
        doc="""Which chi-square statistic. A target with an order is always tested by the likelihood ratio of its
        row-effects model.""",
    )
    target_order: Sequence[Any] | None = parameter(
        default=None,
        takes=["array-like", None],
        doc="""The classes from low to high, for an ordinal target. A target of ordered categories has its order
        already.""",
    )
    class_scores: Mapping[Any, float] | None = parameter(
        default=None,
        takes=[dict, None],
        doc="""What each class of an ordinal target counts as, for instance ``{"low": 1, "middle": 2, "high": 5}``,
        instead of 1, 2, 3 ….""",
    )

    criterion = "gini"

    def _fit_source(self, source: Source, y: Any, sample_weight: Any = None) -> None:
        from treewright.learners.trees.fit_tables import fit_tables  # most fits have their rows at hand

        fit_tables(self, source, y, sample_weight)

    def _test(self, y: Any, classes: NDArray[Any] | None) -> dict[str, Any]:
        scores = self._scores(y, classes)
        return {"statistic": "row_effects" if scores else self.statistic, "scores": scores}

    def _scores(self, y: Any, classes: NDArray[Any] | None) -> list[float]:
        """The score of each class of an ordinal target; empty where the target has no order."""
        scores = scores_of_target(self.target_order, self.class_scores, y, classes)
        if len(set(scores)) < len(scores):
            raise DataError("Two classes have the same score in class_scores. Give every class a number of its own.")
        return scores


class CHAIDRegressor(_CHAID, RegressorMixin, TreeModel):  # type: ignore[misc]
    __doc__ = f"""A tree that predicts numbers, with several branches at a node, chosen by F tests (CHAID).

    It works as `CHAIDClassifier` does, with an F test of the means in the place of chi-square. A leaf answers the mean
    of its rows.

    Attributes
    ----------
    {_ATTRIBUTES}

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    >>> model = tw.CHAIDRegressor(max_depth=1).fit(X, y)
    >>> print(model)
    class: mean 23.51, sd 7.806  (398 rows)  [statistic 239.1, df 4, p 7.3e-104, adjusted 9.2e-102]
    ├─ weight <= 2150         → 33.07  (sd 5.331, 79 rows)
    ├─ 2150 < weight <= 2575  → 27.61  (sd 4.932, 80 rows)
    ├─ 2575 < weight <= 3070  → 24  (sd 4.296, 79 rows)
    ├─ 3070 < weight <= 3785  → 18.68  (sd 3.599, 80 rows)
    └─ weight > 3785          → 14.33  (sd 2.172, 80 rows)
    """

    criterion = "squared_error"


def _weight_of(size: float, total: float) -> float:
    """A size in weight: a whole number is one, a fraction is a share of all weight."""
    return float(size) if isinstance(size, Integral) else float(size) * total


def _tell_constant_columns(table: EncodedTable) -> None:
    """A column with one value cannot be tested. Say so: it is mostly a mistake in the table."""
    constant = [c.name for c, one in zip(table.schema.columns, table.core.is_constant(), strict=True) if one]
    if constant:
        others = f" ({len(constant)} such columns)" if len(constant) > 1 else ""
        warnings.warn(
            f"Column '{constant[0]}' has only one value and cannot be tested{others}. Leave it out.",
            UserWarning,
            stacklevel=4,
        )

"""Gradient boosting: small trees, each grown on what the ones before it left over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright.errors import DataError
from treewright.learners.base.links import exp, expit, softmax
from treewright.learners.base.parameters import number, one_of, parameter
from treewright.learners.boosting.averaged_models import BoostedRows
from treewright.learners.boosting.boosting_model import BoostingModel
from treewright.learners.ensemble.ensemble_model import EnsembleClassifier, EnsembleModel, Floats
from treewright.sources.answers import in_batches
from treewright.sources.source import Source

Objective = Callable[[Any, Any], tuple[Any, Any]]
_LOG_LINK = ("poisson", "gamma")


class GradientBoostingClassifier(EnsembleClassifier, BoostingModel, EnsembleModel):
    """Boosted trees for classes: log loss, made small round after round.

    Tables are taken as they are: levels, missing values, dates, weights. The same data and parameters give the same
    model, byte for byte, on any number of threads.

    Attributes
    ----------
    classes_ : array
        The class labels, sorted.
    trees_ : sequence of Tree
        The stored trees, those of one round after each other. A leaf holds what it adds to the raw score.
    baseline_ : array
        The raw scores to which the trees add.
    n_estimators_ : int
        The rounds that were kept, of all models together.
    n_models_ : int
        How many models are averaged.
    learning_rate_, max_leaf_nodes_, min_samples_leaf_, l2_regularization_, subsample_, max_features_, level_charge_
        What the model was trained with: the parameters, or what "auto" stood for. `max_features_` counts columns;
        `max_leaf_nodes_` is not there where there is no limit.
    loss_curve_ : array
        With early stopping: the loss of the rows that judge, before the first round and after each; of several models
        the mean, over the rounds that all of them have.
    validation_score_ : float
        With early stopping: minus the smallest of them. With `scoring` both speak of minus the score.
    train_score_, oob_improvement_, oob_scores_ : array
        With ``keep_scores=True``, for each round: the loss of the rows that it drew; with `subsample` below 1 also how
        much it lowered the loss of the others, and that loss. `oob_score_` is the last of it.
    feature_importances_ : array
        How much of the gain each column brought, as shares that sum to 1.

    References
    ----------
    J. H. Friedman, Greedy Function Approximation: A Gradient Boosting Machine, 2001.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> model = tw.GradientBoostingClassifier(n_estimators=50, max_leaf_nodes=8).fit(X, y)
    >>> model.predict_proba(X.iloc[:2]).round(2).shape, len(model.trees_)
    ((2, 2), 50)
    """

    loss: str | Objective | None = parameter(
        default="log_loss",
        takes=[one_of("log_loss"), callable, None],
        kind='"log_loss" or a function',
        doc="""A function is given the class numbers and the raw scores (rows, or rows × classes where there are more
        than two) and gives two arrays of their shape: gradient and hessian. It is called once a round; scores start at
        0.""",
    )
    class_weight: Mapping[Any, float] | str | None = parameter(
        default=None,
        takes=[dict, one_of("balanced"), None],
        doc="How much the rows of each class count.",
    )

    def _check_target(self, training: BoostedRows) -> None:
        super()._check_target(training)
        if self.monotonic_cst is not None and training.classes is not None and len(training.classes) > 2:
            raise DataError(
                "monotonic_cst is not supported with three classes and more: no single score rises or falls there. "
                "Leave it out, or predict one class against the rest."
            )

    def _says(self) -> str:
        return "values"

    def _probabilities(self, sums: Floats, n_trees: int) -> Floats:
        if sums.shape[1] > 1 or len(self.classes_) == 1:
            return softmax(sums)
        second = expit(sums[:, 0])
        return np.column_stack([1 - second, second])

    def _class_numbers(self, sums: Floats) -> NDArray[np.int64]:
        if sums.shape[1] > 1 or len(self.classes_) == 1:
            return np.asarray(sums.argmax(axis=1))
        return (sums[:, 0] > 0).astype(np.int64)

    def _answer_one(self, sums: list[float]) -> Any:
        labels: Any = self._labels
        if len(sums) > 1 or len(labels) == 1:
            return labels[sums.index(max(sums))]
        return labels[sums[0] > 0]

    def decision_function(self, X: Any) -> Floats:
        """Give the raw scores: one for each row (above 0 for the second class), or one for each class.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.GradientBoostingClassifier(min_samples_leaf=1).fit([[1], [2]], ["a", "b"])
        >>> (model.decision_function([[0], [7]]) > 0).tolist()
        [False, True]
        """
        if isinstance(X, Source):
            return in_batches(self, X, self.decision_function)
        return self._scores(self._sums(X))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Give `decision_function` after the first round, the second, and so on.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.GradientBoostingClassifier(n_estimators=3, min_samples_leaf=1).fit([[1], [2]], ["a", "b"])
        >>> [(scores > 0).tolist() for scores in model.staged_decision_function([[0], [7]])]
        [[False, True], [False, True], [False, True]]
        """
        return (self._scores(sums) for _, sums in self._stages(X))

    def _scores(self, sums: Floats) -> Floats:
        return sums[:, 0] if len(self.classes_) == 2 else sums


class GradientBoostingRegressor(RegressorMixin, BoostingModel, EnsembleModel):  # type: ignore[misc]
    """Boosted trees for numbers: squared, absolute, huber, quantile, poisson or gamma loss.

    Tables are taken as they are: levels, missing values, dates, weights. The same data and parameters give the same
    model, byte for byte, on any number of threads.

    Attributes
    ----------
    trees_ : sequence of Tree
        The stored trees. A leaf holds what it adds to the raw score.
    baseline_ : array
        The raw score to which the trees add.
    n_estimators_ : int
        The rounds that were kept, of all models together.
    n_models_ : int
        How many models are averaged.
    learning_rate_, max_leaf_nodes_, min_samples_leaf_, l2_regularization_, subsample_, max_features_, level_charge_
        What the model was trained with: the parameters, or what "auto" stood for. `max_features_` counts columns;
        `max_leaf_nodes_` is not there where there is no limit.
    loss_curve_ : array
        With early stopping: the loss of the rows that judge, before the first round and after each; of several models
        the mean, over the rounds that all of them have.
    validation_score_ : float
        With early stopping: minus the smallest of them. With `scoring` both speak of minus the score.
    train_score_, oob_improvement_, oob_scores_ : array
        With ``keep_scores=True``, for each round: the loss of the rows that it drew; with `subsample` below 1 also how
        much it lowered the loss of the others, and that loss. `oob_score_` is the last of it.
    feature_importances_ : array
        How much of the gain each column brought, as shares that sum to 1.

    References
    ----------
    J. H. Friedman, Greedy Function Approximation: A Gradient Boosting Machine, 2001.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    >>> model = tw.GradientBoostingRegressor(n_estimators=50, max_leaf_nodes=8).fit(X, y)
    >>> bool(model.score(X, y) > 0.9), len(model.trees_)
    (True, 50)
    """

    loss: str | Objective | None = parameter(
        default="squared_error",
        takes=[one_of("absolute_error", "gamma", "huber", "poisson", "quantile", "squared_error"), callable, None],
        kind="str or a function",
        doc="""What is made small. "squared_error": the answer is a mean; "absolute_error": a median; "huber": a mean
        that large errors do not pull; "quantile": the quantile `alpha`; "poisson" for counts and "gamma" for positive
        amounts: a mean whose logarithm is added up. A function is given the target and the raw scores and gives two
        arrays: gradient and hessian. It is called once a round; scores start at 0.""",
    )
    alpha: float = parameter(
        default=0.9,
        takes=number(0.0, 1.0, "neither"),
        doc='Which quantile; with "huber" the share of errors that count as small.',
    )

    _target_exponent = 100  # gradients are kept as floats of 32 bits

    def _check_target(self, training: BoostedRows) -> None:
        super()._check_target(training)
        counts = slice(None) if training.weights is None else training.weights > 0
        y = training.truth[counts]
        if self.loss == "gamma" and y.min() <= 0:
            raise DataError(f"loss='gamma' needs a target above 0, and it holds {y.min()}. Choose another loss.")
        if self.loss == "poisson" and (y.min() < 0 or not y.any()):
            raise DataError(
                "loss='poisson' needs a target of 0 or more that is not 0 everywhere. Choose another loss, or leave "
                f"out such rows. The smallest value is {y.min()}."
            )

    def _answer(self, sums: Floats, n_trees: int) -> NDArray[Any]:
        return exp(sums[:, 0]) if self.loss in _LOG_LINK else sums[:, 0]

    def _answer_one(self, sums: list[float]) -> Any:
        return float(exp(np.array(sums[:1]))[0]) if self.loss in _LOG_LINK else sums[0]

"""The parameters of boosting that tell when to stop, who judges, and what is kept of the rounds."""

from __future__ import annotations

from typing import Any

from sklearn.utils._param_validation import HasMethods

from treewright.learners.base.parameters import at_least, number, one_of, parameter, whole

EARLY_STOPPING: Any = parameter(
    default=None,
    takes=["boolean", one_of("auto"), None],
    doc="""Stop when the loss of held-out rows has not improved for `n_iter_no_change` rounds, and keep the best
    round. True makes one model, judged by `validation_fraction`; "auto" does so with more than 10,000 rows. None
    lets the folds judge (see `n_models`) where `n_estimators` is "auto"; where both `n_estimators` and
    `n_iter_no_change` are given it is True, as in scikit-learn, else False.""",
)
VALIDATION_FRACTION: Any = parameter(
    default=0.1,
    takes=[number(0.0, 1.0, "neither"), whole(1), None],
    doc="""With early stopping: the share (or number) of rows that are held out, unless `fit` is given some.
    Classes keep their shares. None judges by the rows that are learnt from.""",
)
N_ITER_NO_CHANGE: Any = parameter(
    default="auto",
    takes=[one_of("auto"), whole(1), None],
    doc="""With early stopping: how many rounds without improvement end it. "auto" and None: 10 with a given
    `n_estimators`, else 30 for classes and 35 for numbers.""",
)
TOL: Any = parameter(
    default=1e-7,
    takes=at_least(0.0),
    doc="With early stopping: an improvement must be larger than this.",
)
SCORING: Any = parameter(
    default=None,
    takes=[str, callable, None],
    kind="str or a function",
    doc="""With early stopping: what the rows that judge are judged by, larger being better: a name of scikit-learn's
    such as "roc_auc", or a function of (model, X, y). None and "loss": the loss. A model file cannot hold a
    function and has None there.""",
)
WARM_START: Any = parameter(
    default=False,
    takes="boolean",
    doc="""Whether `fit` keeps the trees that are there and adds the rounds that `n_estimators` asks for beyond them.
    Later rounds may have other parameters. With log loss and squared error the answers are those of all rounds at
    once but for their last digits; what is drawn is drawn anew, and other losses take a constant first.""",
)
INIT: Any = parameter(
    default=None,
    takes=[one_of("zero"), HasMethods(["fit", "predict"]), None],
    kind='"zero" or an estimator',
    doc="""Where the scores start: None at the best constant, "zero" at 0. An estimator, of treewright or another
    library, is fitted first (`init_`), and the trees add to what it answers: to its numbers, or to the logarithms of
    its probabilities. Rounds that are searched for are then those of one model, judged by `validation_fraction` of the
    rows. A model file holds an estimator of treewright; that the order of rows does not matter holds for those too.""",
)
KEEP_SCORES: Any = parameter(
    default=False,
    takes="boolean",
    doc="""Whether `train_score_` is kept, and with `subsample` below 1 `oob_improvement_`, `oob_scores_` and
    `oob_score_`. All rows go through all trees once more for it, so that a fit takes about twice as long.""",
)

"""What each learner is: its three choices (model, scoring function, optimisation), what it takes, what it costs.

Costs are of training, for n rows and p columns: T trees, d columns of the matrix that levels are coded into, i passes
over the rows; p2 and d2 are squares.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LearnerFacts:
    """One learner in a few words a question."""

    model: str
    scoring: str
    optimisation: str
    columns: str
    missing: str
    cost: str


_ANY = "numbers, levels, order"
_CODED = "numbers, levels as 0/1"

FACTS = {
    "cart": LearnerFacts(
        "binary tree, one column a test",
        "Gini, entropy; squared error",
        "greedy, exact cuts; cost-complexity pruning",
        _ANY,
        "learnt side, surrogates",
        "p n log n",
    ),
    "id3": LearnerFacts(
        "tree, a branch a level",
        "information gain",
        "greedy, no pruning",
        "levels",
        "refused, or a branch",
        "p n a level",
    ),
    "c45": LearnerFacts(
        "tree, a branch a level or a cut",
        "gain ratio",
        "greedy; error-based pruning",
        "numbers, levels",
        "rows in pieces",
        "p n log n",
    ),
    "chaid": LearnerFacts(
        "tree, merged levels",
        "adjusted p-value of chi-square or F",
        "greedy; stops by p-value",
        "levels, order, binned numbers",
        "a level of its own",
        "p n a level",
    ),
    "ctree": LearnerFacts(
        "binary tree, one column a test",
        "p-value of a permutation test",
        "greedy; stops by p-value",
        _ANY,
        "larger side, surrogates",
        "p n log n",
    ),
    "oblique": LearnerFacts(
        "binary tree, weighted sums as tests",
        "gain less the price of a test",
        "greedy; regression for directions; price of tests",
        _ANY,
        "learnt side, means in sums",
        "p n log n + p2 n",
    ),
    "model_tree": LearnerFacts(
        "binary tree, linear equations in leaves",
        "reduction of the standard deviation",
        "greedy; terms dropped, leaves joined, smoothed",
        _ANY,
        "learnt side",
        "p n log n + p2 n",
    ),
    "forest": LearnerFacts(
        "mean of many full trees",
        "Gini, entropy; squared error",
        "greedy on drawn rows and columns",
        _ANY,
        "learnt side",
        "T sqrt(p) n log n",
    ),
    "extra_trees": LearnerFacts(
        "mean of many full trees",
        "Gini, entropy; squared error",
        "best of random cuts",
        _ANY,
        "learnt side",
        "T sqrt(p) n log n",
    ),
    "adaboost": LearnerFacts(
        "weighted vote of small trees",
        "exponential loss",
        "stage by stage, rows weighted anew",
        _ANY,
        "as its trees",
        "T p n log n",
    ),
    "boosting": LearnerFacts(
        "sum of small trees",
        "log loss; squared error and others",
        "gradient descent, a tree a step, binned columns",
        _ANY,
        "learnt side",
        "T p n",
    ),
    "bagging": LearnerFacts(
        "mean of trees of any kind",
        "that of its trees",
        "greedy on drawn rows",
        _ANY,
        "as its trees",
        "T p n log n",
    ),
    "knn": LearnerFacts(
        "the training rows themselves",
        "none; distance and k are chosen",
        "none; k by cross-validation",
        _ANY,
        "largest distance",
        "n log n; p n a query",
    ),
    "naive_bayes": LearnerFacts(
        "a density a column and class",
        "likelihood",
        "counting",
        "numbers, levels",
        "skipped",
        "p n",
    ),
    "linear": LearnerFacts(
        "weighted sum (of basis functions)",
        "squared error",
        "closed form (QR)",
        _CODED,
        "mean",
        "d2 n",
    ),
    "regularized": LearnerFacts(
        "weighted sum, small weights",
        "squared error + penalty of order q",
        "closed form; coordinate descent",
        _CODED,
        "mean",
        "i d n",
    ),
    "local": LearnerFacts(
        "a weighted sum a query",
        "squared error, near rows count more",
        "closed form at each query",
        _CODED,
        "mean",
        "none; d2 n a query",
    ),
    "logistic": LearnerFacts(
        "sigmoid of a weighted sum",
        "log loss (squared)",
        "Newton, L-BFGS, gradient descent",
        _CODED,
        "mean",
        "i d2 n",
    ),
    "perceptron": LearnerFacts(
        "threshold of a weighted sum",
        "errors on training rows",
        "error by error; pocket",
        _CODED,
        "mean",
        "i d n",
    ),
    "mlp": LearnerFacts(
        "layers of weighted sums",
        "log loss; squared error",
        "back-propagation: gradient descent, Adam",
        _CODED,
        "mean",
        "i n x weights",
    ),
}

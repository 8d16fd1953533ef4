"""All learners, a record each, and the names of the pruning methods: the one place that lists them.

A new learner is a folder and a record here. `treewright` itself, the command line, `compare`, `tune`, `learners`,
`lesson` and the tests read the records.
"""

from __future__ import annotations

import inspect
from typing import Any

from treewright.learners.record import LearnerRecord, TeacherRecord

_ANY = "numbers, levels, order"
_CODED = "numbers, levels as 0/1"

_RECORDS = (
    LearnerRecord(
        name="cart",
        module="treewright.learners.trees.decision_tree",
        classifier="DecisionTreeClassifier",
        regressor="DecisionTreeRegressor",
        model="binary tree, one column a test",
        scoring="Gini, entropy; squared error",
        optimisation="greedy, exact cuts; cost-complexity pruning",
        columns=_ANY,
        missing="learnt side, surrogates",
        cost="p n log n",
        grid={
            "prune": [None, "cost_complexity_cv"],
            "criterion": ["gini", "entropy", "squared_error", "absolute_error"],
            "max_depth": [None, 3, 5, 8, 12],
            "min_samples_leaf": [1, 2, 5, 10, 20, 50],
        },
        teacher=TeacherRecord(
            "treewright.lesson.methods.cart:CartMethod",
            pruning="treewright.lesson.pruning.price:price_lesson",
            unpruned={"prune": None, "ccp_alpha": 0.0},
        ),
        readable={"prune": "cost_complexity_cv", "smoothing": 10.0},
    ),
    LearnerRecord(
        name="id3",
        module="treewright.learners.trees.id3",
        classifier="ID3Classifier",
        model="tree, a branch a level",
        scoring="information gain",
        optimisation="greedy, no pruning",
        columns="levels",
        missing="refused, or a branch",
        cost="p n a level",
        grid={"min_gain": [0.0, 0.01, 0.03, 0.1], "missing": ["refuse", "branch"]},
        teacher=TeacherRecord("treewright.lesson.methods.id3:ID3Method"),
    ),
    LearnerRecord(
        name="c45",
        module="treewright.learners.trees.c45",
        classifier="C45Classifier",
        model="tree, a branch a level or a cut",
        scoring="gain ratio",
        optimisation="greedy; error-based pruning",
        columns="numbers, levels",
        missing="rows in pieces",
        cost="p n log n",
        grid={
            "confidence": [0.01, 0.05, 0.1, 0.25, 0.5],
            "min_samples_leaf": [1, 2, 5, 10, 20],
            "subsets": [False, True],
        },
        teacher=TeacherRecord(
            "treewright.lesson.methods.c45:C45Method",
            pruning="treewright.lesson.pruning.pessimistic_section:pessimistic_lesson",
            unpruned={"prune": False, "reduced_error": False},
        ),
    ),
    LearnerRecord(
        name="chaid",
        module="treewright.learners.trees.chaid",
        classifier="CHAIDClassifier",
        regressor="CHAIDRegressor",
        model="tree, merged levels",
        scoring="adjusted p-value of chi-square or F",
        optimisation="greedy; stops by p-value",
        columns="levels, order, binned numbers",
        missing="a level of its own",
        cost="p n a level",
        grid={
            "alpha_split": [0.001, 0.01, 0.05, 0.2],
            "max_depth": [3, 5, 8],
            "min_samples_split": [20, 100],
            "min_samples_leaf": [5, 20, 50],
        },
        teacher=TeacherRecord("treewright.lesson.methods.chaid:ChaidMethod"),
    ),
    LearnerRecord(
        name="ctree",
        module="treewright.learners.trees.conditional_tree",
        classifier="ConditionalTreeClassifier",
        regressor="ConditionalTreeRegressor",
        model="binary tree, one column a test",
        scoring="p-value of a permutation test",
        optimisation="greedy; stops by p-value",
        columns=_ANY,
        missing="larger side, surrogates",
        cost="p n log n",
        grid={"alpha": [0.001, 0.01, 0.05, 0.2, 0.5], "min_samples_leaf": [3, 7, 20], "max_depth": [None, 4, 8]},
        teacher=TeacherRecord("treewright.lesson.methods.conditional:ConditionalMethod"),
    ),
    LearnerRecord(
        name="oblique",
        module="treewright.learners.trees.oblique_tree",
        classifier="ObliqueTreeClassifier",
        regressor="ObliqueTreeRegressor",
        model="binary tree, weighted sums as tests",
        scoring="gain less the price of a test",
        optimisation="greedy; regression for directions; price of tests",
        columns=_ANY,
        missing="learnt side, means in sums",
        cost="p n log n + p2 n",
        grid={"penalty": [0.5, 1.0, 2.0], "ridge": [0.1, 1.0, 10.0], "min_samples_leaf": [1, 5, 20]},
        teacher=TeacherRecord(
            "treewright.lesson.methods.oblique:ObliqueMethod",
            pruning="treewright.lesson.pruning.description_length:description_length_lesson",
            unpruned={"prune": None},
        ),
    ),
    LearnerRecord(
        name="model_tree",
        module="treewright.learners.trees.model_tree",
        regressor="ModelTreeRegressor",
        model="binary tree, linear equations in leaves",
        scoring="reduction of the standard deviation",
        optimisation="greedy; terms dropped, leaves joined, smoothed",
        columns=_ANY,
        missing="learnt side",
        cost="p n log n + p2 n",
        grid={"min_samples_leaf": [2, 5, 10, 20], "smoothing": [0.0, 5.0, 15.0, 50.0], "penalty": [1.0, 2.0, 4.0]},
        teacher=TeacherRecord(
            "treewright.lesson.methods.model_tree:ModelTreeMethod",
            pruning="treewright.lesson.pruning.equations:equations_lesson",
            unpruned={"prune": False},
        ),
    ),
    LearnerRecord(
        name="forest",
        module="treewright.learners.forest.random_forest",
        classifier="RandomForestClassifier",
        regressor="RandomForestRegressor",
        model="mean of many full trees",
        scoring="Gini, entropy; squared error",
        optimisation="greedy on drawn rows and columns",
        columns=_ANY,
        missing="learnt side",
        cost="T sqrt(p) n log n",
        in_words="random forest",
        grid={"max_features": ["sqrt", 0.3, 0.5, 1.0], "min_samples_leaf": [1, 2, 5, 10], "n_estimators": [100, 300]},
    ),
    LearnerRecord(
        name="extra_trees",
        module="treewright.learners.forest.extra_trees",
        classifier="ExtraTreesClassifier",
        regressor="ExtraTreesRegressor",
        model="mean of many full trees",
        scoring="Gini, entropy; squared error",
        optimisation="best of random cuts",
        columns=_ANY,
        missing="learnt side",
        cost="T sqrt(p) n log n",
        in_words="extra-trees forest",
        grid={"max_features": ["sqrt", 0.3, 0.5, 1.0], "min_samples_leaf": [1, 2, 5, 10], "n_estimators": [100, 300]},
    ),
    LearnerRecord(
        name="adaboost",
        module="treewright.learners.adaboost.adaboost",
        classifier="AdaBoostClassifier",
        regressor="AdaBoostRegressor",
        model="weighted vote or median of small trees",
        scoring="exponential loss; largest error",
        optimisation="stage by stage, rows weighted anew",
        columns=_ANY,
        missing="as its trees",
        cost="T p n log n",
        in_words="AdaBoost",
        grid={"n_estimators": [25, 50, 100, 200], "learning_rate": [0.1, 0.3, 1.0]},
    ),
    LearnerRecord(
        name="boosting",
        module="treewright.learners.boosting.gradient_boosting",
        classifier="GradientBoostingClassifier",
        regressor="GradientBoostingRegressor",
        model="sum of small trees",
        scoring="log loss; squared error and others",
        optimisation="gradient descent, a tree a step, binned columns",
        columns=_ANY,
        missing="learnt side",
        cost="T p n",
        in_words="gradient boosting",
        grid={
            "learning_rate": [0.03, 0.1, 0.3],
            "n_estimators": [50, 100, 300],
            "max_leaf_nodes": [4, 8, 16, 31],
            "min_samples_leaf": [5, 20, 50],
            "l2_regularization": [0.0, 1.0, 10.0],
        },
    ),
    LearnerRecord(
        name="knn",
        module="treewright.learners.neighbors.k_neighbors",
        classifier="KNeighborsClassifier",
        regressor="KNeighborsRegressor",
        model="the training rows themselves",
        scoring="none; distance and k are chosen",
        optimisation="none; k by cross-validation",
        columns=_ANY,
        missing="largest distance",
        cost="n log n; p n a query",
        grid={"n_neighbors": [1, 3, 5, 9, 15, 25, 45], "weights": ["uniform", "distance"], "metric": ["heom", "gower"]},
        readable={"n_neighbors": "cv", "smoothing": 1.0},
    ),
    LearnerRecord(
        name="local",
        module="treewright.learners.local_regression.locally_weighted",
        regressor="LocallyWeightedRegression",
        model="a weighted sum a query",
        scoring="squared error, near rows count more",
        optimisation="closed form at each query",
        columns=_CODED,
        missing="mean",
        cost="none; d2 n a query",
        grid={"kernel": ["gaussian", "tricube", "epanechnikov"], "degree": [0, 1, 2], "metric": ["heom", "gower"]},
    ),
    LearnerRecord(
        name="naive_bayes",
        module="treewright.learners.naive_bayes.naive_bayes",
        classifier="NaiveBayesClassifier",
        model="a density a column and class",
        scoring="likelihood",
        optimisation="counting",
        columns="numbers, levels",
        missing="skipped",
        cost="p n",
        grid={"numeric": ["gaussian", "kernel"], "alpha": [0.1, 1.0, 5.0]},
    ),
    LearnerRecord(
        name="linear",
        module="treewright.learners.linear.linear_regression",
        regressor="LinearRegression",
        model="weighted sum (of basis functions)",
        scoring="squared error",
        optimisation="closed form (QR)",
        columns=_CODED,
        missing="mean",
        cost="d2 n",
        grid={"basis": [None, "polynomial:2", "spline:3"], "missing": ["mean", "flag"]},
    ),
    LearnerRecord(
        name="regularized",
        module="treewright.learners.regularized.regularized_regression",
        regressor="RegularizedRegression",
        model="weighted sum, small weights",
        scoring="squared error + penalty of order q",
        optimisation="closed form; coordinate descent",
        columns=_CODED,
        missing="mean",
        cost="i d n",
        grid={
            "q": [1.0, 2.0],
            "l1_ratio": [0.5, 1.0],
            "rule": ["min", "1se"],
            "basis": [None, "polynomial:2", "spline:3"],
        },
    ),
    LearnerRecord(
        name="bagging",
        module="treewright.learners.bagging.bagging",
        classifier="BaggingTreesClassifier",
        regressor="BaggingTreesRegressor",
        model="mean of trees of any kind",
        scoring="that of its trees",
        optimisation="greedy on drawn rows",
        columns=_ANY,
        missing="as its trees",
        cost="T p n log n",
        in_words="bagging",
        grid={"n_estimators": [50, 100, 200], "max_features": [0.5, 1.0], "max_samples": [0.5, 1.0]},
    ),
    LearnerRecord(
        name="mlp",
        module="treewright.learners.neural_network.multilayer_perceptron",
        classifier="MLPClassifier",
        regressor="MLPRegressor",
        model="layers of weighted sums",
        scoring="log loss; squared error",
        optimisation="back-propagation: gradient descent, Adam",
        columns=_CODED,
        missing="mean",
        cost="i n x weights",
        grid={
            "hidden_layer_sizes": [(10,), (30,), (100,), (30, 30)],
            "alpha": [0.0001, 0.01, 1.0],
            "learning_rate_init": [0.001, 0.01],
            "activation": ["relu", "tanh"],
        },
    ),
    LearnerRecord(
        name="logistic",
        module="treewright.learners.logistic.logistic_regression",
        classifier="LogisticRegression",
        model="sigmoid of a weighted sum",
        scoring="log loss (squared)",
        optimisation="Newton, L-BFGS, gradient descent",
        columns=_CODED,
        missing="mean",
        cost="i d2 n",
        grid={"C": [0.01, 0.1, 1.0, 10.0, 100.0], "penalty": ["l1", "l2"], "standardize": [False, True]},
        readable={"standardize": True, "C": "cv"},
    ),
    LearnerRecord(
        name="perceptron",
        module="treewright.learners.perceptron.perceptron",
        classifier="Perceptron",
        model="threshold of a weighted sum",
        scoring="errors on training rows",
        optimisation="error by error; pocket",
        columns=_CODED,
        missing="mean",
        cost="i d n",
        grid={"neuron": ["threshold", "linear", "sigmoid"], "average": [False, True], "max_iter": [100, 1000]},
    ),
)

LEARNERS = {record.name: record for record in _RECORDS}

# method → class in treewright, and the numbers that the name stands for; the names are those of `prune=`
PRUNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "cost_complexity": ("CostComplexity", {}),
    "cost_complexity_cv": ("CostComplexity", {"cv": 10}),
    "reduced_error": ("ReducedError", {}),
    "reduced_error_greedy": ("ReducedError", {"greedy": True}),
    "validation_gain": ("ValidationGain", {}),
    "pessimistic": ("PessimisticError", {}),
    "chi_square": ("ChiSquare", {}),
    "minimum_error": ("MinimumError", {}),
    "mdl": ("MinimumDescription", {}),
    "critical_value": ("CriticalValue", {}),
    "merge_equal_leaves": ("MergeEqualLeaves", {}),
    "price": ("DescriptionLength", {}),
    "readable": ("Readable", {}),
}


def learners_for(task: str) -> list[str]:
    """List the names of the learners that learn classes, or numbers.

    Examples
    --------
    >>> learners_for("regression")[:2]
    ['cart', 'chaid']
    """
    return [name for name, record in LEARNERS.items() if task in record.classes]


def record_of(estimator: Any) -> LearnerRecord | None:
    """Give the record of an estimator; None where it is no learner of the registry.

    Examples
    --------
    >>> import treewright as tw
    >>> record_of(tw.C45Classifier()).name, record_of("no estimator")
    ('c45', None)
    """
    kind = type(estimator)
    for record in LEARNERS.values():
        if record.module == kind.__module__ and kind.__name__ in record.classes.values():
            return record
    return None


def parameters_of(kind: type[Any]) -> list[str]:
    """List the names that can be set on an estimator or a pruner.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> "max_depth" in parameters_of(DecisionTreeClassifier)
    True
    """
    return [name for name in inspect.signature(kind).parameters if name not in ("self", "column_kinds")]

"""`tw.learners`: all learners in one table."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from treewright.errors import DataError, nearest
from treewright.learners.registry import ALGORITHMS
from treewright.model_selection.task import TASKS

if TYPE_CHECKING:
    import pandas as pd


# What each learner is: its three choices (model, scoring function, optimisation), what it takes, what it costs.


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


@dataclass(frozen=True)
class LearnerTable:
    """The learners by model, scoring function and optimisation, columns, missing values and cost. Print it.

    Examples
    --------
    >>> LearnerTable(("cart", "forest"))
    <LearnerTable of 2 learners>
    """

    names: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Give a row a learner, by the name that `tw.compare` and the command line know it by.

        Examples
        --------
        >>> learners().to_frame().loc["c45", ["classifier", "scoring", "missing"]].tolist()
        ['C45Classifier', 'gain ratio', 'rows in pieces']
        """
        import pandas as pd

        rows = [
            {
                "learner": name,
                "classifier": ALGORITHMS[name].get("classification", ""),
                "regressor": ALGORITHMS[name].get("regression", ""),
                **asdict(FACTS[name]),
            }
            for name in self.names
        ]
        return pd.DataFrame(rows).set_index("learner")

    def to_text(self, width: int = 100) -> str:
        """Write a paragraph a learner: its name, its classes, and the answers to the questions."""
        lines = []
        for name in self.names:
            facts = FACTS[name]
            lines.append(f"{name}: {', '.join(ALGORITHMS[name].values())}")
            text = (
                f"{facts.model}. Scored by {facts.scoring}. Found by {facts.optimisation}. Takes {facts.columns}; "
                f"missing: {facts.missing}. Cost {facts.cost}."
            )
            lines += textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="  ")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<LearnerTable of {len(self.names)} learners>"

    def _repr_html_(self) -> str:
        html: str = self.to_frame().to_html()
        return html


def learners(task: str | None = None) -> LearnerTable:
    """List all learners: what each is made of, what it takes, and what it costs.

    Parameters
    ----------
    task : {"classification", "regression"}, optional
        Only those that learn classes, or numbers.

    Examples
    --------
    >>> print(learners().to_text(90).split("forest:")[0].split("model_tree:")[1])
     ModelTreeRegressor
      binary tree, linear equations in leaves. Scored by reduction of the standard deviation.
      Found by greedy; terms dropped, leaves joined, smoothed. Takes numbers, levels, order;
      missing: learnt side. Cost p n log n + p2 n.
    <BLANKLINE>
    """
    if task is not None and task not in TASKS:
        raise DataError(f"There is no task '{task}'. {nearest(str(task), TASKS)}")
    return LearnerTable(tuple(name for name, by_task in ALGORITHMS.items() if task is None or task in by_task))

"""`tw.lesson`: fit, then explain what was fitted, node by node."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import clone

from treewright.errors import DataError
from treewright.lesson.algorithms import Teacher, find_teacher, make_estimator
from treewright.lesson.explain import explain
from treewright.lesson.hypothesis_space import HypothesisSpace
from treewright.lesson.result import Lesson
from treewright.lesson.routes import shared_rows, whole_rows
from treewright.lesson.sample import Sample, read_sample
from treewright.lesson.unit import Unit
from treewright.reference.table import Cases
from treewright.table.frame import open_frame, to_table

MOST_ROWS = 20_000


def lesson(
    X: Any,
    y: Any,
    algorithm: Any = "id3",
    *,
    task: str | None = None,
    base: Any = 2,
    max_nodes: int = 40,
    sample_weight: Any = None,
    **parameters: Any,
) -> Lesson:
    """Show the working of an algorithm on a small table, as a teacher would write it, node by node.

    The estimator grows the tree; the lesson explains each of its nodes: the counts, the entropy (or Gini index,
    variance), what every column offers, the winner and why, the reason to stop.

    Parameters
    ----------
    X : data frame or array
        The columns, as every estimator takes them; at most 20,000 rows.
    y : column
        The target.
    algorithm : {"id3", "c45", "cart", "chaid", "ctree", "oblique", "model_tree"} or estimator, default "id3"
        What is explained. An estimator that is not fitted brings its own parameters.
    task : {"classification", "regression"}, optional
        Left out, a target of numbers with fractions is a regression and any other a classification.
    base : {2, "e"}, default 2
        Information in bits or in nats. The choice of a split does not depend on it.
    max_nodes : int, default 40
        How many nodes are explained. A larger number makes a longer lesson.
    sample_weight : column, optional
        How much each row counts.
    **parameters
        Parameters of the estimator, such as `max_depth=2`.

    Returns
    -------
    Lesson
        `print` it; `.text`, `.markdown()`, `.html()`, `.to_dict()` and `.to_json()` give it in other forms.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_bankruptcy(return_X_y=True)
    >>> found = tw.lesson(X, y, "cart", criterion="entropy")
    >>> [(c.test, round(c.measures["gain"], 3)) for c in found.nodes[0].candidates]
    [('late_payments <= 1.5', 0.371), ('expense_ratio <= 1.8', 0.075)]
    """
    if not isinstance(max_nodes, int) or max_nodes < 1:
        raise DataError(f"max_nodes is {max_nodes!r}. It must be a whole number of at least 1.")
    unit, teacher, X = Unit.of(base), find_teacher(algorithm), to_table(X)
    _refuse_large(X)
    model = make_estimator(algorithm, task, y, parameters).fit(X, y, sample_weight)
    grown = _unpruned(model, teacher, X, y, sample_weight)
    sample, options = _sample(grown, X, y, sample_weight)
    method = teacher.method(sample, {**grown.get_params(deep=False), **options}, unit)
    nodes = explain(grown.tree_, method, _routes(grown, sample, X), max_nodes)
    pruning = teacher.pruning(grown, model, method) if teacher.pruning else None
    return Lesson(model, method, tuple(nodes), grown.tree_.n_nodes, grown, pruning, _space(sample))


def _refuse_large(X: Any) -> None:
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_rows > MOST_ROWS:
        raise DataError(
            f"The table has {n_rows:,} rows. A lesson is for people to follow and takes at most {MOST_ROWS:,}: pass a "
            "sample of the rows. To learn from all of them, use the estimator itself."
        )


def _unpruned(model: Any, teacher: Teacher, X: Any, y: Any, sample_weight: Any) -> Any:
    """Give the tree before pruning: that is the one whose growth is explained."""
    parameters = model.get_params(deep=False)
    changes = {name: value for name, value in teacher.unpruned.items() if parameters.get(name) != value}
    return clone(model).set_params(**changes).fit(X, y, sample_weight) if changes else model


def _sample(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Sample, Mapping[str, Any]]:
    """Give the rows as the estimator took them (classes, weights, scores of ordered classes), and its options.

    In the options sizes are weights, also where a parameter was a share of the rows.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fit has told them
        training = model._encode(open_frame(model._table(X)), y, sample_weight)
    options = training.recipe.options
    sample = read_sample(
        X,
        training.table.schema,
        training.truth.tolist(),
        model.tree_.classes,
        None if training.weights is None else training.weights.tolist(),
        keeps_values=training.recipe.criterion == "absolute_error",
        class_scores=tuple(options.get("class_scores") or options.get("scores") or ()),
    )
    return sample, options


def _routes(model: Any, sample: Sample, X: Any) -> Iterable[Cases]:
    if getattr(model, "missing", None) == "fractional":
        return shared_rows(model.tree_, sample)
    return whole_rows(model.tree_, sample, model.apply(X).tolist())


def _space(sample: Sample) -> HypothesisSpace | None:
    """Count the hypotheses over the columns that have levels; numbers have no end of them."""
    levels = tuple(len(column.levels) for column in sample.schema.columns if column.kind != "numeric")
    if sample.classes is None or len(levels) < sample.n_columns:
        return None
    return HypothesisSpace(levels, len(sample.classes))

"""What stands in place of a picture where a format has none: the same numbers as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from treewright.inspection.importance import Importance
from treewright.model_selection.learning_curve import LearningCurve
from treewright.model_selection.measures import measures_of
from treewright.pages.blocks import Table
from treewright.tree.format import mean_text, name_text

_MOST = 30  # lines


def class_table(counts: pd.Series) -> Table:
    """Rows of each class.

    >>> class_table(pd.Series([3, 1], index=["no", "yes"])).rows
    (('no', '3'), ('yes', '1'))
    """
    rows = ((name_text(label), f"{n:,}") for label, n in zip(counts.index.tolist(), counts.tolist(), strict=True))
    return Table(("class", "rows"), tuple(rows), numbers=frozenset({1}))


def number_table(target: pd.Series) -> Table:
    """The quartiles and the mean of a column of numbers.

    >>> number_table(pd.Series([1.0, 2.0, 3.0, 4.0, 10.0])).rows
    (('1', '2', '3', '4', '10', '4'),)
    """
    values = target.to_numpy(dtype=np.float64)
    shown = [*np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist(), float(values.mean())]
    heads = ("minimum", "lower quartile", "median", "upper quartile", "maximum", "mean")
    return Table(heads, (tuple(mean_text(value) for value in shown),), numbers=frozenset(range(6)))


def confusion_table(truth: Any, said: Any) -> Table:
    """True classes down, predicted ones across.

    >>> confusion_table(["a", "a", "b"], ["a", "b", "b"]).rows
    (('a', '1', '1'), ('b', '0', '1'))
    """
    counts = pd.crosstab(np.asarray(truth), np.asarray(said))
    classes = sorted({*counts.index.tolist(), *counts.columns.tolist()}, key=str)
    counts = counts.reindex(index=classes, columns=classes, fill_value=0)
    names = [name_text(label) for label in classes]
    rows = tuple(
        (name, *(f"{n:,}" for n in line)) for name, line in zip(names, counts.to_numpy().tolist(), strict=True)
    )
    return Table(("true \\ predicted", *names), rows, numbers=frozenset(range(1, len(names) + 1)))


def importance_table(found: Importance) -> Table:
    """What is lost without each column, the largest first.

    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> found = tw.importance(tw.DecisionTreeClassifier(max_depth=1).fit(X, y), X, y, random_state=0)
    >>> importance_table(found).headings
    ('column', 'loss of score')
    """
    rows = ((name_text(found.columns[j]), f"{found.mean[j]:.4f}") for j in found.order[:_MOST])
    return Table(("column", "loss of score"), tuple(rows), numbers=frozenset({1}))


def curve_table(curve: LearningCurve) -> Table:
    """The mean score of each learner by the number of rows that it learnt from.

    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> curve_table(tw.learning_curve(X, y, ["cart"], sizes=[15, 60], trials=2)).headings
    ('training rows', 'accuracy of cart')
    """
    measure = next(one for one in measures_of(curve.task) if one.name == curve.scoring)
    heads = ("training rows", *(f"{measure.title} of {learner.name}" for learner in curve.learners))
    means = [learner.means() for learner in curve.learners]
    rows = tuple((f"{size:,}", *(measure.show(float(mean[k])) for mean in means)) for k, size in enumerate(curve.sizes))
    return Table(heads, rows, numbers=frozenset(range(len(heads))))

"""Random forests: trees of drawn rows that look at drawn columns (Breiman 2001)."""

from __future__ import annotations

from treewright.learners.ensemble.ensemble_model import EnsembleModel
from treewright.learners.forest.classes_and_numbers import ForestClassifier, ForestRegressor
from treewright.learners.forest.forest_model import ForestModel
from treewright.learners.forest.parameters import (
    FOREST_ATTRIBUTES,
)


class RandomForestClassifier(ForestClassifier, ForestModel, EnsembleModel):
    __doc__ = f"""A random forest that predicts classes.

    Each tree is grown from drawn rows, and each node looks at a few drawn columns only. Tables are
    taken as they are: text, categories, dates and missing values. The same data, parameters and seed
    give the same model, byte for byte, on any number of threads, and whatever the order of the rows.

    Attributes
    ----------
    classes_ : array
        The class labels, sorted.
    {FOREST_ATTRIBUTES}
        Accuracy out of bag, with ``oob_score=True``.
    oob_decision_function_ : array
        The mean answer for each training row by the trees that did not see it; NaN where all did.
    shrinkage_ : float
        How much the classes in the leaves were shrunk: `shrinkage`, or what "auto" stood for.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> model = tw.RandomForestClassifier(oob_score=True, min_samples_leaf=3, random_state=1).fit(X, y)
    >>> round(model.oob_score_, 2)
    0.8
    >>> model.predict_one({{"sex": "female", "passengerClass": "1st"}})
    'yes'
    """


class RandomForestRegressor(ForestRegressor, ForestModel, EnsembleModel):
    __doc__ = f"""A random forest that predicts numbers.

    Each tree is grown from drawn rows, and each node looks at some drawn columns only. Tables are
    taken as they are: text, categories, dates and missing values. The same data, parameters and seed
    give the same model, byte for byte, on any number of threads, and whatever the order of the rows.

    Attributes
    ----------
    {FOREST_ATTRIBUTES}
        R squared out of bag, with ``oob_score=True``.
    oob_prediction_ : array
        The mean answer for each training row by the trees that did not see it; NaN where all did.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_boston(return_X_y=True)
    >>> model = tw.RandomForestRegressor(oob_score=True, random_state=1).fit(X, y)
    >>> round(model.oob_score_, 2)
    0.89
    """

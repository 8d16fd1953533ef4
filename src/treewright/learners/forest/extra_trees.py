"""Extra trees: forests whose cuts are drawn too (Geurts, Ernst and Wehenkel 2006)."""

from __future__ import annotations

from treewright.learners.base.parameters import fixed, parameter
from treewright.learners.ensemble.ensemble_model import EnsembleModel
from treewright.learners.forest.classes_and_numbers import ForestClassifier, ForestRegressor
from treewright.learners.forest.forest_model import ForestModel
from treewright.learners.forest.parameters import (
    FOREST_ATTRIBUTES,
)


class ExtraTreesClassifier(ForestClassifier, ForestModel, EnsembleModel):
    __doc__ = f"""Extremely randomised trees that predict classes.

    Every node draws a few columns and for each of them one random cut, and takes the best of these. Tables are
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
    >>> model = tw.ExtraTreesClassifier(min_samples_leaf=3, random_state=1).fit(X, y)
    >>> model.predict_one({{"sex": "female", "passengerClass": "1st"}})
    'yes'
    """

    bootstrap: bool = parameter(default=False)
    splitter: str = fixed("axis")
    _random_cuts = True


class ExtraTreesRegressor(ForestRegressor, ForestModel, EnsembleModel):
    __doc__ = f"""Extremely randomised trees that predict numbers.

    Every node draws some columns and for each of them one random cut, and takes the best of these. Tables are
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
    >>> model = tw.ExtraTreesRegressor(random_state=1).fit(X, y)
    >>> round(model.score(X, y), 2)
    1.0
    """

    bootstrap: bool = parameter(default=False)
    splitter: str = fixed("axis")
    _random_cuts = True

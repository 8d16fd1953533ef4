"""The estimators, and their way to files and back."""

from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.estimators.oblique_tree import ObliqueTreeClassifier, ObliqueTreeRegressor
from treewright.estimators.persist import load, save

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "load",
    "save",
]

"""The estimators, and their way to files and back."""

from treewright.estimators.c45 import C45Classifier
from treewright.estimators.conditional_tree import ConditionalTreeClassifier, ConditionalTreeRegressor
from treewright.estimators.chaid import CHAIDClassifier, CHAIDRegressor
from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.estimators.id3 import ID3Classifier
from treewright.estimators.persist import load, save

__all__ = ["C45Classifier", "DecisionTreeClassifier", "DecisionTreeRegressor", "ID3Classifier", "load", "save"]
__all__ = [
    "ConditionalTreeClassifier",
    "ConditionalTreeRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "load",
    "save",
]
__all__ = ["CHAIDClassifier", "CHAIDRegressor", "DecisionTreeClassifier", "DecisionTreeRegressor", "load", "save"]
from treewright.estimators.model_tree import ModelTreeRegressor
from treewright.estimators.persist import load, save

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "ModelTreeRegressor", "load", "save"]
from treewright.estimators.oblique_tree import ObliqueTreeClassifier, ObliqueTreeRegressor
from treewright.estimators.persist import load, save

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "ObliqueTreeClassifier", "ObliqueTreeRegressor", "load", "save"]

"""The estimators, and their way to files and back."""

from treewright.estimators.chaid import CHAIDClassifier, CHAIDRegressor
from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.estimators.persist import load, save

__all__ = ["CHAIDClassifier", "CHAIDRegressor", "DecisionTreeClassifier", "DecisionTreeRegressor", "load", "save"]

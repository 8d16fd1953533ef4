"""The estimators, and their way to files and back."""

from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.estimators.model_tree import ModelTreeRegressor
from treewright.estimators.persist import load, save

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "ModelTreeRegressor", "load", "save"]

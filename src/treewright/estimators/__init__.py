"""The estimators, and their way to files and back."""

from treewright.estimators.adaboost import AdaBoostClassifier
from treewright.estimators.bagging import BaggingTreesClassifier, BaggingTreesRegressor
from treewright.estimators.c45 import C45Classifier
from treewright.estimators.chaid import CHAIDClassifier, CHAIDRegressor
from treewright.estimators.conditional_tree import ConditionalTreeClassifier, ConditionalTreeRegressor
from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.estimators.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from treewright.estimators.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from treewright.estimators.id3 import ID3Classifier
from treewright.estimators.model_tree import ModelTreeRegressor
from treewright.estimators.oblique_tree import ObliqueTreeClassifier, ObliqueTreeRegressor
from treewright.estimators.persist import load, save
from treewright.estimators.random_forest import RandomForestClassifier, RandomForestRegressor

__all__ = [
    "AdaBoostClassifier",
    "BaggingTreesClassifier",
    "BaggingTreesRegressor",
    "C45Classifier",
    "CHAIDClassifier",
    "CHAIDRegressor",
    "ConditionalTreeClassifier",
    "ConditionalTreeRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "ID3Classifier",
    "ModelTreeRegressor",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "load",
    "save",
]

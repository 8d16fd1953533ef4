"""treewright: decision trees for real tables.

    import treewright as tw

    df = tw.read("credit_g.csv")
    tree = tw.DecisionTreeClassifier(max_depth=5).fit(df.drop(columns="class"), df["class"])
    print(tree)

Names are loaded when they are first used, so that `import treewright` and the command line start fast.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "read": "treewright.read",
    "datasets": "treewright.datasets",
    "AdaBoostClassifier": "treewright.estimators",
    "BaggingTreesClassifier": "treewright.estimators",
    "BaggingTreesRegressor": "treewright.estimators",
    "C45Classifier": "treewright.estimators",
    "ID3Classifier": "treewright.estimators",
    "LogisticRegression": "treewright.beside.logistic_regression",
    "Perceptron": "treewright.beside.perceptron",
    "ConditionalTreeClassifier": "treewright.estimators",
    "ConditionalTreeRegressor": "treewright.estimators",
    "CHAIDClassifier": "treewright.estimators",
    "CHAIDRegressor": "treewright.estimators",
    "DecisionTreeClassifier": "treewright.estimators",
    "DecisionTreeRegressor": "treewright.estimators",
    "GradientBoostingClassifier": "treewright.estimators",
    "GradientBoostingRegressor": "treewright.estimators",
    "ObliqueTreeClassifier": "treewright.estimators",
    "ObliqueTreeRegressor": "treewright.estimators",
    "ExtraTreesClassifier": "treewright.estimators",
    "ExtraTreesRegressor": "treewright.estimators",
    "RandomForestClassifier": "treewright.estimators",
    "RandomForestRegressor": "treewright.estimators",
    "ChiSquare": "treewright.pruners",
    "CostComplexity": "treewright.pruners",
    "CriticalValue": "treewright.pruners",
    "MergeEqualLeaves": "treewright.pruners",
    "MinimumDescription": "treewright.pruners",
    "MinimumError": "treewright.pruners",
    "PessimisticError": "treewright.pruners",
    "PriceOfTests": "treewright.pruners",
    "ReducedError": "treewright.pruners",
    "ValidationGain": "treewright.pruners",
    "importance": "treewright.effects",
    "Importance": "treewright.effects",
    "partial_dependence": "treewright.effects",
    "PartialDependence": "treewright.effects",
    "report": "treewright.report",
    "Report": "treewright.report",
    "compare": "treewright.compare",
    "Comparison": "treewright.compare",
    "compare_missing": "treewright.evaluate.missing_comparison",
    "gains_table": "treewright.evaluate.gains",
    "ModelTreeRegressor": "treewright.estimators",
    "Autoencoder": "treewright.beside.autoencoder",
    "LinearRegression": "treewright.beside.linear.linear_regression",
    "MLPClassifier": "treewright.beside.mlp_classifier",
    "MLPRegressor": "treewright.beside.mlp_regressor",
    "boundary": "treewright.draw",
    "draw": "treewright.draw",
    "plot_calibration": "treewright.draw",
    "plot_confusion": "treewright.draw",
    "plot_gains": "treewright.draw",
    "plot_pruning": "treewright.draw",
    "plot_roc": "treewright.draw",
    "KNeighborsClassifier": "treewright.beside.k_neighbours",
    "KNeighborsRegressor": "treewright.beside.k_neighbours",
    "LocallyWeightedRegression": "treewright.beside.locally_weighted",
    "NaiveBayesClassifier": "treewright.beside.naive_bayes",
    "RegularizedRegression": "treewright.beside.linear.regularized_regression",
    "save": "treewright.estimators",
    "load": "treewright.estimators",
    "learners": "treewright.compare",
    "learning_curve": "treewright.compare",
    "LearningCurve": "treewright.compare",
    "tune": "treewright.compare",
    "Tuning": "treewright.compare",
    "diff": "treewright.explain.diff",
    "questionnaire": "treewright.explain.questionnaire",
    "surrogate": "treewright.evaluate.surrogate_tree",
    "lesson": "treewright.lesson",
    "Lesson": "treewright.lesson",
}

if TYPE_CHECKING:
    from treewright import datasets as datasets
    from treewright.beside.autoencoder import Autoencoder as Autoencoder
    from treewright.beside.k_neighbours import KNeighborsClassifier as KNeighborsClassifier
    from treewright.beside.k_neighbours import KNeighborsRegressor as KNeighborsRegressor
    from treewright.beside.linear.linear_regression import LinearRegression as LinearRegression
    from treewright.beside.linear.regularized_regression import RegularizedRegression as RegularizedRegression
    from treewright.beside.locally_weighted import LocallyWeightedRegression as LocallyWeightedRegression
    from treewright.beside.logistic_regression import LogisticRegression as LogisticRegression
    from treewright.beside.mlp_classifier import MLPClassifier as MLPClassifier
    from treewright.beside.mlp_regressor import MLPRegressor as MLPRegressor
    from treewright.beside.naive_bayes import NaiveBayesClassifier as NaiveBayesClassifier
    from treewright.beside.perceptron import Perceptron as Perceptron
    from treewright.compare import Comparison as Comparison
    from treewright.compare import LearningCurve as LearningCurve
    from treewright.compare import Tuning as Tuning
    from treewright.compare import compare as compare
    from treewright.compare import learners as learners
    from treewright.compare import learning_curve as learning_curve
    from treewright.compare import tune as tune
    from treewright.draw import boundary as boundary
    from treewright.draw import draw as draw
    from treewright.draw import plot_calibration as plot_calibration
    from treewright.draw import plot_confusion as plot_confusion
    from treewright.draw import plot_gains as plot_gains
    from treewright.draw import plot_pruning as plot_pruning
    from treewright.draw import plot_roc as plot_roc
    from treewright.effects import Importance as Importance
    from treewright.effects import PartialDependence as PartialDependence
    from treewright.effects import importance as importance
    from treewright.effects import partial_dependence as partial_dependence
    from treewright.estimators import AdaBoostClassifier as AdaBoostClassifier
    from treewright.estimators import BaggingTreesClassifier as BaggingTreesClassifier
    from treewright.estimators import BaggingTreesRegressor as BaggingTreesRegressor
    from treewright.estimators import C45Classifier as C45Classifier
    from treewright.estimators import CHAIDClassifier as CHAIDClassifier
    from treewright.estimators import CHAIDRegressor as CHAIDRegressor
    from treewright.estimators import ConditionalTreeClassifier as ConditionalTreeClassifier
    from treewright.estimators import ConditionalTreeRegressor as ConditionalTreeRegressor
    from treewright.estimators import DecisionTreeClassifier as DecisionTreeClassifier
    from treewright.estimators import DecisionTreeRegressor as DecisionTreeRegressor
    from treewright.estimators import ExtraTreesClassifier as ExtraTreesClassifier
    from treewright.estimators import ExtraTreesRegressor as ExtraTreesRegressor
    from treewright.estimators import GradientBoostingClassifier as GradientBoostingClassifier
    from treewright.estimators import GradientBoostingRegressor as GradientBoostingRegressor
    from treewright.estimators import ID3Classifier as ID3Classifier
    from treewright.estimators import ModelTreeRegressor as ModelTreeRegressor
    from treewright.estimators import ObliqueTreeClassifier as ObliqueTreeClassifier
    from treewright.estimators import ObliqueTreeRegressor as ObliqueTreeRegressor
    from treewright.estimators import RandomForestClassifier as RandomForestClassifier
    from treewright.estimators import RandomForestRegressor as RandomForestRegressor
    from treewright.estimators import load as load
    from treewright.estimators import save as save
    from treewright.evaluate.gains import gains_table as gains_table
    from treewright.evaluate.missing_comparison import compare_missing as compare_missing
    from treewright.evaluate.surrogate_tree import surrogate as surrogate
    from treewright.explain.diff import diff as diff
    from treewright.explain.questionnaire import questionnaire as questionnaire
    from treewright.lesson import Lesson as Lesson
    from treewright.lesson import lesson as lesson
    from treewright.pruners import ChiSquare as ChiSquare
    from treewright.pruners import CostComplexity as CostComplexity
    from treewright.pruners import CriticalValue as CriticalValue
    from treewright.pruners import MergeEqualLeaves as MergeEqualLeaves
    from treewright.pruners import MinimumDescription as MinimumDescription
    from treewright.pruners import MinimumError as MinimumError
    from treewright.pruners import PessimisticError as PessimisticError
    from treewright.pruners import PriceOfTests as PriceOfTests
    from treewright.pruners import ReducedError as ReducedError
    from treewright.pruners import ValidationGain as ValidationGain
    from treewright.read import read as read
    from treewright.report import Report as Report
    from treewright.report import report as report

__all__ = [
    "AdaBoostClassifier",
    "Autoencoder",
    "BaggingTreesClassifier",
    "BaggingTreesRegressor",
    "C45Classifier",
    "CHAIDClassifier",
    "CHAIDRegressor",
    "ChiSquare",
    "Comparison",
    "ConditionalTreeClassifier",
    "ConditionalTreeRegressor",
    "CostComplexity",
    "CriticalValue",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "ID3Classifier",
    "Importance",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "LearningCurve",
    "Lesson",
    "LinearRegression",
    "LocallyWeightedRegression",
    "LogisticRegression",
    "MLPClassifier",
    "MLPRegressor",
    "MergeEqualLeaves",
    "MinimumDescription",
    "MinimumError",
    "ModelTreeRegressor",
    "NaiveBayesClassifier",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "PartialDependence",
    "Perceptron",
    "PessimisticError",
    "PriceOfTests",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ReducedError",
    "RegularizedRegression",
    "Report",
    "Tuning",
    "ValidationGain",
    "boundary",
    "compare",
    "compare_missing",
    "datasets",
    "diff",
    "draw",
    "gains_table",
    "importance",
    "learners",
    "learning_curve",
    "lesson",
    "load",
    "partial_dependence",
    "plot_calibration",
    "plot_confusion",
    "plot_gains",
    "plot_pruning",
    "plot_roc",
    "questionnaire",
    "read",
    "report",
    "save",
    "surrogate",
    "tune",
]


class _Package(ModuleType):
    """The package itself. `tw.read` and `tw.save` are functions; their homes are folders of the same names.

    Python binds every imported submodule to its name in the package: that must not hide the functions.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType) and name != "datasets"):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treewright' has no attribute {name!r}")
    home = importlib.import_module(_HOME[name])
    value = home if name == "datasets" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

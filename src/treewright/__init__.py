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
    "compare_missing": "treewright.evaluate.missing_comparison",
    "gains_table": "treewright.evaluate.gains",
    "ModelTreeRegressor": "treewright.estimators",
    "LinearRegression": "treewright.beside.linear.linear_regression",
    "RegularizedRegression": "treewright.beside.linear.regularized_regression",
    "save": "treewright.estimators",
    "load": "treewright.estimators",
    "lesson": "treewright.lesson",
    "Lesson": "treewright.lesson",
}

if TYPE_CHECKING:
    from treewright import datasets as datasets
    from treewright.beside.linear.linear_regression import LinearRegression as LinearRegression
    from treewright.beside.linear.regularized_regression import RegularizedRegression as RegularizedRegression
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

__all__ = [
    "AdaBoostClassifier",
    "BaggingTreesClassifier",
    "BaggingTreesRegressor",
    "C45Classifier",
    "CHAIDClassifier",
    "CHAIDRegressor",
    "ChiSquare",
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
    "Lesson",
    "LinearRegression",
    "MergeEqualLeaves",
    "MinimumDescription",
    "MinimumError",
    "ModelTreeRegressor",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "PessimisticError",
    "PriceOfTests",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ReducedError",
    "RegularizedRegression",
    "ValidationGain",
    "compare_missing",
    "datasets",
    "gains_table",
    "lesson",
    "load",
    "read",
    "save",
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

"""treewright: decision trees for real tables.

    import treewright as tw

    df = tw.read("credit_g.csv")
    tree = tw.DecisionTreeClassifier(max_depth=5).fit(df.drop(columns="class"), df["class"])
    print(tree)

Names are loaded when they are first used, so that `import treewright` and the command line start fast. Editors and type
checkers read `__init__.pyi`, which `python -m treewright.public_names` writes from the table below.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from treewright.renamed import RENAMED, warn_renamed

__version__ = "0.1.0"

# module → the public names that live there; those of the learners are in their records
_PUBLIC = {
    "table.reading.read": "read",
    "sources.open_source": "source",
    "sources.answers": "write_predictions",
    "learners.neural_network.autoencoder": "Autoencoder",
    "prune": "ChiSquare CostComplexity CriticalValue DescriptionLength MergeEqualLeaves MinimumDescription "
    "MinimumError PessimisticError Readable ReducedError ValidationGain",
    "save.persist": "load save",
    "export.export": "export",
    "export.scikit_learn": "to_sklearn",
    "converters.from_lightgbm": "from_lightgbm",
    "converters.from_r": "from_r",
    "converters.from_sklearn": "from_sklearn",
    "converters.from_xgboost": "from_xgboost",
    "inspection.importance": "Importance importance",
    "inspection.partial_dependence": "PartialDependence partial_dependence",
    "inspection.align": "align",
    "inspection.diff": "diff",
    "inspection.questionnaire": "questionnaire",
    "inspection.surrogate_model": "surrogate_model",
    "plot": "boundary draw plot_calibration plot_confusion plot_gains plot_pruning plot_roc "
    "plot_shap plot_shap_dependence plot_shap_waterfall",
    "model_selection.calibrate": "calibrate",
    "model_selection.compare": "compare",
    "model_selection.comparison": "Comparison",
    "model_selection.conformal": "conformal",
    "model_selection.learning_curve": "LearningCurve learning_curve",
    "model_selection.tune": "tune",
    "model_selection.tuning": "Tuning",
    "model_selection.learners": "learners",
    "model_selection.gains": "gains_table",
    "model_selection.evaluation": "Evaluation evaluate",
    "model_selection.missing_comparison": "compare_missing",
    "report": "Report report",
    "lesson": "Lesson lesson",
    "datasets": "datasets",
}
_HOME = {name: f"treewright.{module}" for module, names in _PUBLIC.items() for name in names.split()}


class _Package(ModuleType):
    """The package itself. `tw.report` and `tw.save` are functions; their homes are folders of the same names.

    Python binds every imported submodule to its name in the package: that must not hide the functions.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType) and name != "datasets"):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def _homes_of_learners() -> dict[str, str]:
    from treewright.learners.registry import LEARNERS

    return {name: record.module for record in LEARNERS.values() for name in record.classes.values()}


_HOME |= _homes_of_learners()
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in RENAMED:
        warn_renamed(f"tw.{name}", f"tw.{RENAMED[name]}")
        return getattr(sys.modules[__name__], RENAMED[name])
    if name not in _HOME:
        raise AttributeError(f"module 'treewright' has no attribute {name!r}")
    home = importlib.import_module(_HOME[name])
    value = home if name == "datasets" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)

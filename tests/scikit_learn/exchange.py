"""A plugin of pytest: what a test imports from scikit-learn's trees, ensembles and neighbours is ours."""

from __future__ import annotations

import sklearn.ensemble
import sklearn.inspection
import sklearn.neighbors
import sklearn.tree

import treewright as tw

MODULES = (sklearn.tree, sklearn.ensemble, sklearn.neighbors)
OTHER_NAMES = {
    "BaggingClassifier": "BaggingTreesClassifier",
    "BaggingRegressor": "BaggingTreesRegressor",
    "HistGradientBoostingClassifier": "GradientBoostingClassifier",
    "HistGradientBoostingRegressor": "GradientBoostingRegressor",
}


def pytest_configure(config: object) -> None:
    """Exchange the names, once scikit-learn has imported all that it needs itself: only its tests are to see ours."""
    for module in MODULES:
        for name in module.__all__:
            ours = OTHER_NAMES.get(name, name)
            if name[0].isupper() and hasattr(tw, ours):
                setattr(module, name, getattr(tw, ours))

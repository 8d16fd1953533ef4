"""Random settings of every learner that is fitted to a source whose rows are gathered."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import treewright as tw
from sources.random_tables import random_case
from treewright.errors import DataError

Make = Callable[[], Any]


def _either(rng: np.random.Generator, *values: Any) -> Any:
    return values[rng.integers(len(values))]


def _trees(rng: np.random.Generator, name: str) -> dict[str, Any]:
    """Settings of a learner of one tree."""
    if name == "ID3Classifier":
        return {"missing": "branch", "min_gain": _either(rng, 0.0, 0.05)}
    if name == "C45Classifier":
        names = ("prune", "raise_subtrees", "binary", "subsets", "laplace")
        return {each: bool(rng.integers(2)) for each in names} | {"variant": _either(rng, "j48", "c45")}
    if name.startswith("CHAID"):
        missing = _either(rng, "branch", "larger", "stop")
        return {"min_samples_split": 8, "min_samples_leaf": 3, "alpha_split": 0.5, "bins": 4, "missing": missing}
    if name.startswith("Conditional"):
        missing = _either(rng, "larger", "surrogates", "learn", "branch", "stop", "fractional")
        return {"alpha": 0.6, "min_samples_split": 6, "min_samples_leaf": 2, "missing": missing}
    return {"max_depth": 3}


def _cart(rng: np.random.Generator, name: str) -> dict[str, Any]:
    """Settings of CART that counts do not tell."""
    classes = name.endswith("Classifier")
    return _either(
        rng,
        {"missing": _either(rng, "surrogates", "fractional", "stop")},
        {"prune": "cost_complexity_cv", "random_state": 3},
        {"prune": "reduced_error"},
        {"splitter": "random", "max_features": 1, "max_depth": 3},
        {"keep_candidates": True},
        {"criterion": "gain_ratio"} if classes else {"criterion": "absolute_error"},
    )


def random_learner(rng: np.random.Generator, classes: bool) -> Make:
    """One of the learners with settings for tables of few rows."""
    own = "Classifier" if classes else "Regressor"
    trees = [f"{name}{own}" for name in ("CHAID", "ConditionalTree", "ObliqueTree")]
    trees += ["ID3Classifier", "C45Classifier"] if classes else ["ModelTreeRegressor"]
    many = [f"{name}{own}" for name in ("RandomForest", "ExtraTrees", "BaggingTrees", "AdaBoost")]
    others = (
        ["NaiveBayesClassifier", "LogisticRegression"] if classes else ["LinearRegression", "RegularizedRegression"]
    )
    name = str(_either(rng, f"DecisionTree{own}", *trees, *many, *others))
    if name in trees:
        settings = _trees(rng, name)
    elif name in many:
        settings = {"n_estimators": 3, "random_state": 1}
    else:
        settings = _cart(rng, name) if name.startswith("DecisionTree") else {}
    return lambda: getattr(tw, name)(**settings)


def _outcome(fit: Callable[[], Any]) -> bytes | str:
    """The bytes of a model, or that it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bytes(fit()._tw_bytes())
        except DataError:
            return "refused"


def assert_same_outcome(seed: int, open_source: Callable[[Any, list[np.ndarray]], Any]) -> bool:
    """A random learner, its table in 1, 3 or 17 parts, some of them shuffled; gives whether anything was learnt.

    `open_source` takes the case and the rows of each part.
    """
    case, rng = random_case(seed), np.random.default_rng(seed)
    make = random_learner(rng, classes=case.model()._predicts_classes)
    order = rng.permutation(len(case.frame)) if seed % 2 else np.arange(len(case.frame))
    source = open_source(case, np.array_split(order, (1, 3, 17)[seed % 3]))
    weights = None if case.weight is None else case.frame[case.weight]
    expected = _outcome(lambda: make().fit(case.columns, case.frame["y"], weights))
    assert _outcome(lambda: make().fit(source, "y", case.weight)) == expected, (seed, make())
    return expected != "refused"

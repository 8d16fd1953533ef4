"""Estimators that do what they should not, in a module that other processes can import."""

from __future__ import annotations

import os
import time
import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.dummy import DummyClassifier


class Refuses(ClassifierMixin, BaseEstimator):
    """Fails in every fit, or in those whose training rows hold a certain class."""

    def __init__(self, only_with: Any = None) -> None:
        self.only_with = only_with

    def fit(self, X: Any, y: Any) -> Self:
        if self.only_with is None or self.only_with in np.asarray(y):
            raise ValueError("This one never learns.\nAnd here is why.")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(len(X), self.classes_[0])


class Dies(BaseEstimator):
    """Ends its process, unless it is the one that started the tests."""

    _estimator_type = "classifier"

    def __init__(self, parent: int = 0) -> None:
        self.parent = parent

    def fit(self, X: Any, y: Any) -> Self:
        if os.getpid() != self.parent:
            os._exit(3)
        raise MemoryError("here too")

    def __sklearn_tags__(self) -> Any:
        return DummyClassifier().__sklearn_tags__()


class Slow(RegressorMixin, BaseEstimator):
    """Takes its time, and says where it was fitted."""

    def __init__(self, seconds: float = 0.1) -> None:
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> Self:
        time.sleep(self.seconds)
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(len(X), self.mean_)


class Warns(DummyClassifier):
    """Learns, but with a warning."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        warnings.warn("Not quite converged.\nMore words.", UserWarning, stacklevel=2)
        return super().fit(X, y, sample_weight)

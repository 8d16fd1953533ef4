"""Linear models as contestants: ours, scikit-learn's, Intel's and glum's, the same penalty, numbers of 64 bits."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from benchmarks.contestants import Contestant
from benchmarks.data import Table

PRICE, FOLDS = 0.05, 5


class LinearModel(Contestant):
    """A linear model on a matrix of numbers."""

    dtype: ClassVar[Any] = np.float64

    def make(self, rows: int) -> Any:
        """Give the estimator, not fitted yet."""
        raise NotImplementedError

    def fit(self, X: Table, y: np.ndarray) -> None:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(self.threads):
            self.model = self.make(len(y)).fit(np.asarray(X, dtype=self.dtype), y)

    def predict(self, X: Table) -> np.ndarray:
        return np.asarray(self.model.predict(np.asarray(X, dtype=self.dtype)))


class OurLeastSquares(LinearModel):
    """With standard errors and all that the summary needs, which scikit-learn does not compute."""

    title, package, module = "treewright linear", "treewright", "treewright"

    def make(self, rows: int) -> Any:
        import treewright as tw

        return tw.LinearRegression()


class OurPenalised(LinearModel):
    package, module = "treewright", "treewright"
    settings: ClassVar[dict[str, Any]]

    def make(self, rows: int) -> Any:
        import treewright as tw

        return tw.RegularizedRegression(standardize=False, **self.settings)


class OurRidge(OurPenalised):
    title, settings = "treewright ridge", {"q": 2, "alpha": PRICE}


class OurLasso(OurPenalised):
    title, settings = "treewright lasso", {"alpha": PRICE}


class OurElasticNet(OurPenalised):
    title, settings = "treewright elastic net", {"alpha": PRICE, "l1_ratio": 0.5}


class OurLassoPath(OurPenalised):
    title, settings = "treewright lasso path", {"cv": FOLDS}


class ScikitLinear(LinearModel):
    package, module = "scikit-learn", "sklearn"
    kind: ClassVar[str]

    def settings(self, rows: int) -> dict[str, Any]:
        """Give the parameters that mean the same as ours."""
        return {}

    def make(self, rows: int) -> Any:
        import sklearn.linear_model

        return getattr(sklearn.linear_model, self.kind)(**self.settings(rows))


class ScikitLeastSquares(ScikitLinear):
    title, kind, compared_with = "scikit-learn linear", "LinearRegression", "treewright linear"


class ScikitRidge(ScikitLinear):
    title, kind, compared_with = "scikit-learn ridge", "Ridge", "treewright ridge"

    def settings(self, rows: int) -> dict[str, Any]:
        return {"alpha": 2 * rows * PRICE}


class ScikitRidgeSingle(ScikitRidge):
    title, dtype = "scikit-learn ridge, 32 bits", np.float32


class ScikitLasso(ScikitLinear):
    title, kind, compared_with = "scikit-learn lasso", "Lasso", "treewright lasso"

    def settings(self, rows: int) -> dict[str, Any]:
        return {"alpha": PRICE}


class ScikitElasticNet(ScikitLasso):
    title, kind, compared_with = "scikit-learn elastic net", "ElasticNet", "treewright elastic net"


class ScikitLassoPath(ScikitLinear):
    title, kind, compared_with = "scikit-learn lasso path", "LassoCV", "treewright lasso path"

    def settings(self, rows: int) -> dict[str, Any]:
        return {"cv": FOLDS}


def _of_intel(contestant: type[ScikitLinear]) -> type[ScikitLinear]:
    """Give the same estimator as scikit-learn-intelex has it."""

    def make(self: ScikitLinear, rows: int) -> Any:
        import sklearnex.linear_model

        return getattr(sklearnex.linear_model, self.kind)(**self.settings(rows))

    title = contestant.title.replace("scikit-learn", "scikit-learn-intelex")
    told = {"title": title, "package": "scikit-learn-intelex", "module": "sklearnex", "make": make}
    return type(f"Intel{contestant.kind}", (contestant,), told)


class GlumRidge(LinearModel):
    title, package, module, compared_with = "glum ridge", "glum", "glum", "treewright ridge"
    settings: ClassVar[dict[str, float]] = {"alpha": 2 * PRICE, "l1_ratio": 0}

    def make(self, rows: int) -> Any:
        from glum import GeneralizedLinearRegressor

        return GeneralizedLinearRegressor(family="normal", **self.settings)


class GlumLasso(GlumRidge):
    title, compared_with, settings = "glum lasso", "treewright lasso", {"alpha": PRICE, "l1_ratio": 1}


class GlumElasticNet(GlumRidge):
    title, compared_with = "glum elastic net", "treewright elastic net"
    settings: ClassVar[dict[str, float]] = {"alpha": PRICE, "l1_ratio": 0.5}


LINEAR_MODELS: tuple[type[Contestant], ...] = (
    OurLeastSquares,
    OurRidge,
    OurLasso,
    OurElasticNet,
    OurLassoPath,
    ScikitLeastSquares,
    ScikitRidge,
    ScikitRidgeSingle,
    ScikitLasso,
    ScikitElasticNet,
    ScikitLassoPath,
    *(_of_intel(kind) for kind in (ScikitLeastSquares, ScikitRidge)),  # the others it has no more
    GlumRidge,
    GlumLasso,
    GlumElasticNet,
)

"""Rates of counts that are drawn towards the rate of all rows where a node has seen little, as rpart does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright import _core


@dataclass(frozen=True)
class ShrunkRates:
    """The rates of leaves are taken for draws from a gamma distribution with coefficient of variation `shrink`.

    With a = 1 / shrink squared, a node answers (events + a) / (exposure + a / rate of all rows). The smaller `shrink`,
    the nearer to the rate of all rows.
    """

    shrink: float

    def finish(self, tree: _core.Tree) -> _core.Tree:
        """Give the tree with shrunk answers; a node's impurity becomes the mean half deviance around its answer."""
        arrays = dict(tree.arrays())
        rate, exposure = arrays["value"], arrays["weight"]
        more = self.shrink**-2
        shrunk = (rate * exposure + more) / (exposure + more / rate[0])
        ratio = np.divide(rate, shrunk, out=np.ones_like(rate), where=rate > 0)
        arrays["impurity"] = arrays["impurity"] + np.maximum(rate * np.log(ratio) - rate + shrunk, 0)
        arrays["value"] = shrunk
        return _core.Tree(arrays, tree.n_columns, tree.n_classes)

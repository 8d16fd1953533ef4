"""A leaf has a price, and a subtree that is not worth its leaves becomes one.

The work is done in `cp_table.py`, because cross-validation grows trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal

from treewright.errors import DataError
from treewright.prune.pruner import Pruner


@dataclass(frozen=True, repr=False)
class CostComplexity(Pruner):
    """Cost-complexity pruning: a leaf has a price, and a subtree that is not worth its leaves becomes one.

    Give one of the three:

    Parameters
    ----------
    alpha : float, optional
        The price of a leaf in units of impurity, as scikit-learn's ``ccp_alpha``. A higher price gives a smaller tree.
    cp : float, optional
        The price of a leaf in shares of the root's risk (errors, or the criterion's loss), as in rpart: the tree is the
        one that rpart grows at this price, which looks at each son once and gives up early.
    cv : int, optional
        Choose the price by cross-validation with this many folds.
    rule : {"1se", "min"}, default "1se"
        With `cv`: the smallest tree within one standard error of the best, or the best itself.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> full = tw.DecisionTreeClassifier().fit(X, y)
    >>> small = full.pruned(tw.CostComplexity(cp=0.05))
    >>> full.get_n_leaves(), small.get_n_leaves()
    (9, 3)
    """

    alpha: float | None = None
    cp: float | None = None
    cv: int | None = None
    rule: Literal["1se", "min"] = "1se"

    def __repr__(self) -> str:
        if self.cv is not None:
            return f"CostComplexity(cv={self.cv}, rule={self.rule!r})"
        return f"CostComplexity(alpha={self.alpha})" if self.alpha is not None else f"CostComplexity(cp={self.cp})"

    def __post_init__(self) -> None:
        given = [name for name in ("alpha", "cp", "cv") if getattr(self, name) is not None]
        if len(given) != 1:
            raise DataError(f"CostComplexity takes one of alpha, cp and cv; it was given {', '.join(given) or 'none'}.")
        if self.cv is not None and (not isinstance(self.cv, Integral) or self.cv < 2):
            raise DataError(
                f"The 'cv' of CostComplexity must be a whole number of at least 2. Got {self.cv!r} instead."
            )
        price = self.alpha if self.alpha is not None else self.cp
        if price is not None and (isinstance(price, bool) or not isinstance(price, Real)):
            raise DataError(f"The price of a leaf in CostComplexity must be a number. Got {price!r} instead.")
        if price is not None and not price >= 0:
            raise DataError(f"The price of a leaf in CostComplexity must not be negative. Got {price!r} instead.")
        if self.rule not in ("1se", "min"):
            raise DataError(f"The 'rule' of CostComplexity must be '1se' or 'min'. Got {self.rule!r} instead.")

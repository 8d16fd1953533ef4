"""The vocabulary of choices: a Recipe names the parts of an algorithm, a pruner says how its tree is made smaller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from numbers import Integral, Real
from typing import Any, Literal

from treewright.errors import DataError


@dataclass(frozen=True)
class Recipe:
    """What the growing loop is told: criterion, what to do about missing values, and when to stop."""

    criterion: str
    missing: str = "learn"
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    min_variance_share: float = 0.0
    splitter: str | None = None  # None: exact binary splits; otherwise a splitter that reads tables of counts …
    options: Mapping[str, Any] = field(default_factory=dict)  # … and what it wants to know

    def for_core(self) -> dict[str, Any]:
        """The same choices as the core takes them."""
        return {name: value for name, value in asdict(self).items() if name != "min_weight_leaf" or value > 0}


@dataclass(frozen=True, repr=False)
class CostComplexity:
    """Cost-complexity pruning: a leaf has a price, and a subtree that is not worth its leaves becomes one.

    Give one of the three:

    Parameters
    ----------
    alpha : float, optional
        The price of a leaf in units of impurity, as scikit-learn's ``ccp_alpha``. A higher price gives a smaller tree.
    cp : float, optional
        The price of a leaf in shares of the root's risk (errors, or the criterion's loss), as in rpart.
    cv : int, optional
        Choose the price by cross-validation with this many folds.
    rule : {"1se", "min"}, default "1se"
        With `cv`: the smallest tree within one standard error of the best, or the best itself.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> full = tw.DecisionTreeClassifier().fit(X, y)
    >>> small = full.prune(tw.CostComplexity(cp=0.05))
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


Pruner = CostComplexity
PRUNERS: dict[str, type[Pruner]] = {"CostComplexity": CostComplexity}
PRUNER_NAMES = ("cost_complexity", "cost_complexity_cv")  # what `prune=` understands as text


def choose_pruner(choice: Pruner | str | None, ccp_alpha: float) -> Pruner | None:
    """Read a `prune=`: a pruner is itself, a name stands for one, and None prunes only where ccp_alpha asks for it.

    Examples
    --------
    >>> choose_pruner("cost_complexity_cv", 0.0)
    CostComplexity(cv=10, rule='1se')
    >>> choose_pruner("reduced", 0.0)
    Traceback (most recent call last):
    treewright.errors.DataError: 'reduced' is no way of pruning. Choose 'cost_complexity', 'cost_complexity_cv' or a ...
    """
    if isinstance(choice, CostComplexity):
        return choice
    if choice == "cost_complexity_cv":
        return CostComplexity(cv=10)
    if choice == "cost_complexity" or (choice is None and ccp_alpha > 0):
        return CostComplexity(alpha=ccp_alpha)
    if choice is None:
        return None
    names = ", ".join(f"'{name}'" for name in PRUNER_NAMES)
    raise DataError(f"{choice!r} is no way of pruning. Choose {names} or a pruner such as tw.CostComplexity(cp=0.01).")


def pruner_to_json(pruner: Pruner) -> dict[str, Any]:
    """Write a pruner as plain values.

    Examples
    --------
    >>> pruner_to_json(CostComplexity(cv=10))
    {'pruner': 'CostComplexity', 'alpha': None, 'cp': None, 'cv': 10, 'rule': '1se'}
    """
    return {"pruner": type(pruner).__name__, **asdict(pruner)}


def pruner_from_json(saved: dict[str, Any]) -> Pruner:
    """Read a pruner back.

    Examples
    --------
    >>> pruner_from_json({"pruner": "CostComplexity", "alpha": 0.1})
    CostComplexity(alpha=0.1)
    """
    values = dict(saved)
    name = values.pop("pruner", None)
    if not isinstance(name, str) or name not in PRUNERS:
        raise DataError(f"There is no pruner {name!r}. The pruners are: {', '.join(PRUNERS)}.")
    return PRUNERS[name](**values)

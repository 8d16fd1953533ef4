"""From the probability of a class to an answer: the cut-off, and the one that costs least."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest

Floats = NDArray[np.float64]


def find_positive(classes: Any, positive: Any = None) -> int:
    """Give the number of the class that is looked for: of two the second, as scikit-learn has it, or the one named.

    Examples
    --------
    >>> find_positive(["no", "yes"]), find_positive(["no", "yes"], "no")
    (1, 0)
    >>> find_positive(["no", "yes"], "nope")
    Traceback (most recent call last):
    treewright.errors.DataError: There is no class 'nope'. Did you mean 'no'?
    """
    known = list(classes)
    if positive is None:
        return len(known) - 1
    for number, label in enumerate(known):
        if str(label) == str(positive) or (np.ndim(positive) == 0 and label == positive):
            return number
    raise DataError(f"There is no class '{positive}'. {nearest(str(positive), map(str, known))}")


def answers_at(probabilities: Floats, classes: NDArray[Any], positive: int, cut_off: float) -> NDArray[Any]:
    """Answer the positive class wherever its probability is at least the cut-off, else the other of the two.

    Examples
    --------
    >>> answers_at(np.array([[0.7, 0.3], [0.9, 0.1]]), np.array(["no", "yes"]), 1, 0.2).tolist()
    ['yes', 'no']
    """
    if len(classes) != 2:
        raise DataError(f"A cut-off divides two classes, and the model has {len(classes)}. Leave it out.")
    if not 0 <= cut_off <= 1:
        raise DataError(f"A cut-off is a probability between 0 and 1. Got {cut_off} instead.")
    is_positive = probabilities[:, positive] >= cut_off
    return np.asarray(np.where(is_positive, classes[positive], classes[1 - positive]))


@dataclass(frozen=True)
class CutOff:
    """The cut-off at which the answers to some rows cost least.

    `cost` is their mean cost there, `usual_cost` at 0.5; `by_rule` is where the cut-off belongs if probabilities are
    true: the cost of a false positive as a share of both.
    """

    cut_off: float
    cost: float
    usual_cost: float
    by_rule: float


def least_cost(is_positive: NDArray[np.bool_], probability: Floats, costs: Mapping[str, float]) -> CutOff:
    """Try every probability that occurs as the cut-off; of equal costs the one nearest to the rule's.

    Examples
    --------
    >>> truth, said = np.array([True, True, False, False]), np.array([0.9, 0.4, 0.3, 0.1])
    >>> least_cost(truth, said, {"false_positive": 1, "false_negative": 5})
    CutOff(cut_off=0.35, cost=0.0, usual_cost=1.25, by_rule=0.16666666666666666)
    """
    false_positive, false_negative = check_costs(costs)
    rule = false_positive / (false_positive + false_negative)
    values = np.unique(probability)
    cuts = np.concatenate([[0.0], (values[:-1] + values[1:]) / 2, [1.0]])
    ordered, total = np.sort(probability[is_positive]), len(probability)
    others = np.sort(probability[~is_positive])

    def cost_at(cut: Floats) -> Floats:
        missed = np.searchsorted(ordered, cut, side="left")
        alarms = len(others) - np.searchsorted(others, cut, side="left")
        return np.asarray((false_negative * missed + false_positive * alarms) / total)

    found = cost_at(cuts)
    best = cuts[found <= found.min() * (1 + 1e-12)]
    chosen = float(best[np.argmin(np.abs(best - rule))])
    at = cost_at(np.array([chosen, 0.5]))
    return CutOff(round(chosen, 12), float(at[0]), float(at[1]), rule)


def check_costs(costs: Mapping[str, float]) -> tuple[float, float]:
    """Read what a false positive and a false negative cost; the one that is not said costs 1.

    Examples
    --------
    >>> check_costs({"false_negative": 5})
    (1.0, 5.0)
    """
    names = ("false_positive", "false_negative")
    for name, value in costs.items():
        if name not in names:
            raise DataError(f"There is no cost '{name}'. {nearest(name, names)}")
        if not (isinstance(value, int | float) and 0 < value < float("inf")):
            raise DataError(f"The cost of a {name.replace('_', ' ')} must be a number above 0. Got {value!r} instead.")
    return float(costs.get("false_positive", 1)), float(costs.get("false_negative", 1))

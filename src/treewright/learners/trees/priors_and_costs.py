"""Priors and costs of classes, rates of counts: how they come into the splits, the answers and the risk of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import DataError, nearest

# Priors and costs of classes: how they come into the splits, the answers and the risk of a tree.


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassCosts:
    """What the rows of each class count, and what a wrong answer costs.

    `scale` is prior / share of each class; `losses[i, j]` is the cost of answering j where i is true. Splits see the
    weight of a row times `scale` and times all that its class could cost ("altered priors"); a node stores the weight
    times `scale` alone, so that its shares are those under the priors, and answers the class that costs least.
    """

    scale: Floats
    losses: Floats

    @property
    def altered(self) -> Floats:
        """What a row of each class counts in the splits."""
        cost = self.losses.sum(axis=1)
        return np.asarray(self.scale * np.where(cost > 0, cost, 1.0))  # a class that is alone costs nothing

    @property
    def row_losses(self) -> Floats:
        """What each answer costs for one row of each class."""
        return np.asarray(self.scale[:, None] * self.losses)

    def finish(self, tree: _core.Tree) -> _core.Tree:
        """Give the tree as it is stored: weights under the priors, answers of least cost, gains per such weight.

        `weight * gain` is the same as rpart's improvement: altered priors add up to the weight of all rows.
        """
        arrays = dict(tree.arrays())
        altered = self.altered
        node = np.repeat(np.arange(tree.n_nodes), np.diff(arrays["count_start"]))
        per_count = self.scale / altered
        counts = arrays["count_weight"] * per_count[arrays["count_class"]]
        weight = np.bincount(node, weights=counts, minlength=tree.n_nodes).astype(np.float64)
        unit = arrays["weight"][0] / weight[0]
        ratio = np.divide(arrays["weight"] / unit, weight, out=np.ones_like(weight), where=weight > 0)
        for name in ("gain", "improvement", "candidate_improvement"):
            if name in arrays:
                of = ratio if name != "candidate_improvement" else np.repeat(ratio, np.diff(arrays["candidate_start"]))
                arrays[name] = arrays[name] * of
        arrays |= {"count_weight": counts, "weight": weight}
        arrays["prediction"] = cheapest_answers(expected_costs(arrays, self.losses), tree.parent)
        return _core.Tree(arrays, tree.n_columns, tree.n_classes)


_DEAREST = 1e30  # weights times costs, and their squares, are numbers


def expected_costs(arrays: Mapping[str, NDArray[Any]], losses: Floats) -> Floats:
    """What each answer would cost at each node."""
    n_nodes = len(arrays["n_children"])
    node = np.repeat(np.arange(n_nodes), np.diff(arrays["count_start"]))
    costs = np.zeros((n_nodes, len(losses)))
    np.add.at(costs, node, arrays["count_weight"][:, None] * losses[arrays["count_class"]])
    return costs


def cheapest_answers(costs: Floats, parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """The answer that costs least; of equals the one that is cheapest at the nearest ancestor that can tell.

    >>> cheapest_answers(np.array([[2.0, 1.0], [3.0, 3.0]]), np.array([-1, 0], dtype=np.int32)).tolist()
    [1, 1]
    """
    least = costs.min(axis=1, keepdims=True)
    is_least = costs <= least + 1e-12 * np.abs(costs).max(axis=1, keepdims=True)
    answers: NDArray[np.int32] = is_least.argmax(axis=1).astype(np.int32)
    for node in np.flatnonzero(is_least.sum(axis=1) > 1):
        tied, up = np.flatnonzero(is_least[node]), int(parent[node])
        while len(tied) > 1 and up >= 0:
            above = costs[up, tied]
            tied, up = tied[above <= above.min() + 1e-12 * abs(above).max()], int(parent[up])
        answers[node] = tied[0]
    return np.asarray(answers, dtype=np.int32)


def read_costs(
    priors: Any, costs: Any, classes: NDArray[Any], codes: NDArray[np.int32], weights: Floats | None
) -> ClassCosts:
    """Read the parameters `priors` and `costs`; one of them may be None.

    >>> codes = np.array([0, 0, 0, 1], dtype=np.int32)
    >>> read_costs({"no": 0.5, "yes": 0.5}, None, np.array(["no", "yes"]), codes, None).scale.tolist()
    [0.6666666666666666, 2.0]
    """
    losses = read_losses(costs, classes)
    scale = np.ones(len(classes))
    if priors is not None:
        shares = np.bincount(codes, weights=weights, minlength=len(classes)) / (
            len(codes) if weights is None else weights.sum()
        )
        wanted = read_priors(priors, classes)
        scale = np.divide(wanted, shares, out=np.ones(len(classes)), where=shares > 0)
    return ClassCosts(scale, losses)


def read_priors(priors: Any, classes: NDArray[Any]) -> Floats:
    """Give the prior of each class: from a dict by class, or numbers in the order of the classes."""
    names = classes.tolist()
    if isinstance(priors, Mapping):
        for name in priors:
            _refuse_unknown("priors", name, names)
        missing = [name for name in names if name not in priors]
        if missing:
            raise DataError(f"The priors leave out the class {missing[0]!r}. Give a prior for every class.")
        priors = [priors[name] for name in names]
    found = _numbers("priors", priors)
    if found.shape != (len(names),):
        raise DataError(
            f"The priors are {found.size} numbers, but y has {len(names)} classes. Give one for each class."
        )
    if not (found > 1 / _DEAREST).all():
        raise DataError(f"The priors are shares above 0 (and above 1e-30). Got {found.tolist()} instead.")
    if abs(found.sum() - 1) > 1e-6:
        raise DataError(f"The priors must add up to 1. They add up to {found.sum():g}.")
    return np.asarray(found / found.sum())


def read_losses(costs: Any, classes: NDArray[Any]) -> Floats:
    """Give the cost of each answer (columns) where each class is true (rows).

    >>> read_losses({("sick", "well"): 10}, np.array(["sick", "well"])).tolist()
    [[0.0, 10.0], [1.0, 0.0]]
    """
    names = classes.tolist()
    losses = 1.0 - np.eye(len(names))
    if isinstance(costs, Mapping):
        for pair, cost in costs.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise DataError(f"A cost belongs to a pair (truth, answer) of classes. Got {pair!r} in costs instead.")
            for name in pair:
                _refuse_unknown("costs", name, names)
            losses[names.index(pair[0]), names.index(pair[1])] = cost
    elif costs is not None:
        losses = _numbers("costs", costs)
    if losses.shape != (len(names), len(names)):
        shape = " x ".join(map(str, losses.shape))
        raise DataError(
            f"The costs are {shape} numbers, but y has {len(names)} classes. Give a square table: a row for each true "
            "class, a column for each answer, in the order of the sorted classes."
        )
    _refuse_bad_losses(losses, names)
    return losses


def _refuse_bad_losses(losses: Floats, names: list[Any]) -> None:
    if not (np.isfinite(losses).all() and (losses >= 0).all()):
        raise DataError("The costs must be finite numbers of 0 or more.")
    if losses.max() > _DEAREST or losses[losses > 0].min(initial=1.0) < 1 / _DEAREST:
        raise DataError("The costs must be 0, or lie between 1e-30 and 1e30. Multiply all of them by one number.")
    if losses.diagonal().any():
        raise DataError("The costs of right answers, on the diagonal, must be 0.")
    for k in np.flatnonzero(losses.sum(axis=1) == 0) if len(names) > 1 else []:
        raise DataError(f"No answer costs anything where {names[k]!r} is true. Give at least one cost in its row.")


def _refuse_unknown(what: str, name: Any, names: list[Any]) -> None:
    if name not in names:
        raise DataError(f"The {what} name a class {name!r} that y does not have. {nearest(str(name), map(str, names))}")


def _numbers(what: str, values: Any) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"The {what} must be numbers. Got {values!r} instead.") from None


# Rates of counts that are drawn towards the rate of all rows where a node has seen little, as rpart does.


_LEAST_SHRINK = 1e-100  # below, every rate is that of all rows to the last digit


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
        more = max(self.shrink, _LEAST_SHRINK) ** -2
        shrunk = (rate * exposure + more) / (exposure + more / rate[0])
        ratio = np.divide(rate, shrunk, out=np.ones_like(rate), where=rate > 0)
        arrays["impurity"] = arrays["impurity"] + np.maximum(rate * np.log(ratio) - rate + shrunk, 0)
        arrays["value"] = shrunk
        return _core.Tree(arrays, tree.n_columns, tree.n_classes)


# Counts with an exposure: how long, how many, how much a row was at risk of events.


def read_counts(y: Any, n_rows: int) -> tuple[Floats | None, Any]:
    """Take y apart: two columns are exposure and events, anything else is events alone.

    Examples
    --------
    >>> exposure, events = read_counts([[0.5, 1], [2.0, 0]], 2)
    >>> exposure.tolist(), events.tolist()
    ([0.5, 2.0], [1.0, 0.0])
    """
    shape = getattr(y, "shape", None)
    if shape is None and isinstance(y, list | tuple) and len(y) and isinstance(y[0], list | tuple):
        shape = (len(y), len(y[0]))
    if shape is None or len(shape) != 2 or shape[1] != 2:
        return None, y
    try:
        columns = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("Exposure and events must be numbers. Turn the two columns of y into numbers first.") from None
    exposure = np.ascontiguousarray(columns[:, 0])
    bad = ~((exposure > 0) & np.isfinite(exposure))
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(f"Row {row + 1} has an exposure of {exposure[row]}. Exposures are finite numbers above 0.")
    return exposure, np.ascontiguousarray(columns[:, 1])

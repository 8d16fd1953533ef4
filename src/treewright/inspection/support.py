"""What the training rows of a node say, in words, and how sure a counted share is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from treewright.tree.format import mean_text, name_text, rows_text, share_text
from treewright.tree.node import SPREAD_WORD, VALUE_WORD, Node

# How sure is a share that was counted: the Wilson interval.


def wilson_interval(hits: float, trials: float, level: float = 0.95) -> tuple[float, float]:
    """Give the range in which the true share lies, when `hits` of `trials` were right.

    Parameters
    ----------
    hits, trials : float
        How many were right, of how many; weights make fractions. No trials tell nothing: the answer is (0, 1).
    level : float
        How sure the range shall be. Raising it widens the range.

    Examples
    --------
    >>> low, high = wilson_interval(70, 100)
    >>> round(low, 4), round(high, 4)
    (0.6042, 0.7811)
    >>> wilson_interval(10, 10)[1]
    1.0
    """
    if not 0 <= hits <= trials:
        raise ValueError(f"hits must lie between 0 and trials. Got {hits} hits of {trials} trials.")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, without them. Got {level}.")
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = hits / trials
    shrink = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / shrink
    reach = z / shrink * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # At the ends the formula is exact on paper but off by a rounding error in doubles.
    low = 0.0 if hits == 0 else centre - reach
    high = 1.0 if hits == trials else centre + reach
    return low, high


# What the training rows of a node say, in words: how many were of the class, or how their numbers lie.


def answer_text(answer: Any, is_class: bool) -> str:
    """Write a class or a number that is answered; a class that is a number has all of its digits.

    >>> answer_text("lemon", True), answer_text(1.0, True), answer_text(23.41259, False)
    ('lemon', '1.0', '23.41')
    """
    return name_text(answer) if is_class else mean_text(answer)


def support_text(node: Node, answer: Any) -> str:
    """Say what the training rows of a node were.

    >>> from treewright.tree import example_tree
    >>> support_text(example_tree().node(1), "yes"), support_text(example_tree().node(3), "yes")
    ('4 of 4 training rows like it were yes', '4 of 5 training rows like it were yes')
    """
    if node.n == 0:
        return "no training row was like it"
    if node.tree.classes is None:
        return _number_support(node)
    counts = node.counts or {}
    own, total = counts.get(answer, 0.0), sum(counts.values())
    if total != node.n or own != int(own):
        weights = f"{mean_text(own)} of {mean_text(total)}"
        return f"training rows like it ({rows_text(node.n)}) have a weight of {weights} for {name_text(answer)}"
    if node.n == 1:
        return f"the only training row like it was {'' if own else 'not '}{name_text(answer)}"
    return f"{own:,.0f} of {total:,.0f} training rows like it were {name_text(answer)}"


def _number_support(node: Node) -> str:
    criterion = node.tree.criterion or ""
    word = VALUE_WORD.get(criterion, "value")
    have = f"the only training row like it has the {word}" if node.n == 1 else ""
    have = have or f"{rows_text(node.n).replace(' rows', ' training rows')} like it have the {word}"
    spread = SPREAD_WORD.get(criterion)
    said = ""
    if spread is not None and node.n > 1:
        size = math.sqrt(max(node.impurity, 0.0)) if spread == "sd" else node.impurity
        said = f" ({spread} {mean_text(size)})"
    return f"{have} {mean_text(float(node.prediction))}{said}"


@dataclass(frozen=True)
class HeldOut:
    """What rows that had no part in training say about a node.

    `hits` are those with the answered class, `low` and `high` their share with 95 % (Wilson). For numbers `hits` is
    None, and `low` and `high` are the bounds of the middle half.

    Examples
    --------
    >>> HeldOut.of(["yes", "yes", "no"], "yes").text
    '2 of 3 held-out rows like it were yes (67 %; 95 % confidence interval 21 % to 94 %)'
    >>> HeldOut.of([1.0, 2.0, 3.0, 4.0, 5.0], 3.0).text
    '5 held-out rows like it have the mean 3, and the middle half of them lies between 2 and 4'
    """

    n: int
    hits: int | None
    mean: float | None
    low: float
    high: float
    answer: Any

    @classmethod
    def of(cls, truth: Sequence[Any], answer: Any, is_class: bool | None = None) -> HeldOut:
        """Count what the held-out rows were."""
        if isinstance(answer, float) if is_class is None else not is_class:
            numbers = np.asarray(truth, dtype=np.float64)
            if not len(numbers):
                return cls(0, None, None, math.nan, math.nan, answer)
            low, high = np.quantile(numbers, [0.25, 0.75]).tolist()
            return cls(len(numbers), None, float(numbers.mean()), low, high, answer)
        hits = sum(1 for value in truth if value == answer)
        return cls(len(truth), hits, None, *wilson_interval(hits, len(truth)), answer)

    @property
    def text(self) -> str:
        """The sentence about them."""
        if self.n == 0:
            return "no held-out row is like it"
        like = f"{rows_text(self.n).replace(' row', ' held-out row')} like it"
        if self.hits is None:
            have = "has" if self.n == 1 else "have"
            between = f"{mean_text(self.low)} and {mean_text(self.high)}"
            middle = "" if self.n < 4 else f", and the middle half of them lies between {between}"
            return f"{like} {have} the mean {mean_text(self.mean or 0.0)}{middle}"
        sure = f"95 % confidence interval {share_text(self.low)} to {share_text(self.high)}"
        were = "was" if self.n == 1 else "were"
        return f"{self.hits:,} of {like} {were} {name_text(self.answer)} ({share_text(self.hits / self.n)}; {sure})"

    def to_dict(self) -> dict[str, Any]:
        """Give the counts as plain values."""
        if self.hits is None:
            return {"n": self.n, "mean": self.mean, "middle_half": [self.low, self.high]}
        return {"n": self.n, "hits": self.hits, "interval": [self.low, self.high]}

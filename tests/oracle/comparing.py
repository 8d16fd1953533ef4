"""Comparing learners by definition: the corrected test, the area under the ROC curve, F1, the honest score."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gamma, pi, sqrt
from typing import Any


def corrected_t(first: Sequence[float], second: Sequence[float], n_test: int, n_training: int) -> float:
    """t = mean difference / sqrt((1/J + n_test/n_training) · variance of the differences)."""
    differences = [a - b for a, b in zip(first, second, strict=True)]
    count = len(differences)
    mean = sum(differences) / count
    variance = sum((d - mean) ** 2 for d in differences) / (count - 1)
    return mean / sqrt((1 / count + n_test / n_training) * variance)


def two_sided_p(t: float, freedom: int, steps: int = 20_000) -> float:
    """One minus the area of Student's density between -t and t, by Simpson's rule."""
    factor = gamma((freedom + 1) / 2) / (sqrt(freedom * pi) * gamma(freedom / 2))

    def density(x: float) -> float:
        return factor * (1 + x * x / freedom) ** (-(freedom + 1) / 2)

    width = abs(t) / steps
    inner = sum(density(i * width) * (4 if i % 2 else 2) for i in range(1, steps))
    return 1 - 2 * width / 3 * (density(0) + inner + density(abs(t)))


def area_under_curve(positives: Sequence[float], others: Sequence[float]) -> Fraction:
    """The share of pairs in which the positive row has the higher score; equal scores are half a pair."""
    won = sum(Fraction(1) if p > o else Fraction(1, 2) if p == o else Fraction(0) for p in positives for o in others)
    return won / (len(positives) * len(others))


def mean_area(truth: Sequence[Any], scores: Sequence[dict[Any, float]]) -> Fraction | None:
    """The mean over the classes, each against the rest, where there are rows of both."""
    areas = []
    for label in sorted(set(truth) | set(scores[0])):
        inside = [row.get(label, 0.0) for row, true in zip(scores, truth, strict=True) if true == label]
        outside = [row.get(label, 0.0) for row, true in zip(scores, truth, strict=True) if true != label]
        if inside and outside:
            areas.append(area_under_curve(inside, outside))
    return sum(areas, Fraction(0)) / len(areas) if areas else None


def f1(truth: Sequence[Any], said: Sequence[Any], label: Any) -> Fraction:
    """The harmonic mean of precision and recall of a class; 0 where neither exists."""
    both = sum(t == label and s == label for t, s in zip(truth, said, strict=True))
    either = sum(t == label for t in truth) + sum(s == label for s in said)
    return Fraction(2 * both, either) if either else Fraction(0)


def macro_f1(truth: Sequence[Any], said: Sequence[Any]) -> Fraction:
    """The mean over the classes that occur or are predicted."""
    labels = set(truth) | set(said)
    return sum((f1(truth, said, label) for label in labels), Fraction(0)) / len(labels)


def honest_score(scores: Sequence[Sequence[float]]) -> float:
    """For each fold: who is best on all others together (of equals the first), and what does it score on this one?"""
    n_folds, taken = len(scores[0]), []
    for fold in range(n_folds):
        best, best_sum = 0, None
        for candidate, row in enumerate(scores):
            total = sum(row[other] for other in range(n_folds) if other != fold)
            if best_sum is None or total > best_sum:
                best, best_sum = candidate, total
        taken.append(scores[best][fold])
    return sum(taken) / n_folds

"""Upper tails of the chi-square and F distributions as logarithms, which do not underflow."""

from __future__ import annotations

import math

from scipy.stats import chi2
from scipy.stats import f as f_distribution

_SAFE = 1e-200  # chances above it are taken from scipy
_TERMS = 5000


def log_chi_square_tail(statistic: float, degrees: float) -> float:
    """The logarithm of the chance that chi-square is at least `statistic`.

    >>> round(math.exp(log_chi_square_tail(6.6667, 2)), 4), round(log_chi_square_tail(4000.0, 2), 6)
    (0.0357, -2000.0)
    """
    if statistic <= 0:
        return 0.0
    chance = float(chi2.sf(statistic, degrees))
    if chance > _SAFE:
        return math.log(chance)
    # Q(a, x) = exp(-x) x^a / Gamma(a) / continued fraction (Legendre), reckoned from its far end.
    a, x = degrees / 2, statistic / 2
    tail = 0.0
    for k in range(_TERMS, 0, -1):
        tail = k * (a - k) / (x + 2 * k + 1 - a + tail)
    return -x + a * math.log(x) - math.lgamma(a) - math.log(x + 1 - a + tail)


def log_f_tail(statistic: float, between: float, within: float) -> float:
    """The logarithm of the chance that F is at least `statistic`.

    >>> round(math.exp(log_f_tail(18.0, 2, 9)), 6), log_f_tail(math.inf, 2, 9)
    (0.000716, -inf)
    """
    if statistic <= 0:
        return 0.0
    if math.isinf(statistic):
        return -math.inf
    chance = float(f_distribution.sf(statistic, between, within))
    if chance > _SAFE:
        return math.log(chance)
    # The incomplete beta function I_x(within/2, between/2), x = within / (within + between F), as a series in x:
    # x^a / (a B(a, b)) (1 + sum over n of product over i of (i - b) x (a + i - 1) / (i (a + i))).
    x = within / (within + between * statistic)
    a, b = within / 2, between / 2
    term, total = 1.0, 1.0
    for i in range(1, _TERMS):
        term *= (i - b) * x / i
        total += term * a / (a + i)
        if abs(term) < 1e-16 * total:
            break
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return a * math.log(x) - math.log(a) - log_beta + math.log(total)

"""How sure is a share that was counted: the Wilson interval.

The textbook interval a ± 1.96·sqrt(a(1−a)/n) has width zero at a = 1 and can leave [0, 1]; Wilson's does neither.
E. B. Wilson (1927), "Probable inference, the law of succession, and statistical inference", JASA 22, 209-212.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


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

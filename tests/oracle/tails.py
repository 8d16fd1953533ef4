"""Upper tails of the chi-square and F distributions in decimals of many digits, straight from their series.

For whole degrees of freedom the gamma function is a product of halves and, for odd ones, the root of pi.
"""

from __future__ import annotations

from decimal import MIN_EMIN, Decimal, localcontext

# The first 60 decimals of pi.
PI = Decimal("3.141592653589793238462643383279502884197169399375105820974944")


def _gamma_of_half(df: int) -> Decimal:
    """Γ(df / 2).

    >>> _gamma_of_half(8)
    Decimal('6')
    """
    product = Decimal(1) if df % 2 == 0 else PI.sqrt()
    for twice in range(2 if df % 2 == 0 else 1, df, 2):
        product *= Decimal(twice) / 2
    return product


def log_chi_square_tail(statistic: float, df: int) -> float:
    """The logarithm of the upper tail of chi-square: a finite sum, and for odd df the tail of df = 1 added to it.

    Q(a + 1, x) = Q(a, x) + x^a e^-x / Γ(a + 1), from Q(1, x) = e^-x or Q(1/2, x) = erfc(√x).

    >>> round(log_chi_square_tail(3.841459, 1), 5)  # ln 0.05
    -2.99573
    """
    with localcontext() as context:
        context.prec, context.Emin = 50, MIN_EMIN
        x = Decimal(statistic) / 2
        tail = (-x).exp() if df % 2 == 0 else _erfc_of_root(x)
        part = x ** (Decimal(2 - df % 2) / 2) * (-x).exp() / _gamma_of_half(4 - df % 2)
        for twice in range(4 - df % 2, df + 1, 2):
            tail += part
            part *= x / (Decimal(twice) / 2)
        return float(tail.ln())


def _erfc_of_root(x: Decimal) -> Decimal:
    """The complementary error function of √x: its continued fraction from the back, or 1 minus the series of erf."""
    if x > 8:
        value = Decimal(0)
        for k in range(400, 0, -1):
            value = (Decimal(k) / 2) / (x.sqrt() + value)
        return (-x).exp() / PI.sqrt() / (x.sqrt() + value)
    total, part, k = Decimal(1), Decimal(1), 0
    while part > Decimal("1e-55"):
        k += 1
        part *= x / (k + Decimal("0.5"))
        total += part
    return 1 - 2 * (x / PI).sqrt() * (-x).exp() * total


def log_f_tail(statistic: float, df_between: int, df_within: int) -> float:
    """The logarithm of the upper tail of F, by the series of the incomplete beta function, all parts positive.

    >>> round(log_f_tail(18, 2, 9), 4)  # ln 7.15e-4
    -7.2425
    """
    with localcontext() as context:
        context.prec, context.Emin = 50, MIN_EMIN
        a, b = Decimal(df_within) / 2, Decimal(df_between) / 2
        x = df_within / (df_within + df_between * Decimal(statistic))
        total = part = Decimal(1)
        k = 0
        while part > total * Decimal("1e-45"):
            part *= (a + b + k) / (a + 1 + k) * x
            total += part
            k += 1
        beta = _gamma_of_half(df_within) * _gamma_of_half(df_between) / _gamma_of_half(df_within + df_between)
        return float(a * x.ln() + b * (1 - x).ln() + (total / (a * beta)).ln())

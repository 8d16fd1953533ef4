// Upper tails of the chi-square and the F distribution, as natural logarithms. Real tables reach p-values far below the
// smallest double; as logarithms they stay apart, so that the most significant of two perfect columns is still known.
// Relative error of the logarithm below 1e-10, from p = 1 down to p = exp(-1e15) (tests/unit/base/test_tails.py).
#pragma once

namespace tw {

// ln P(X >= statistic) for X chi-square with df degrees of freedom; 0 where df <= 0 (nothing to test: p = 1).
double log_chi_square_tail(double statistic, double df);

// ln P(X >= statistic) for X distributed as F; 0 where one of the degrees of freedom is <= 0; minus infinity for an
// infinite statistic (groups that differ without any spread inside them).
double log_f_tail(double statistic, double df_between, double df_within);

}  // namespace tw

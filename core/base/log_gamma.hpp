// ln |Γ(x)|, from any thread: the C library's lgamma also writes the sign of Γ into a variable that all threads share.
#pragma once

#include <cmath>  // for lgamma, lgamma_r

namespace tw {

inline double log_gamma(double x) {
#if defined(__GLIBC__)
  int sign;
  return ::lgamma_r(x, &sign);
#else
  return std::lgamma(x);
#endif
}

}  // namespace tw

// The largest number of a type that is not above a double: a float x is above t exactly when it is above
// round_down<float>(t).
#pragma once

#include <cmath>   // for nextafter
#include <limits>  // for numeric_limits

namespace tw {

template <class Number>
Number round_down(double x) {
  const auto near = static_cast<Number>(x);
  return static_cast<double>(near) > x ? std::nextafter(near, -std::numeric_limits<Number>::infinity()) : near;
}

}  // namespace tw

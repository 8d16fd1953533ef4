// What one row loses at one answer.
#pragma once

#include <algorithm>  // for max
#include <cmath>      // for abs, log
#include <string>     // for string

namespace tw {

inline double loss_of(const std::string& kind, double truth, double answer) {
  if (kind == "classes") return truth != answer;
  if (kind == "absolute_error") return std::abs(truth - answer);
  if (kind == "poisson") {
    const double rate = std::max(answer, 1e-12);
    return (truth > 0 ? truth * std::log(truth / rate) : 0) - truth + rate;
  }
  return (truth - answer) * (truth - answer);
}

}  // namespace tw

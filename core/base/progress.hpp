// Progress: how far a long fit is. The thread that grows writes, the one that draws the bar reads.
#pragma once

#include <atomic>   // for atomic
#include <cstdint>  // for int64_t
#include <limits>   // for numeric_limits

namespace tw {

struct Progress {
  std::atomic<std::int64_t> done{0};  // trees, or rounds of boosting
  std::atomic<std::int64_t> total{0};
  std::atomic<double> score{std::numeric_limits<double>::quiet_NaN()};  // out-of-bag or held-out, when there is one
};

}  // namespace tw

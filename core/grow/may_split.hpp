// The stop rules that look at a node before any split is searched.
#pragma once

#include <cstdint>  // for int64_t

#include "grow/growing_node.hpp"
#include "grow/recipe.hpp"

namespace tw {

inline bool may_split(const GrowingNode& s, const StopRules& stop) {
  const auto rows = static_cast<std::int64_t>(s.rows);
  return !s.pure && s.depth < stop.max_depth && rows >= stop.min_samples_split && rows >= 2 * stop.min_samples_leaf &&
         rows >= 2 && s.spread > stop.small_spread * double(s.a);
}

}  // namespace tw

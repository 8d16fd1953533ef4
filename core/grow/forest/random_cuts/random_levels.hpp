// A random grouping of levels for extra trees.
#pragma once

#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "base/counted_random.hpp"

namespace tw {

// Chooses a side for every level present, by its own random bit, until both sides have one. Gives the left codes.
inline void random_levels(const std::vector<std::uint32_t>& present, std::uint64_t key,
                          std::vector<std::uint32_t>& left) {
  for (std::uint64_t round = 0;; ++round) {
    const std::uint64_t stream = stream_key({key, round});
    left.clear();
    for (const std::uint32_t code : present)
      if (drawn(stream, code) >> 63) left.push_back(code);
    if (!left.empty() && left.size() < present.size()) return;
  }
}

}  // namespace tw

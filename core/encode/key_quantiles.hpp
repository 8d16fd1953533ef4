// The keys that cut a column into runs of equal numbers of rows, out of all its rows: what a booster splits between
// must not depend on which rows happen to stand where, so no sample of places will do.
//
// Nothing is sorted. The upper halves of the keys are counted; the halves in which a wanted rank falls are looked at
// again by their next eight bits, and these by their last.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int64_t, uint32_t
#include <span>     // for span
#include <vector>   // for vector

#include "base/peers.hpp"

namespace tw {

class KeyQuantiles {
 public:
  // The keys at the ranks n · k / n_runs for k = 1 … n_runs − 1, of n keys in any order; n_runs is at most 256.
  // Peers: they have other keys, and all count.
  static std::vector<std::uint32_t> find(std::span<const std::uint32_t> known, std::uint32_t n_runs,
                                         Peers& peers = Peers::none()) {
    const auto n = static_cast<std::size_t>(peers.sum(static_cast<std::int64_t>(known.size())));
    if (n == 0) return {};
    Counts upper(65536, 0);
    for (const std::uint32_t key : known) ++upper[key >> 16];
    add_those_of(peers, upper);
    std::vector<Place> at;
    for (std::uint32_t k = 1; k < n_runs; ++k) at.push_back({0, n * k / n_runs});
    descend(at, upper);
    std::vector<std::uint32_t> keys(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) keys[i] = at[i].cell << 16;

    std::vector<std::uint8_t> first(65536, 0);  // upper half → group; 0: no rank falls there
    Counts middle = no_counts(at, first);
    for (const std::uint32_t key : known) ++middle[first[key >> 16] * kFan + (key >> 8 & 255)];
    add_those_of(peers, middle);
    enter(at, first, middle, keys, 8);

    std::vector<std::uint8_t> second(kFan * kFan, 0);  // group and middle bits → group
    Counts last = no_counts(at, second);
    for (const std::uint32_t key : known)
      ++last[second[first[key >> 16] * kFan + (key >> 8 & 255)] * kFan + (key & 255)];
    add_those_of(peers, last);
    enter(at, second, last, keys, 0);
    return keys;
  }

 private:
  using Counts = std::vector<std::uint32_t>;
  static constexpr std::size_t kFan = 256;

  // Where a rank falls among cells of so many rows each: the cell, and the rank inside it.
  struct Place {
    std::uint32_t cell;
    std::size_t rank;
  };

  static void add_those_of(Peers& peers, Counts& counts) {
    if (!peers.any()) return;
    std::vector<std::int64_t> all(counts.begin(), counts.end());
    peers.add(all);
    counts.assign(all.begin(), all.end());
  }

  // Ranks ascend, so one walk over the cells places all of them.
  static void descend(std::span<Place> at, std::span<const std::uint32_t> counts) {
    std::size_t before = 0, cell = 0;
    for (Place& place : at) {
      while (cell + 1 < counts.size() && before + counts[cell] <= place.rank) before += counts[cell++];
      place = {static_cast<std::uint32_t>(cell), place.rank - before};
    }
  }

  // Numbers the cells that ranks fall into, from 1 on; gives room to count the rows of each by their next eight bits.
  static Counts no_counts(std::span<const Place> at, std::vector<std::uint8_t>& group) {
    std::uint32_t n_groups = 0;
    for (const Place& place : at)
      if (group[place.cell] == 0) group[place.cell] = static_cast<std::uint8_t>(++n_groups);
    return Counts((n_groups + 1) * kFan, 0);
  }

  // Goes from each cell into the one below it: `at` then has its place among all groups, `keys` eight more bits.
  static void enter(std::span<Place> at, const std::vector<std::uint8_t>& group, const Counts& counts,
                    std::span<std::uint32_t> keys, int shift) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::size_t own = group[at[i].cell];
      descend(at.subspan(i, 1), std::span(counts).subspan(own * kFan, kFan));
      keys[i] |= at[i].cell << shift;
      at[i].cell += static_cast<std::uint32_t>(own * kFan);
    }
  }
};

}  // namespace tw

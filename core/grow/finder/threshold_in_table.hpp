// Finds the best threshold of an ordered column from its table of bucket counts: exact splits at histogram price.
//
// First the cuts at bucket edges are scored. Then every bucket asks whether a cut inside it could still win (the corner
// bound of TwoSides); mostly a handful can, and only their rows are looked at, in order (after CLOUDS: Alsabti, Ranka
// and Singh 1998).
#pragma once

#include <array>   // for array
#include <vector>  // for vector

#include "base/radix_sort.hpp"
#include "grow/candidate.hpp"
#include "grow/finder/threshold_in_list.hpp"
#include "grow/finder/two_sides.hpp"
#include "grow/node_payload.hpp"
#include "table/column.hpp"

namespace tw {

template <class Criterion>
void find_edge(const CountTable& table, const PairView& view, const Criterion& criterion, std::int32_t column,
               Best& best) {
  const PairSum& missing = table[0];
  const std::uint32_t n_known = view.total.rows - missing.rows;
  for_each_placement(view, missing, criterion, [&](const TwoSides<Criterion>& sides) {
    PairSum left = sides.start;
    std::uint32_t known = 0;
    for (std::uint32_t bucket = 1; bucket + 1 < table.size(); ++bucket) {
      if (table[bucket].rows == 0) continue;
      left += table[bucket];
      known += table[bucket].rows;
      if (known == n_known || !sides.allowed(left.rows)) continue;
      const double score = sides.score(left);
      if (score >= best.reach() && best.offer(score, column, known, sides.missing_left)) {
        best.get().kind = CutKind::threshold;
        best.get().edge_bucket = bucket;
      }
    }
  });
  offer_known_or_missing(view, missing, criterion, column, CutKind::threshold, n_known, best);
}

// Marks the buckets inside which a cut could reach `reach`; false when there is none.
template <class Criterion>
bool mark_open_buckets(const CountTable& table, const PairView& view, const Criterion& criterion, double reach,
                       std::array<bool, 256>& open) {
  open.fill(false);
  bool any = false;
  for_each_placement(view, table[0], criterion, [&](const TwoSides<Criterion>& sides) {
    PairSum left = sides.start;
    for (std::uint32_t bucket = 1; bucket < table.size(); ++bucket) {
      const PairSum& cell = table[bucket];
      if (cell.rows > 1) {
        const double bound = sides.corner_bound(double(left.a), double(left.b), double(cell.a), double(cell.b), view.node);
        if (bound + 1e-9 * std::abs(bound) >= reach) open[bucket] = any = true;
      }
      left += cell;
    }
  });
  return any;
}

// Scores the cuts inside the open buckets. words: (code, place in the node) of their rows, sorted by code.
// bucket_of tells the bucket of a place.
template <class Criterion, class Payload, class BucketOf>
void find_inside(const std::uint64_t* words, std::size_t n, const CountTable& table, BucketOf bucket_of,
                 const NodePayload<Payload>& payload, const PairView& view, const Criterion& criterion, std::int32_t c,
                 Best& best) {
  for_each_placement(view, table[0], criterion, [&](const TwoSides<Criterion>& sides) {
    PairSum before = sides.start;  // everything left of the bucket
    std::uint32_t known_before = 0, bucket = 1;
    for (std::size_t i = 0; i < n;) {
      const std::uint32_t here = bucket_of(static_cast<std::uint32_t>(words[i]));
      for (; bucket < here; ++bucket) before += table[bucket], known_before += table[bucket].rows;
      PairSum left = before;
      const std::size_t end = i + table[here].rows;
      for (std::uint32_t known = known_before + 1; i < end; ++i, ++known) {
        left += payload.at(static_cast<std::uint32_t>(words[i]));
        if (i + 1 == end || (words[i] >> 32) == (words[i + 1] >> 32) || !sides.allowed(left.rows)) continue;
        const double score = sides.score(left);
        if (score >= best.reach() && best.offer(score, c, known, sides.missing_left)) {
          best.get().kind = CutKind::threshold;
          best.get().last_left_code = static_cast<std::uint32_t>(words[i] >> 32);
        }
      }
    }
  });
}

}  // namespace tw

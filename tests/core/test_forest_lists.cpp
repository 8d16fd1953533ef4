// The loops over sorted lists that forests are grown by.
#include <algorithm>  // for max, sort
#include <cmath>      // for abs, floor
#include <vector>     // for vector

#include "check.hpp"
#include "draws.hpp"
#include "grow/forest/lists/block_lists.hpp"
#include "grow/forest/lists/key_lanes.hpp"
#include "grow/forest/lists/list_scan.hpp"

namespace tw::tests {

TEST(the_largest_score_of_a_list_is_found) {
  Draws draw(31);
  for (int repeat = 0; repeat < 600; ++repeat) {
    const std::uint32_t n = 2 + draw.below(repeat % 20 ? 200 : 3000), n_codes = draw.coin() ? 65535 : 1 + draw.below(9);
    std::vector<std::uint32_t> list;
    std::vector<std::int64_t> packed(n);
    std::int64_t whole = 0;
    for (std::uint32_t row = 0; row < n; ++row) {
      list.push_back(make_word<std::uint32_t>(1 + draw.below(n_codes), row));
      const std::int64_t distance = static_cast<std::int64_t>(draw.below(1u << 30)) - (1 << 29),
                         weight = 1 + draw.below(4);
      packed[row] = packed_row(distance, weight), whole += weight;
    }
    std::sort(list.begin(), list.end());
    const std::uint32_t first = draw.below(n), last = first + draw.below(n - first);
    double wanted = 0, sum = 0, weights = 0;
    for (std::uint32_t i = 0; i < last; ++i) {
      const std::int64_t word = packed[row_of(list[i])];
      sum += static_cast<double>(word >> kListWeightBits);
      weights += static_cast<double>(word & (kMostListWeight - 1));
      if (i < first || rank_of(list[i]) == rank_of(list[i + 1])) continue;
      const double units = std::floor(sum / 256);
      wanted = std::max(wanted, units * units / (weights * (static_cast<double>(whole) - weights)));
    }
    at_every_level([&] {
      const float got = largest_score(list.data(), packed.data(), first, last, static_cast<float>(whole));
      CHECK(std::abs(got - wanted) <= 1e-6 * wanted);
    });
  }
}

TEST(lists_of_a_block_are_sorted_and_stay_so_when_divided) {
  Draws draw(32);
  for (int repeat = 0; repeat < 150; ++repeat) {
    const std::uint32_t n = draw.size_up_to(repeat % 10 ? 150 : 2000), n_columns = 1 + draw.below(4);
    std::vector<ForestColumn> columns(n_columns);
    columns[0].kind = draw.coin() ? Kind::nominal : Kind::ordinal;
    const auto codes = draw.numbers_below<std::uint16_t>(draw.coin() ? 65536 : 7, std::size_t{n} * n_columns);
    std::vector<std::uint32_t> rows, others, goes_right(n, 0);
    for (std::uint32_t row = 0; row < n; ++row) {
      goes_right[row] = draw.coin(3);
      (goes_right[row] ? others : rows).push_back(row);
    }
    const auto n_left = static_cast<std::uint32_t>(rows.size());
    rows.insert(rows.end(), others.begin(), others.end());
    at_every_level([&] {
      BlockLists lists;
      lists.fill(codes.data(), n_columns, n, columns);
      lists.divide(0, n, n_left, rows.data(), Part::both);
      for (std::uint32_t c = 0; c < n_columns; ++c) {
        CHECK(lists.has_list(c) == columns[c].ordered());
        if (!lists.has_list(c)) continue;
        std::vector<std::uint32_t> wanted;
        for (const std::uint32_t side : {0u, 1u}) {
          const std::size_t begin = wanted.size();
          for (std::uint32_t row = 0; row < n; ++row)
            if (goes_right[row] == side) wanted.push_back(make_word<std::uint32_t>(codes[row * n_columns + c], row));
          std::sort(wanted.begin() + static_cast<std::ptrdiff_t>(begin), wanted.end());
        }
        CHECK(std::equal(wanted.begin(), wanted.end(), lists.list(c, 0)));
      }
    });
  }
}

TEST(keys_in_lanes_are_sorted_and_scored) {
  Draws draw(33);
  for (int repeat = 0; repeat < 1500; ++repeat) {
    const std::uint32_t n = 2 + draw.below(kMostKeyRows - 1), n_codes = draw.coin() ? 65536 : 1 + draw.below(5);
    KeyLanes given;
    given.n_rows = n, given.n_groups = 1 + draw.below(kMostKeyGroups);
    std::int32_t words[kMostKeyRows] = {}, whole = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::int32_t weight = 1 + static_cast<std::int32_t>(draw.below(3));
      words[i] = (static_cast<std::int32_t>(draw.below(1 << 18)) - (1 << 17)) * kMostKeyWeight + weight;
      whole += weight;
      for (std::uint32_t k = 0; k < kMostKeyLanes; ++k) given.keys[i][k] = draw.below(n_codes) << 16 | i;
    }
    const std::uint32_t first = draw.below(n), last = first + draw.below(n - first);
    at_every_level([&] {
      KeyLanes got = given;
      sort_keys(got);
      score_keys(got, words, first, last, static_cast<float>(whole));
      for (std::uint32_t k = 0; k < given.n_groups * kKeyLanes; ++k) {
        std::vector<std::uint32_t> wanted;
        for (std::uint32_t i = 0; i < n; ++i) wanted.push_back(given.keys[i][k]);
        std::sort(wanted.begin(), wanted.end());
        double largest = 0, distance = 0, weight = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
          CHECK(got.keys[i][k] == wanted[i]);
          distance += words[wanted[i] & 31] >> kKeyWeightBits, weight += words[wanted[i] & 31] & (kMostKeyWeight - 1);
          if (i < first || i >= last || wanted[i] >> 16 == wanted[i + 1] >> 16) continue;
          largest = std::max(largest, distance * distance / (weight * (whole - weight)));
        }
        CHECK(std::abs(got.largest[k] - largest) <= 1e-6 * largest);
      }
    });
  }
}

}  // namespace tw::tests

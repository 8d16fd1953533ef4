// Quantiles of keys found by counting, compared with those of the sorted keys.
#include <algorithm>  // for sort

#include "check.hpp"
#include "draws.hpp"
#include "encode/key_quantiles.hpp"

namespace tw::tests {
namespace {

// Keys that differ in all their bits, in the lower ones only, in the upper ones only, or not at all.
std::vector<std::uint32_t> some_keys(Draws& draw, std::uint32_t n, int kind) {
  std::vector<std::uint32_t> keys(n);
  for (std::uint32_t& key : keys) {
    const auto word = static_cast<std::uint32_t>(draw.word() >> 32);
    const std::uint32_t kinds[] = {word, 0x3f800000u | (word & 0x1ffu), word & 0x3f000000u, 0x3f800000u};
    key = kinds[kind];
  }
  return keys;
}

}  // namespace

TEST(quantiles_of_keys_are_those_of_the_sorted_keys) {
  Draws draw(17);
  for (const std::uint32_t n : {0u, 1u, 2u, 20u, 300u, 5000u, 70000u})
    for (int kind = 0; kind < 4; ++kind)
      for (const std::uint32_t n_runs : {2u, 3u, 255u, 256u}) {
        const std::vector<std::uint32_t> keys = some_keys(draw, n, kind);
        std::vector<std::uint32_t> sorted = keys, wanted;
        std::sort(sorted.begin(), sorted.end());
        for (std::uint32_t k = 1; k < n_runs && n > 0; ++k) wanted.push_back(sorted[std::size_t{n} * k / n_runs]);
        CHECK(KeyQuantiles::find(keys, n_runs) == wanted);
      }
}

}  // namespace tw::tests

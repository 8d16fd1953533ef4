// Sorting by keys, compared with the standard library's.
#include <algorithm>  // for sort, stable_sort

#include "base/radix_sort.hpp"
#include "check.hpp"
#include "draws.hpp"

namespace tw::tests {
namespace {

// Sizes on both sides of where the way of sorting changes.
constexpr std::uint32_t kSizes[] = {1, 2, 47, 48, 49, 100, 1000, 2047, 2048, 4095, 4096, 6000};

std::uint32_t a_key(Draws& draw, int bits, bool few) {
  const auto word = static_cast<std::uint32_t>(draw.word() >> (64 - bits));
  return few ? word & 0x80000003u & static_cast<std::uint32_t>((1ull << bits) - 1) : word;
}

}  // namespace

TEST(radix_sort_is_a_stable_sort_by_the_upper_half) {
  Draws draw(5);
  for (const std::uint32_t n : kSizes)
    for (int bits = 1; bits <= 32; bits += 1 + draw.below(4))
      for (const bool few : {false, true}) {
        std::vector<std::uint64_t> words(n), other(n);
        for (std::uint32_t i = 0; i < n; ++i) words[i] = std::uint64_t{a_key(draw, bits, few)} << 32 | i;
        std::vector<std::uint64_t> wanted = words;
        std::stable_sort(wanted.begin(), wanted.end(), [](auto a, auto b) { return a >> 32 < b >> 32; });
        const std::uint64_t* got = radix_sort(words.data(), other.data(), n, bits);
        CHECK(std::equal(wanted.begin(), wanted.end(), got));
      }
}

TEST(sort_keys_gives_keys_and_places_in_ascending_order) {
  Draws draw(6);
  for (const std::uint32_t n : kSizes)
    for (int bits = 1; bits <= 32; bits += 1 + draw.below(4))
      for (const bool few : {false, true}) {
        std::vector<std::uint32_t> keys(n);
        for (std::uint32_t& key : keys) key = a_key(draw, bits, few);
        const KeyRange range = range_of(keys.data(), n);
        CHECK(range.lowest == *std::min_element(keys.begin(), keys.end()));
        CHECK(range.highest == *std::max_element(keys.begin(), keys.end()));
        std::vector<std::uint64_t> wanted(n);
        for (std::uint32_t i = 0; i < n; ++i) wanted[i] = std::uint64_t{keys[i] - range.lowest} << 32 | i;
        std::sort(wanted.begin(), wanted.end());
        RadixScratch scratch{std::vector<std::uint64_t>(n), std::vector<std::uint64_t>(n)};
        CHECK(std::equal(wanted.begin(), wanted.end(), sort_keys(keys.data(), n, range, scratch)));
      }
}

TEST(bits_for_is_the_length_of_the_largest_key) {
  CHECK(bits_for(0) == 1 && bits_for(1) == 1 && bits_for(2) == 2 && bits_for(255) == 8 && bits_for(256) == 9);
  CHECK(bits_for(0x7fffffff) == 31 && bits_for(0x80000000u) == 32 && bits_for(0xffffffffu) == 32);
}

}  // namespace tw::tests

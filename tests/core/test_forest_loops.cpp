// The loops over codes that forests are grown by.
#include <algorithm>  // for max, min

#include "check.hpp"
#include "draws.hpp"
#include "grow/forest/all_pairs.hpp"
#include "grow/forest/forest_codes.hpp"
#include "grow/forest/gather_codes.hpp"

namespace tw::tests {
namespace {

// Codes of which many are missing, the largest there is, or alike.
std::vector<std::uint16_t> some_codes(Draws& draw, std::size_t n) {
  const std::uint32_t bound = draw.coin() ? 65536 : 1 + draw.below(40);
  auto codes = draw.numbers_below<std::uint16_t>(bound, n);
  if (draw.coin())
    for (std::uint16_t& code : codes) code = draw.coin(4) ? 0 : draw.coin(16) ? 65535 : code;
  return codes;
}

// Drawn up to 500 times, and the class.
std::vector<std::uint16_t> some_words(Draws& draw, std::size_t n) {
  auto words = draw.numbers_below<std::uint16_t>(1002, n);
  for (std::size_t i = 0; i < n; i += 1 + draw.below(8)) words[i] = 1001;
  return words;
}

template <class T>
std::vector<T> padded(std::vector<T> numbers) {
  numbers.resize(kPairsRoom);
  return numbers;
}

}  // namespace

TEST(small_nodes_are_summed_up_to_every_code) {
  Draws draw(10);
  for (int repeat = 0; repeat < 1500; ++repeat) {
    const std::uint32_t n = draw.size_up_to(kMostPairs), bound = draw.coin() ? 70000 : 5;
    const auto code = padded(draw.numbers_below<std::uint32_t>(bound, n));
    const auto word = padded(draw.numbers_below<std::uint32_t>(1 << 24, n));
    std::vector<std::uint32_t> wanted(n, 0);
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < n; ++j) wanted[i] += code[j] <= code[i] ? word[j] : 0;
    at_every_level([&] {
      std::vector<std::uint32_t> got(kPairsRoom);
      sums_up_to(code.data(), word.data(), n, got.data());
      CHECK(std::equal(wanted.begin(), wanted.end(), got.begin()));
    });
  }
}

TEST(small_nodes_are_summed_in_64_bits) {
  Draws draw(11);
  for (int repeat = 0; repeat < 1500; ++repeat) {
    const std::uint32_t n = draw.size_up_to(kMostWidePairs), bound = draw.coin() ? 0xffffffffu : 5;
    const auto code = padded(draw.numbers_below<std::uint32_t>(bound, n));
    std::vector<std::int64_t> first(kPairsRoom), second(kPairsRoom), wanted(n, 0), wanted_second(n, 0);
    for (std::uint32_t i = 0; i < n; ++i)
      first[i] = static_cast<std::int64_t>(draw.word()) >> 8, second[i] = static_cast<std::int64_t>(draw.word()) >> 8;
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < n; ++j)
        if (code[j] <= code[i]) wanted[i] += first[j], wanted_second[i] += second[j];
    at_every_level([&] {
      std::vector<std::int64_t> got(kPairsRoom), got_second(kPairsRoom);
      sums_up_to(code.data(), first.data(), second.data(), n, got.data(), got_second.data());
      CHECK(std::equal(wanted.begin(), wanted.end(), got.begin()));
      CHECK(std::equal(wanted_second.begin(), wanted_second.end(), got_second.begin()));
    });
  }
}

TEST(ranks_are_how_many_words_are_smaller) {
  Draws draw(12);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const std::uint32_t n = draw.size_up_to(kMostPairs);
    auto word = padded(std::vector<std::uint32_t>{});
    for (std::uint32_t i = 0; i < n; ++i) word[i] = draw.below(1u << 24) << 8 | i;  // all differ
    std::vector<std::uint32_t> wanted(n, 0);
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < n; ++j) wanted[i] += word[j] < word[i];
    at_every_level([&] {
      std::vector<std::uint32_t> got(kPairsRoom);
      ranks_of(word.data(), n, got.data());
      CHECK(std::equal(wanted.begin(), wanted.end(), got.begin()));
    });
  }
}

TEST(draws_and_classes_are_counted_up_to_a_cut) {
  Draws draw(13);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const std::uint32_t n = repeat % 50 ? draw.size_up_to(200) : draw.size_up_to(5000), cut = 1 + draw.below(65535);
    const auto codes = some_codes(draw, n + kSlack), words = some_words(draw, n + kSlack);
    CountSums wanted{0, 0, 0};
    for (std::uint32_t i = 0; i < n; ++i)
      if (codes[i] >= 1 && codes[i] <= cut)
        wanted.a += words[i] >> 1, wanted.b += words[i] & 1 ? words[i] >> 1 : 0, ++wanted.rows;
    at_every_level([&] {
      const CountSums got = counts_up_to(codes.data(), words.data(), n, cut);
      CHECK(got.a == wanted.a && got.b == wanted.b && got.rows == wanted.rows);
    });
  }
}

TEST(cuts_of_small_nodes_have_their_score) {
  Draws draw(14);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const std::uint32_t n = draw.size_up_to(kMostPairs);
    const auto words = draw.numbers_below<std::uint32_t>(1ull << 32, n);
    const auto codes = draw.numbers_below<std::uint32_t>(8, n);
    const double mean = draw.between(0, 1), whole = 70000;
    at_every_level([&] {
      std::vector<double> a(n), b(n), scores(n);
      halves_of(words.data(), n, a.data(), b.data());
      const double largest = quadratic_scores({a.data(), b.data(), codes.data(), n, 7}, mean, whole, scores.data());
      double wanted_largest = -1;
      for (std::uint32_t i = 0; i < n; ++i) {
        CHECK(a[i] == double(words[i] & 0xffff) && b[i] == double(words[i] >> 16));
        volatile double share = mean * a[i];  // rounded before it is taken off
        const double d = b[i] - share, wanted = d * d / (a[i] * (whole - a[i]));
        const bool is_cut = codes[i] >= 1 && codes[i] < 7 && a[i] > 0;
        CHECK(scores[i] == (is_cut ? wanted : -1));
        wanted_largest = std::max(wanted_largest, scores[i]);
      }
      CHECK(largest == wanted_largest);
    });
  }
}

TEST(the_range_of_codes_leaves_missing_out) {
  Draws draw(15);
  for (int repeat = 0; repeat < 3000; ++repeat) {
    const std::uint32_t n = draw.size_up_to(150);
    const auto codes = some_codes(draw, n);
    std::uint32_t lowest = 65536, highest = 0;
    bool missing = false;
    for (const std::uint32_t code : codes)
      if (code == 0)
        missing = true;
      else
        lowest = std::min(lowest, code), highest = std::max(highest, code);
    at_every_level([&] {
      const CodeRange got = known_range(codes.data(), n);
      CHECK(got.lowest == lowest && got.highest == highest && got.has_missing == missing);
    });
  }
}

TEST(codes_beside_a_cut_are_found) {
  Draws draw(16);
  for (int repeat = 0; repeat < 3000; ++repeat) {
    const std::uint32_t n = draw.size_up_to(150), low = draw.below(65535);
    const auto codes = some_codes(draw, n);
    std::uint32_t left = 0, right = 0xffff;
    for (const std::uint32_t code : codes) {
      if (code <= low) left = std::max(left, code);
      if (code > low) right = std::min(right, code);
    }
    at_every_level([&] {
      const CodesBeside got = codes_beside(codes.data(), n, low);
      CHECK(got.left == left && got.right == right);
    });
  }
}

TEST(codes_of_rows_are_gathered) {
  Draws draw(18);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const std::uint32_t n_rows = draw.size_up_to(500), n = draw.size_up_to(300);
    const auto codes = draw.numbers_below<std::uint16_t>(65536, n_rows + 1);
    const auto rows = draw.numbers_below<std::uint32_t>(n_rows, n);
    at_every_level([&] {
      std::vector<std::uint16_t> got(n);
      gather_codes(codes.data(), rows.data(), n, got.data());
      for (std::uint32_t i = 0; i < n; ++i) CHECK(got[i] == codes[rows[i]]);
    });
  }
}

}  // namespace tw::tests

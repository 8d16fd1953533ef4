// The loops over sorted lists of a block: dividing, scanning, counting.
#include <algorithm>  // for copy_if, count_if, equal

#include "check.hpp"
#include "draws.hpp"
#include "grow/exact/lists.hpp"
#include "grow/exact/scan_counts.hpp"
#include "grow/lists/divide_list.hpp"

namespace tw::tests {
namespace {

// What a list is after its division, by definition.
template <class Word, class Marked>
std::vector<Word> divided(const std::vector<Word>& list, Marked marked, bool marked_first) {
  std::vector<Word> wanted;
  for (const bool part : {marked_first, !marked_first})
    std::copy_if(list.begin(), list.end(), std::back_inserter(wanted), [&](Word w) { return marked(w) == part; });
  return wanted;
}

template <class Word>
std::vector<Word> some_list(Draws& draw, std::uint32_t n_rows) {
  std::vector<Word> list(draw.below(n_rows + 1));
  for (Word& word : list) word = make_word<Word>(draw.below(65536), draw.below(n_rows));
  return list;
}

void compare_divided_by_bits(Draws& draw) {
  using Word = std::uint64_t;
  const std::uint32_t n_rows = draw.size_up_to(400);
  const auto bits = draw.numbers_below<std::uint32_t>(1ull << 32, n_rows / 32 + 1);
  const auto list = some_list<Word>(draw, n_rows);
  const auto marked = [&](Word word) { return (bits[row_of(word) / 32] >> row_of(word) % 32 & 1) != 0; };
  for (const bool marked_first : {false, true}) {
    std::vector<Word> got = list, spare(list.size() + 16);
    divide_list(got.data(), list.size(), bits.data(), marked_first, spare.data());
    CHECK(got == divided(list, marked, marked_first));
  }
}

void compare_divided_by_bytes(Draws& draw) {
  using Word = std::uint32_t;
  const std::uint32_t n_rows = draw.size_up_to(400);
  const auto marks = draw.numbers_below<std::uint8_t>(2, n_rows);
  const auto list = some_list<Word>(draw, n_rows);
  const auto marked = [&](Word word) { return marks[row_of(word)] != 0; };
  for (const bool marked_first : {false, true}) {
    const auto wanted = divided(list, marked, marked_first);
    const auto n_first = static_cast<std::size_t>(
        std::count_if(list.begin(), list.end(), [&](Word w) { return marked(w) == marked_first; }));
    at_every_level([&] {
      for (const Part part : {Part::both, Part::first, Part::second}) {
        std::vector<Word> got = list, spare(list.size() + 16);
        got.push_back(12345);  // must stay as it is
        divide_list(got.data(), list.size(), n_first, marks.data(), marked_first, part, spare.data());
        CHECK(got.back() == 12345);
        if (part != Part::second) CHECK(std::equal(wanted.begin(), wanted.begin() + n_first, got.begin()));
        if (part != Part::first) CHECK(std::equal(wanted.begin() + n_first, wanted.end(), got.begin() + n_first));
      }
    });
  }
}

// Few different rows half of the time, so that some are exactly the first of class 1.
std::uint32_t bound_of_rows(Draws& draw) { return draw.coin() ? 65536 : 20; }

std::vector<std::uint32_t> some_words(Draws& draw, std::uint32_t bound, std::size_t n) {
  std::vector<std::uint32_t> words(n);
  for (std::uint32_t& word : words) word = make_word<std::uint32_t>(draw.below(65536), draw.below(bound));
  return words;
}

CountHits hits_one_by_one(const std::vector<std::uint32_t>& words, const CountScan& scan) {
  CountHits hits;
  for (std::size_t i = 0; i < words.size(); ++i) {
    double a = scan.a, b = scan.b;
    for (std::size_t j = 0; j <= i; ++j) a += 1, b += row_of(words[j]) >= scan.n_class_0;
    const double d = b - scan.mean * a;
    if (row_of(words[i]) >= scan.n_class_0) hits.class_1 |= 1u << i;
    if (scan.quadratic * d * d >= scan.level * a * (scan.whole - a)) hits.may_reach |= 1u << i;
  }
  return hits;
}

}  // namespace

TEST(lists_are_divided_stably) {
  Draws draw(7);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    compare_divided_by_bits(draw);
    compare_divided_by_bytes(draw);
  }
}

TEST(scans_find_the_cuts_that_may_reach_the_goal) {
  Draws draw(8);
  for (int repeat = 0; repeat < 5000; ++repeat) {
    const std::uint32_t bound = bound_of_rows(draw);
    const auto words = some_words(draw, bound, draw.size_up_to(16));
    CountScan scan;
    scan.n_class_0 = draw.below(bound);
    scan.a = draw.below(1000), scan.b = draw.below(static_cast<std::uint64_t>(scan.a) + 1);
    scan.whole = scan.a + 16 + draw.below(500), scan.mean = draw.between(0, 1);
    scan.quadratic = draw.between(0, 4), scan.level = draw.between(0, 1e-2) * draw.between(0, 1);
    if (draw.coin(4)) scan.mean = 0.5, scan.quadratic = 2, scan.level = 0;  // where b is half of a, both sides are 0
    const CountHits wanted = hits_one_by_one(words, scan);
    at_every_level([&] {
      const CountHits got = scan_counts(words.data(), static_cast<std::uint32_t>(words.size()), scan);
      CHECK(got.may_reach == wanted.may_reach);
      CHECK(got.class_1 == wanted.class_1);
    });
  }
}

TEST(strides_are_counted) {
  Draws draw(9);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const std::uint32_t bound = bound_of_rows(draw), n_strides = draw.size_up_to(20), n_class_0 = draw.below(bound);
    const auto list = some_words(draw, bound, n_strides * kStride);
    std::vector<std::uint8_t> wanted(n_strides, 0);
    for (std::size_t i = 0; i < list.size(); ++i) wanted[i / kStride] += row_of(list[i]) >= n_class_0;
    at_every_level([&] {
      std::vector<std::uint8_t> got(n_strides);
      count_class_1(list.data(), n_strides, n_class_0, got.data());
      CHECK(got == wanted);
    });
  }
}

}  // namespace tw::tests

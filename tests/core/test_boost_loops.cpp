// The loops of boosting: the scan of cuts, and dividing rows.
#include <algorithm>  // for sort

#include "check.hpp"
#include "draws.hpp"
#include "grow/boost/cut_scan.hpp"
#include "grow/boost/divide_rows.hpp"

namespace tw::tests {
namespace {

PackedWord word_of(std::int64_t gradient, std::int64_t hessian, PackedWord*) {
  return gradient * (1ll << 32) + hessian;
}
DoubleWord word_of(std::int64_t gradient, std::int64_t hessian, DoubleWord*) { return {gradient, hessian}; }

struct Cut {
  std::uint32_t place;
  GradientSum left;

  bool operator==(const Cut& other) const {
    return place == other.place && left.gradient == other.left.gradient && left.hessian == other.left.hessian;
  }
};

// The cuts whose score is above the bar, by a/b > bar with a and b as the head of cut_scan.hpp says.
std::vector<Cut> cuts_above(const std::vector<GradientSum>& bins, const GradientSum& base, const NodeSides& node,
                            double bar) {
  std::vector<Cut> cuts;
  GradientSum left = base;
  for (std::uint32_t i = 0; i < bins.size(); ++i) {
    left = left + bins[i];
    const GradientSum right = node.whole - left;
    const auto gl = double(left.gradient), gr = double(right.gradient);
    const auto hl = double(left.hessian), hr = double(right.hessian);
    volatile double a_left = gl * gl * (hr + node.l2), a_right = gr * gr * (hl + node.l2);
    volatile double b = bar * ((hl + node.l2) * (hr + node.l2));
    if (a_left + a_right > b && hl >= node.least && hr >= node.least) cuts.push_back({i, left});
  }
  return cuts;
}

// The scan may stop at groups that hold nothing, but never pass one that holds a cut above the bar.
template <class Word>
std::vector<Cut> cuts_found(const std::vector<Word>& line, const GradientSum& base, const NodeSides& node, double bar) {
  std::vector<Cut> cuts;
  RunningSums<Word> sums;
  sums.add_up(line.data(), static_cast<std::uint32_t>(line.size()));
  CutScan<Word> scan(sums, base, node);
  while (scan.next(bar))
    for (std::uint32_t cut = scan.first(); cut < scan.end(); ++cut)
      if (const GradientSum left = base + sums[cut]; node.is_above(left, bar)) cuts.push_back({cut, left});
  return cuts;
}

template <class Word>
void compare_cuts(Draws& draw) {
  const std::uint32_t n = draw.size_up_to(300), reach = draw.coin() ? 200000 : 3;
  const auto a_bin = [&] { return GradientSum{std::int64_t{draw.below(2 * reach)} - reach, draw.below(reach)}; };
  const GradientSum base = draw.coin() ? a_bin() : GradientSum{};
  std::vector<GradientSum> bins(n);
  std::vector<Word> line;
  NodeSides node;
  node.whole = base;
  for (GradientSum& bin : bins) {
    bin = a_bin();
    node.whole = node.whole + bin;
    line.push_back(word_of(bin.gradient, bin.hessian, static_cast<Word*>(nullptr)));
  }
  node.l2 = draw.coin() ? draw.between(0, reach) : 0, node.least = 1 + draw.below(4 * reach);
  const double bar = node.score_of(node.whole) * draw.between(0, 3) + draw.between(0, 1);
  const std::vector<Cut> wanted = cuts_above(bins, base, node, bar);
  at_every_level([&] { CHECK(cuts_found(line, base, node, bar) == wanted); });
}

}  // namespace

TEST(the_scan_finds_every_cut_above_the_bar_and_no_other) {
  Draws draw(19);
  for (int repeat = 0; repeat < 2000; ++repeat) compare_cuts<PackedWord>(draw), compare_cuts<DoubleWord>(draw);
}

namespace {

std::vector<std::uint32_t> ascending_rows(Draws& draw, std::uint32_t n_rows) {
  std::vector<std::uint32_t> rows;
  const std::uint32_t one_in = 1 + draw.below(5);
  for (std::uint32_t row = 0; row < n_rows; ++row)
    if (draw.coin(one_in)) rows.push_back(row);
  return rows;
}

// find(branch): one of the forms of find_branches; wanted(row): the branch.
template <class Find, class Wanted>
void compare_branches(const std::vector<std::uint32_t>& rows, Find find, Wanted wanted) {
  const std::size_t n = rows.size();
  std::vector<std::uint32_t> to_first, to_second;
  std::vector<std::uint16_t> bits((n + 15) / 16, 0);
  for (std::size_t i = 0; i < n; ++i) {
    (wanted(rows[i]) ? to_second : to_first).push_back(rows[i]);
    if (wanted(rows[i])) bits[i / 16] = static_cast<std::uint16_t>(bits[i / 16] | 1u << i % 16);
  }
  at_every_level([&] {
    std::vector<std::uint16_t> got(bits.size());
    CHECK(find(got.data()) == to_second.size());
    CHECK(got == bits);
    std::vector<std::uint32_t> first(to_first.size() + 1, 7),
        second(to_second.size() + 1, 7);  // nothing behind the last
    move_rows(rows.data(), static_cast<std::uint32_t>(n), got.data(), {first.data(), second.data()});
    CHECK(first.back() == 7 && second.back() == 7);
    first.pop_back(), second.pop_back();
    CHECK(first == to_first && second == to_second);
  });
}

}  // namespace

TEST(rows_are_divided_by_codes) {
  Draws draw(20);
  for (int repeat = 0; repeat < 1500; ++repeat) {
    const std::uint32_t n_codes = draw.size_up_to(600), n_levels = draw.size_up_to(255);
    const auto code = draw.numbers_below<std::uint8_t>(n_levels + 1, n_codes);
    const auto wide = draw.numbers_below<std::uint32_t>(n_levels + 1, n_codes);
    const auto side = draw.numbers_below<std::uint8_t>(2, n_levels + 4);
    const auto rows = ascending_rows(draw, n_codes);
    const auto n = static_cast<std::uint32_t>(rows.size());
    const CodeCut cut{static_cast<std::uint8_t>(1 + draw.below(n_levels)), draw.coin()};
    compare_branches(
        rows, [&](std::uint16_t* b) { return find_branches(code.data(), cut, rows.data(), n, b); },
        [&](std::uint32_t row) { return code[row] == 0 ? cut.missing_second : code[row] > cut.last; });
    compare_branches(
        rows, [&](std::uint16_t* b) { return find_branches(code.data(), side.data(), rows.data(), n, b); },
        [&](std::uint32_t row) { return side[code[row]] != 0; });
    compare_branches(
        rows, [&](std::uint16_t* b) { return find_branches(wide.data(), side.data(), rows.data(), n, b); },
        [&](std::uint32_t row) { return side[wide[row]] != 0; });
  }
}

}  // namespace tw::tests

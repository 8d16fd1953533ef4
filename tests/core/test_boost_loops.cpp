// The loops of boosting: the scan of cuts, counting rows, and dividing them.
#include <algorithm>  // for binary_search, equal, sort

#include "check.hpp"
#include "draws.hpp"
#include "grow/boost/divide_rows.hpp"
#include "grow/boost/group_scan.hpp"
#include "grow/boost/histogram.hpp"

namespace tw::tests {
namespace {

// Two branches of a node in one group of columns: what the bins of each hold.
struct DrawnPair {
  BinnedTable table;
  WordLayout layout;
  std::vector<GradientSum> bins[2];  // by node, four columns side by side
  std::vector<PackedWord> words[2], parent;
  ScannedNode node[2];
  std::uint8_t lanes[2] = {15, 15};
  double bar[2] = {0, 0};
};

void draw_bins(Draws& draw, DrawnPair& pair, std::uint32_t n_bins) {
  const std::uint32_t n_rows = draw.size_up_to(4000), reach = draw.coin() ? 2000 : 3;
  const bool holes = draw.coin();
  for (int k = 0; k < 2; ++k) {
    pair.bins[k].resize(n_bins * kTogether);
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      const GradientSum one{std::int64_t{draw.below(2 * reach)} - reach, 1 + draw.below(reach), 1};
      pair.node[k].whole = pair.node[k].whole + one;
      for (std::uint32_t c = 0; c < kTogether; ++c) {
        GradientSum& bin = pair.bins[k][(holes ? draw.below(n_bins) : 1 + draw.below(n_bins - 1)) * kTogether + c];
        bin = bin + one;
      }
    }
  }
}

DrawnPair draw_pair(Draws& draw) {
  DrawnPair pair;
  pair.layout = draw.coin() ? WordLayout::counting(8000) : WordLayout::plain();
  const std::uint32_t n_bins = 1 + draw.size_up_to(200);
  pair.table.groups.push_back({0, n_bins, {0, 1, 2, 3}, 0, 15});
  draw_bins(draw, pair, n_bins);
  for (int k = 0; k < 2; ++k) {
    for (const GradientSum& bin : pair.bins[k]) put(bin, pair.layout, pair.words[k].emplace_back());
    ScannedNode& node = pair.node[k];
    if (!pair.layout.counts_rows()) node.whole.rows = 0;
    node.l2 = draw.coin() ? draw.between(0, 5000) : 0, node.least = 1 + draw.below(50),
    node.least_rows = 1 + draw.below(30);
    const double g = double(node.whole.gradient), undivided = g * g / (double(node.whole.hessian) + node.l2);
    pair.bar[k] = undivided + draw.between(-1, 20) * draw.between(0, 300);
    pair.lanes[k] = static_cast<std::uint8_t>(draw.coin() ? 15 : draw.below(16));
  }
  for (std::size_t i = 0; i < pair.words[0].size(); ++i) pair.parent.push_back(pair.words[0][i] + pair.words[1][i]);
  return pair;
}

struct Cut {
  int node;
  std::int32_t column;
  std::uint32_t bin;
  bool missing_second;

  auto operator<=>(const Cut&) const = default;
};

// The cuts that score more than the bar and have enough on both sides.
std::vector<Cut> cuts_above(const DrawnPair& pair, int k) {
  std::vector<Cut> cuts;
  const ScannedNode& node = pair.node[k];
  const auto score = [&](const GradientSum& side) {
    return double(side.gradient) * double(side.gradient) / (double(side.hessian) + node.l2);
  };
  const auto large = [&](const GradientSum& side) {
    return double(side.hessian) >= node.least && (!pair.layout.counts_rows() || side.rows >= node.least_rows);
  };
  for (std::int32_t c = 0; c < 4; ++c)
    for (const bool second : {false, true}) {
      GradientSum left = second ? GradientSum{} : pair.bins[k][c];
      for (std::uint32_t bin = 1; bin < pair.table.groups[0].n_bins && pair.lanes[k] >> c & 1; ++bin) {
        left = left + pair.bins[k][bin * kTogether + c];
        const GradientSum right = node.whole - left;
        if (second && pair.bins[k][c].hessian == 0) continue;
        if (large(left) && large(right) && score(left) + score(right) > pair.bar[k])
          cuts.push_back({k, c, bin, second});
      }
    }
  return cuts;
}

class Recorder : public CutJudge {
 public:
  explicit Recorder(const DrawnPair& pair) : pair_(pair) {}
  double bar(int node, const ColumnGroup&, bool) const override { return pair_.bar[node]; }
  void take(const PassingCut& cut) override {
    cuts.push_back({cut.node, cut.column, cut.bin, cut.missing_second});
    GradientSum left = cut.missing_second ? GradientSum{} : pair_.bins[cut.node][cut.column];
    for (std::uint32_t bin = 1; bin <= cut.bin; ++bin) left = left + pair_.bins[cut.node][bin * kTogether + cut.column];
    PackedWord wanted = 0;
    put(left, pair_.layout, wanted);
    CHECK(cut.left == wanted);
    CHECK(pair_.lanes[cut.node] >> cut.column & 1);
  }

  std::vector<Cut> cuts;

 private:
  const DrawnPair& pair_;
};

// What passes may be a little below the bar; what is above it must pass.
void check_scan(const DrawnPair& pair, bool two) {
  std::vector<PackedWord> larger = pair.parent;
  ScannedNode nodes[2] = {pair.node[0], pair.node[1]};
  for (int k = 0; k < 2; ++k) nodes[k].lanes = &pair.lanes[k];
  Recorder found(pair);
  scan_groups(pair.table, pair.layout,
              {pair.words[0].data(), two ? larger.data() : nullptr, {&nodes[0], two ? &nodes[1] : nullptr}}, 0, 1,
              found);
  CHECK(larger == (two ? pair.words[1] : pair.parent));
  std::sort(found.cuts.begin(), found.cuts.end());
  for (int k = 0; k < 1 + two; ++k)
    for (const Cut& cut : cuts_above(pair, k)) CHECK(std::binary_search(found.cuts.begin(), found.cuts.end(), cut));
}

}  // namespace

TEST(the_scan_passes_every_cut_above_the_bar_and_leaves_the_other_branch_in_the_place_of_the_parent) {
  Draws draw(19);
  for (int repeat = 0; repeat < 1500; ++repeat) {
    const DrawnPair pair = draw_pair(draw);
    at_every_level([&] { check_scan(pair, true), check_scan(pair, false); });
  }
}

namespace {

// Columns of as many codes as are asked for, missing included, all narrow.
BinnedTable draw_table(Draws& draw, std::size_t n_rows, const std::vector<std::uint32_t>& n_codes, Workers& workers) {
  BinnedTable table;
  table.n_rows = n_rows;
  table.columns.resize(n_codes.size());
  for (std::size_t c = 0; c < n_codes.size(); ++c) {
    BinnedColumn& column = table.columns[c];
    column.n_bins = n_codes[c] - 1;
    column.own_narrow = draw.numbers_below<std::uint8_t>(n_codes[c], n_rows);
    column.narrow = column.own_narrow.data();
  }
  table.columns_given = n_codes.size();
  lay_out_rows(table, workers);
  return table;
}

void check_histogram(const BinnedTable& table, const std::vector<std::uint32_t>* rows,
                     const HugeVector<PackedWord>& words, Workers& workers) {
  std::vector<PackedWord> wanted(table.histogram_size);
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    for (std::size_t i = 0; i < (rows ? rows->size() : table.n_rows); ++i) {
      const std::size_t row = rows ? (*rows)[i] : i;
      wanted[table.line_of(static_cast<std::int32_t>(c)) + table.columns[c].narrow[row] * kTogether] += words[row];
    }
  HistogramBuilder<PackedWord> builder(table, workers);
  for (int again = 0; again < 2; ++again) {
    const auto got = builder.build(rows ? rows->data() : nullptr, words.data(), rows ? rows->size() : table.n_rows);
    CHECK(std::equal(got.begin(), got.end(), wanted.begin(), wanted.end()));
  }
}

}  // namespace

TEST(histograms_hold_what_the_rows_of_each_bin_add_up_to_counted_jointly_or_not) {
  Draws draw(21);
  for (const int n_threads : {1, 3}) {
    Workers workers(n_threads);
    for (const std::vector<std::uint32_t>& n_codes : {std::vector<std::uint32_t>{256, 18, 3, 18, 2, 2, 100, 18, 3},
                                                      {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                                                      {22, 22, 23},
                                                      {5}}) {
      const BinnedTable table = draw_table(draw, 20000, n_codes, workers);
      CHECK((table.joint.n_sets() > 0) == (n_codes.size() > 1));
      HugeVector<PackedWord> words(table.n_rows);
      for (PackedWord& word : words) word = static_cast<PackedWord>(draw.below(1000));
      std::vector<std::uint32_t> many, few;
      for (std::uint32_t row = 0; row < table.n_rows; ++row) {
        if (draw.coin()) many.push_back(row);
        if (draw.coin(200)) few.push_back(row);
      }
      check_histogram(table, &many, words, workers);
      check_histogram(table, &few, words, workers);
      check_histogram(table, nullptr, words, workers);
    }
  }
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

// Agreement: the cut of a column that sends rows most like a node's own test does (Breiman, Friedman, Olshen and Stone
// 1984, section 5.3, with the rules of rpart). A list and the way of each row are all that it reads.
#pragma once

#include <algorithm>  // for max
#include <cstdint>    // for int64_t
#include <vector>     // for vector

#include "grow/exact/lists.hpp"

namespace tw {

// Where the node's test sends the rows of a block, and how much they weigh (as given, without priors or exposure).
struct Ways {
  const std::int8_t* way = nullptr;      // +1 left, −1 right, 0: the test cannot send the row
  const std::int64_t* weight = nullptr;  // null: every row weighs 1

  std::int64_t weight_of(std::uint32_t row) const { return weight ? weight[row] : 1; }
};

// Weight and number of rows that are sent.
struct Sent {
  std::int64_t left = 0, right = 0;
  std::uint32_t n_left = 0, n_right = 0;

  std::int64_t weight() const { return left + right; }
  std::int64_t most() const { return std::max(left, right); }
  std::uint32_t rows() const { return n_left + n_right; }
  void add(const Ways& ways, std::uint32_t row, int sign = 1) {
    if (ways.way[row] > 0) left += sign * ways.weight_of(row), n_left += sign;
    if (ways.way[row] < 0) right += sign * ways.weight_of(row), n_right += sign;
  }
};

constexpr std::uint32_t kFewestRows = 2;

struct ThresholdAgreement {
  std::int64_t agree = 0;
  std::uint32_t cut = 0;  // words left of the cut; 0: no cut beats sending all rows one way
  bool flip = false;      // low values go right
};

// The first cut among equals. `sent` are the known rows of this column. At least two rows with a way on each side.
template <bool kUnit, class Word>
ThresholdAgreement agree_by_threshold(const Word* known, std::uint32_t n, const Ways& ways, const Sent& sent) {
  ThresholdAgreement best{sent.most(), 0, false};
  std::int64_t balance = 0;  // weight of the rows so far that go left, less those that go right
  std::uint32_t seen = 0;
  const std::uint32_t rows = sent.rows();
  for (std::uint32_t i = 0; i + 1 < n; ++i) {
    const std::uint32_t row = row_of(known[i]);
    const int way = ways.way[row];
    balance += kUnit ? way : way * ways.weight[row];
    seen += way & 1;
    if (rank_of(known[i]) == rank_of(known[i + 1])) continue;
    const std::int64_t same = sent.right + balance, agree = std::max(same, sent.weight() - same);
    if (agree > best.agree && seen >= kFewestRows && rows - seen >= kFewestRows) best = {agree, i + 1, agree != same};
  }
  return best;
}

struct LevelAgreement {
  std::int64_t agree = 0;
  std::uint32_t wrong = 0;            // rows sent the other way
  std::vector<std::uint32_t> first;   // the first word of each level with a way …
  std::vector<std::uint16_t> branch;  // … and where the level goes
};

// Every level follows most of its own rows; a level that is torn, most of all rows, and if these are torn too,
// `torn_goes_left` tells.
template <class Word>
LevelAgreement agree_by_level(const Word* known, std::uint32_t n, const Ways& ways, const Sent& sent,
                              bool torn_goes_left) {
  LevelAgreement result;
  const bool torn_left = sent.left == sent.right ? torn_goes_left : sent.left > sent.right;
  for (std::uint32_t i = 0; i < n;) {
    const std::uint32_t first = i;
    Sent own;
    for (; i < n && rank_of(known[i]) == rank_of(known[first]); ++i) own.add(ways, row_of(known[i]));
    if (own.rows() == 0) continue;
    const bool left = own.left == own.right ? torn_left : own.left > own.right;
    result.agree += left ? own.left : own.right;
    result.wrong += left ? own.n_right : own.n_left;
    result.first.push_back(first), result.branch.push_back(!left);
  }
  return result;
}

}  // namespace tw

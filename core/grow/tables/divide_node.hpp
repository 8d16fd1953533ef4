// Spreading: a row without a value goes down every branch. Its weight is cut into integer pieces as large as the shares
// of the rows whose value is known, which add up to the whole: what rounding leaves goes to the heaviest branch.
#pragma once

#include <algorithm>   // for max_element
#include <cstddef>     // for size_t
#include <cstdint>     // for int64_t
#include <functional>  // for function
#include <vector>      // for vector

#include "grow/tables/splitter.hpp"

namespace tw {

class Spreading {
 public:
  static constexpr int kSmallestPiece = 20;  // a row is not cut into pieces below 2^-20 of a weight of 1

  // known: the weight of the known rows in each branch; finer: the bits of a weight of 1.
  Spreading(std::vector<std::int64_t> known, int finer) : known_(std::move(known)), finer_(finer) {
    for (const std::int64_t w : known_) total_ += w;
    heaviest_ = std::max_element(known_.begin(), known_.end()) - known_.begin();
  }

  // Most rows weigh the same as the one before them: its pieces are kept.
  const std::vector<std::int64_t>& pieces(std::int64_t weight) {
    if (weight == last_weight_) return last_;
    last_weight_ = weight;
    last_.assign(known_.size(), 0);
    std::int64_t rest = weight;
    if (total_ > 0 && weight >= (std::int64_t(1) << finer_) >> kSmallestPiece) {
      for (std::size_t b = 0; b < known_.size(); ++b) {
        last_[b] = static_cast<std::int64_t>(static_cast<__int128>(weight) * known_[b] / total_);
        rest -= last_[b];
      }
    }
    last_[heaviest_] += rest;
    return last_;
  }

 private:
  std::vector<std::int64_t> known_;
  int finer_;
  std::int64_t total_ = 0;
  std::size_t heaviest_ = 0;
  std::int64_t last_weight_ = -1;
  std::vector<std::int64_t> last_;
};

// Divides the rows of a node among its branches.

// One child's rows. `whole`: every row counts with its own weight, and pieces is empty.
struct ChildRows {
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> pieces;
};

// What became of a node's rows. A child that is a leaf has its sums only: nobody needs its rows.
struct Division {
  std::vector<ChildRows> children;
  std::vector<Sums> sums;
  std::vector<bool> is_leaf;
};

// Stable: rows keep their order. Rows that stay at the node are in no child. is_leaf tells of a child by its sums.
Division divide_node(const NodeView& node, const Split& split, const Counter& counter,
                     const std::function<bool(const Sums&)>& is_leaf);

}  // namespace tw

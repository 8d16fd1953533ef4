// The cuts of ordered columns, four columns and both branches of a split at once; and one branch is made on the way: it
// is the parent less the other.
//
// The score of a cut is G²/(H + l2) of its two sides, added. With P the sum of H + l2 of both sides and
// e = G_l − (H_l + l2)·G/P it is G²/P + P·e² / ((H_l + l2)·(H_r + l2)): a cut is better than the best one so far where
// e² is above some number times that product, and to see it takes no division. All that is looked at in floats,
// roughly: what passes may be a little worse, and is looked at again in whole numbers and doubles (split_search.hpp).
#pragma once

#include <cstdint>  // for int64_t, uint8_t

#include "grow/boost/binned_table.hpp"
#include "grow/boost/words.hpp"

namespace tw {

// One of the two nodes.
struct ScannedNode {
  GradientSum whole;
  double l2 = 0;                        // in units of the hessian
  double least = 1;                     // hessian that a side must have, in units
  std::int64_t least_rows = 1;          // of a side, where words count rows
  const std::uint8_t* lanes = nullptr;  // by group: a bit for each column that is looked at
};

struct PassingCut {
  int node = 0;
  std::int32_t column = 0;
  std::uint32_t bin = 0;  // the last one on the left
  PackedWord left = 0;
  bool missing_second = false;
};

// What is asked while the scan goes on.
class CutJudge {
 public:
  virtual ~CutJudge() = default;
  // What a cut of the group in this walk must score to be looked at.
  virtual double bar(int node, const ColumnGroup& group, bool missing_second) const = 0;
  virtual void take(const PassingCut& cut) = 0;
};

// Histograms of the two nodes; larger holds their parent's and becomes the larger one's. Null: there is one node.
struct ScannedPair {
  const PackedWord* smaller = nullptr;
  PackedWord* larger = nullptr;
  const ScannedNode* node[2] = {nullptr, nullptr};  // null: not looked at
};

// Looks at the groups first … last − 1.
void scan_groups(const BinnedTable& table, const WordLayout& layout, const ScannedPair& pair, std::size_t first,
                 std::size_t last, CutJudge& judge);

}  // namespace tw

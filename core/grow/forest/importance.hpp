// How much the columns of one tree matter to the rows that it did not see.
#pragma once

#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "grow/forest/coded_tree.hpp"
#include "grow/forest/forest_codes.hpp"
#include "table/target.hpp"

namespace tw {

template <class Cells>
class TreeImportance {
 public:
  TreeImportance(const Cells& cells, const Target& target, const CodedTree& grown,
                 const std::vector<std::uint32_t>& counts);

  // The impurity that each column takes away, told by unseen rows: the sum over a row's path of how much nearer each
  // step brings the tree's answer to the row's own target (MDI-oob; Li, Wang, Basu, Kumbier and Yu 2019). On noise it
  // is 0 in the mean, whatever the number of values of a column.
  std::vector<double> unbiased() const;

  // The loss (wrong answers, or squared error) when the values of one column are dealt out anew among the unseen rows,
  // minus the loss before (Breiman 2001).
  std::vector<double> by_permutation(std::uint64_t stream) const;

 private:
  double loss(std::uint32_t leaf, std::uint32_t row) const;
  double weight(std::uint32_t row) const;
  void find_node_answers();
  double step(std::uint32_t node, std::uint32_t child, std::uint32_t row) const;

  const Cells& cells_;
  const Target& target_;
  const CodedTree& grown_;
  std::vector<std::uint32_t> unseen_;
  double total_ = 0, mean_ = 0;  // weight of the unseen rows; numeric target: what the root answers
  std::size_t n_outputs_;
  std::vector<double> answer_;  // node × class: its share; or the node's mean
};

}  // namespace tw

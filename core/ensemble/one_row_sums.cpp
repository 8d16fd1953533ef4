#include "ensemble/add_answers.hpp"
#include "ensemble/leaf_votes.hpp"
#include "ensemble/prepared_trees.hpp"

namespace tw {

OneRowSums::OneRowSums(const Ensemble& ensemble, Answer answer)
    : ensemble_(ensemble), answer_(answer), row_(static_cast<std::size_t>(ensemble.n_columns)) {
  std::vector<std::uint8_t> is_asked(row_.size(), 0);
  for (const SmallTree& tree : ensemble.trees)
    for (const std::int32_t column : tree.column) is_asked[column] = 1;
  for (std::int32_t c = 0; c < ensemble.n_columns; ++c)
    if (is_asked[c]) columns_.push_back(c);
  leaves_.resize(ensemble.trees.size());
}

void OneRowSums::add(const std::vector<double>& values, std::size_t n_outputs, double* sums) {
  for (std::size_t i = 0; i < columns_.size(); ++i) row_[columns_[i]] = values[i];
  ensemble_.prepared().long_trees(ensemble_).walk_trees(row_.data(), leaves_.data());
  if (answer_ == Answer::values) {
    for (std::size_t t = 0; t < ensemble_.trees.size(); ++t)
      sums[t % n_outputs] += ensemble_.trees[t].value[leaves_[t]];
    return;
  }
  const LeafVotes& said = answer_ == Answer::votes ? ensemble_.leaf_votes() : ensemble_.leaf_shares();
  for (std::size_t t = 0; t < ensemble_.trees.size(); ++t) said.add(t, leaves_[t], sums);
}

}  // namespace tw

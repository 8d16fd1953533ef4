#include <algorithm>  // for find
#include <variant>    // for visit

#include "ensemble/add_answers.hpp"
#include "ensemble/leaf_votes.hpp"
#include "ensemble/walk_coded.hpp"

namespace tw {

OneRowSums::OneRowSums(const Ensemble& ensemble, Answer answer) : ensemble_(ensemble), answer_(answer) {
  std::size_t most_columns = 0;
  std::vector<std::int32_t> place(static_cast<std::size_t>(ensemble.n_columns), -1);
  for (const CodedTrees::Group& any : ensemble.coded().groups()) {
    places_.emplace_back();
    const auto add_columns = [&](const auto& group) {
      for (const ColumnCoder& coder : group.coders) {
        if (place[coder.column()] < 0) {
          place[coder.column()] = static_cast<std::int32_t>(columns_.size());
          columns_.push_back(coder.column());
        }
        places_.back().push_back(static_cast<std::size_t>(place[coder.column()]));
      }
      most_columns = std::max(most_columns, group.coders.size());
    };
    std::visit(add_columns, any);
  }
  narrow_.resize(most_columns + kWalkPadding), wide_.resize(most_columns + kWalkPadding);
  leaves_.resize(ensemble.trees.size() + kWalkPadding);
}

void OneRowSums::add(const std::vector<double>& values, std::size_t n_outputs, double* sums) {
  const CodedTrees& coded = ensemble_.coded();
  for (std::size_t g = 0; g < coded.groups().size(); ++g) {
    const auto walk = [&](const auto& group, auto& codes) {
      for (std::size_t c = 0; c < group.coders.size(); ++c)
        codes[c] =
            static_cast<std::remove_reference_t<decltype(codes[0])>>(group.coders[c].code(values[places_[g][c]]));
      walk_trees(group, codes.data(), leaves_.data() + group.first_tree);
    };
    if (const auto* narrow = std::get_if<CodedGroup<NarrowNode>>(&coded.groups()[g]))
      walk(*narrow, narrow_);
    else
      walk(std::get<CodedGroup<WideNode>>(coded.groups()[g]), wide_);
  }
  if (answer_ == Answer::values) {
    for (std::size_t t = 0; t < ensemble_.trees.size(); ++t)
      sums[t % n_outputs] += ensemble_.trees[t].value[leaves_[t]];
    return;
  }
  const LeafVotes& said = answer_ == Answer::votes ? ensemble_.leaf_votes() : ensemble_.leaf_shares();
  for (std::size_t t = 0; t < ensemble_.trees.size(); ++t) said.add(t, leaves_[t], sums);
}

}  // namespace tw

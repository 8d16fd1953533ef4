#include "ensemble/prepared_trees.hpp"

#include <utility>  // for exchange, pair

namespace tw {
namespace {

// To code a column of a row costs about as much as an eighth of a walk.
constexpr std::size_t kColumnsPerTree = 8;

bool is_small(const SmallTree& tree) { return tree.n_leaves() <= BlendedTrees::kMostLeaves; }

std::size_t n_asked(const std::vector<SmallTree>& trees, std::size_t first, std::size_t last, std::size_t n_columns) {
  std::vector<std::uint8_t> is_asked(n_columns, 0);
  std::size_t n = 0;
  for (std::size_t t = first; t < last; ++t)
    for (const std::int32_t column : trees[t].column) n += !std::exchange(is_asked[column], 1);
  return n;
}

// Where the run of trees of one kind that starts here ends.
std::size_t end_of_run(const std::vector<SmallTree>& trees, std::size_t first) {
  std::size_t last = first + 1;
  while (last < trees.size() && is_small(trees[last]) == is_small(trees[first])) ++last;
  return last;
}

std::mutex preparing;  // one ensemble at a time; who comes second finds it done

}  // namespace

// Small trees share a group while the cuts of every column fit bytes; when they do not, the trees are halved.
PreparedTrees::PreparedTrees(const Ensemble& ensemble) {
  const auto& trees = ensemble.trees;
  const auto n_columns = static_cast<std::size_t>(ensemble.n_columns);
  for (const SmallTree& tree : trees) fits_short_ &= tree.level.empty() && fits<ShortNode>(tree.size(), n_columns);
  for (std::size_t begin = 0, end; begin < trees.size(); begin = end) {
    end = end_of_run(trees, begin);
    std::vector<std::pair<std::size_t, std::size_t>> open{{begin, end}};
    while (!open.empty()) {
      const auto [first, last] = open.back();
      open.pop_back();
      const bool worth =
          is_small(trees[first]) && (last - first) * kColumnsPerTree >= n_asked(trees, first, last, n_columns);
      if (worth && !BlendedTrees::fit(trees, first, last, n_columns) && last - first > 1) {
        const std::size_t middle = first + (last - first) / 2;
        open.emplace_back(middle, last), open.emplace_back(first, middle);
        continue;
      }
      groups_.push_back({first, last, std::nullopt});
      if (worth && BlendedTrees::fit(trees, first, last, n_columns))
        groups_.back().blended.emplace(trees, first, last, n_columns);
    }
  }
}

const FlatTrees<ShortNode>& PreparedTrees::short_trees(const Ensemble& ensemble) const {
  const std::lock_guard<std::mutex> lock(making_);
  if (!short_) short_ = std::make_unique<const FlatTrees<ShortNode>>(ensemble);
  return *short_;
}

const FlatTrees<LongNode>& PreparedTrees::long_trees(const Ensemble& ensemble) const {
  const std::lock_guard<std::mutex> lock(making_);
  if (!long_) long_ = std::make_unique<const FlatTrees<LongNode>>(ensemble);
  return *long_;
}

std::size_t PreparedTrees::bytes() const {
  const std::lock_guard<std::mutex> lock(making_);
  std::size_t sum = (short_ ? short_->bytes() : 0) + (long_ ? long_->bytes() : 0);
  for (const Group& group : groups_) sum += group.blended ? group.blended->bytes() : 0;
  return sum;
}

const PreparedTrees& Ensemble::prepared() const {
  const std::lock_guard<std::mutex> lock(preparing);
  if (!prepared_) prepared_ = std::make_shared<const PreparedTrees>(*this);
  return *prepared_;
}

}  // namespace tw

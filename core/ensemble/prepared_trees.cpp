#include "ensemble/prepared_trees.hpp"

#include <span>     // for span
#include <utility>  // for exchange, move, pair

#include "ensemble/flat_trees.hpp"

namespace tw {
namespace {

// To code a column of a row costs about as much as an eighth of a walk.
constexpr std::size_t kColumnsPerTree = 8;
constexpr std::uint32_t kTopLevels = 6;
// Where the rows of a task stand after the first levels is kept for all trees of a group.
constexpr std::size_t kMostTops = 128;

bool is_small(const SmallTree& tree) { return tree.n_leaves() <= BlendedTrees::kMostLeaves; }

std::size_t n_asked(std::span<const SmallTree> trees, std::size_t n_columns) {
  std::vector<std::uint8_t> is_asked(n_columns, 0);
  std::size_t n = 0;
  for (const SmallTree& tree : trees)
    for (const std::int32_t column : tree.column) n += !std::exchange(is_asked[column], 1);
  return n;
}

// Where the run of small trees, or of large ones, that starts here ends.
std::size_t end_of_run(const std::vector<SmallTree>& trees, std::size_t first) {
  const bool small = is_small(trees[first]);
  std::size_t last = first + 1;
  while (last < trees.size() && is_small(trees[last]) == small && (small || last - first < kMostTops)) ++last;
  return last;
}

std::mutex preparing;  // one ensemble at a time; who comes second finds it done

}  // namespace

PreparedTrees::PreparedTrees(const Ensemble& ensemble) {
  const auto& trees = ensemble.trees;
  const auto n_columns = static_cast<std::size_t>(ensemble.n_columns);
  for (const SmallTree& tree : trees) fits_short_ &= tree.level.empty() && fits<ShortNode>(tree.size(), n_columns);
  for (std::size_t first = 0, last; first < trees.size(); first = last) {
    last = end_of_run(trees, first);
    add_group(trees, first, last, n_columns);
  }
}

// Trees share a group while the cuts of every column fit bytes; when they do not, the trees are halved.
void PreparedTrees::add_group(const std::vector<SmallTree>& trees, std::size_t begin, std::size_t end,
                              std::size_t n_columns) {
  std::vector<SmallTree> tops;
  std::vector<std::vector<std::uint32_t>> entry;
  if (!is_small(trees[begin]))
    for (std::size_t t = begin; t < end; ++t) {
      TreeTop top = top_of(trees[t], kTopLevels);
      tops.push_back(std::move(top.tree)), entry.push_back(std::move(top.entry));
    }
  const std::span<const SmallTree> all = tops.empty() ? std::span(trees).subspan(begin, end - begin) : std::span(tops);
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, end - begin}};
  while (!open.empty()) {
    const auto [first, last] = open.back();
    open.pop_back();
    const std::span<const SmallTree> part = all.subspan(first, last - first);
    const bool worth = part.size() * kColumnsPerTree >= n_asked(part, n_columns);
    const bool fits = worth && BlendedTrees::fit(part, n_columns);
    if (worth && !fits && part.size() > 1) {
      const std::size_t middle = first + part.size() / 2;
      open.emplace_back(middle, last), open.emplace_back(first, middle);
      continue;
    }
    Group& group = groups_.emplace_back(begin + first, begin + last);
    if (!fits) continue;
    group.blended.emplace(part, n_columns);
    if (!tops.empty())
      group.entry.assign(entry.begin() + static_cast<std::ptrdiff_t>(first),
                         entry.begin() + static_cast<std::ptrdiff_t>(last));
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
  for (const Group& group : groups_) {
    sum += group.blended ? group.blended->bytes() : 0;
    for (const auto& entry : group.entry) sum += entry.size() * 4;
  }
  return sum;
}

const PreparedTrees& Ensemble::prepared() const {
  const std::lock_guard<std::mutex> lock(preparing);
  if (!prepared_) prepared_ = std::make_shared<const PreparedTrees>(*this);
  return *prepared_;
}

}  // namespace tw

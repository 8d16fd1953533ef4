#include "grow/forest/out_of_bag.hpp"

#include <algorithm>  // for max
#include <atomic>     // for atomic_ref
#include <cmath>      // for frexp, ldexp, llround

namespace tw {
namespace {

constexpr int kAnswerBits = 40;  // leaves room for 2^22 trees

template <class T>
void add_to(T& sum, T what) {
  std::atomic_ref<T>(sum).fetch_add(what, std::memory_order_relaxed);
}

}  // namespace

OutOfBag::OutOfBag(const ForestCodes& codes, const Target& target, Voting voting)
    : codes_(codes), target_(target), voting_(voting), n_outputs_(target.is_regression() ? 1 : target.n_classes),
      unit_(std::ldexp(1.0, -kAnswerBits)), sums_(codes.n_rows * n_outputs_, 0), n_trees_(codes.n_rows, 0) {
  if (!target.is_regression()) return;
  std::int64_t reach = 1;
  for (const std::uint32_t row : target.rows) reach = std::max(reach, std::abs(target.level[row]));
  int bits = 0;
  std::frexp(static_cast<double>(reach) * target.level_unit, &bits);
  unit_ = std::ldexp(1.0, bits - kAnswerBits);
  offset_ = target.offset;
}

// For each leaf: its mean, or what it says of each class.
std::vector<std::int64_t> OutOfBag::leaf_answers(const SmallTree& tree) const {
  std::vector<std::int64_t> answers(tree.n_leaves() * n_outputs_, 0);
  for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
    if (target_.is_regression()) {
      answers[leaf] = std::llround((tree.value[leaf] - offset_) / unit_);
      continue;
    }
    const std::uint32_t begin = tree.count_start[leaf], end = tree.count_start[leaf + 1];
    double total = 0;
    std::uint32_t most = begin;
    for (std::uint32_t k = begin; k < end; ++k) {
      total += tree.count_weight[k];
      if (tree.count_weight[k] > tree.count_weight[most]) most = k;
    }
    for (std::uint32_t k = begin; k < end; ++k) {
      const double share = voting_ == Voting::mean ? tree.count_weight[k] / total : k == most;
      answers[leaf * n_outputs_ + tree.count_class[k]] = std::llround(share / unit_);
    }
  }
  return answers;
}

void OutOfBag::add(const SmallTree& tree, const std::vector<std::uint32_t>& counts) {
  const std::vector<std::int64_t> answers = leaf_answers(tree);
  const CodedTree coded = code_tree(tree, codes_);
  for (const std::uint32_t row : target_.rows) {
    if (counts[row]) continue;
    const std::uint32_t leaf = walk(coded, codes_, codes_.row(row), [](std::uint32_t, std::uint32_t) {});
    add_to(n_trees_[row], 1u);
    for (std::size_t k = 0; k < n_outputs_; ++k)
      if (const std::int64_t answer = answers[leaf * n_outputs_ + k]) add_to(sums_[row * n_outputs_ + k], answer);
  }
}

std::vector<double> OutOfBag::sums() const {
  std::vector<double> sums(sums_.size());
  for (std::size_t at = 0; at < sums.size(); ++at)
    sums[at] = static_cast<double>(sums_[at]) * unit_ + offset_ * n_trees_[at / n_outputs_];
  return sums;
}

}  // namespace tw

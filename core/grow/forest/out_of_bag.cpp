#include "grow/forest/out_of_bag.hpp"

#include <algorithm>  // for max, max_element
#include <atomic>     // for atomic_ref
#include <cmath>      // for frexp, ldexp, llround
#include <limits>     // for numeric_limits

namespace tw {

namespace {

constexpr int kAnswerBits = 40;  // leaves room for 2^22 trees

template <class T>
void add_to(T& sum, T what) {
  std::atomic_ref<T>(sum).fetch_add(what, std::memory_order_relaxed);
}

}  // namespace

OutOfBag::OutOfBag(std::size_t n_rows, const Target& target, Voting voting)
    : target_(target), voting_(voting), n_outputs_(target.is_regression() ? 1 : target.n_classes),
      unit_(std::ldexp(1.0, -kAnswerBits)), sums_(n_rows * n_outputs_, 0), n_trees_(n_rows, 0) {
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

template <class Cells>
void OutOfBag::add(const SmallTree& tree, const Cells& cells, const std::vector<std::uint32_t>& counts) {
  const std::vector<std::int64_t> answers = leaf_answers(tree);
  const CodedTree coded = code_tree(tree, cells);
  for (const std::uint32_t row : target_.rows) {
    if (counts[row]) continue;
    const std::uint32_t leaf = walk(coded, cells, cells.row(row), [](std::uint32_t, std::uint32_t) {});
    add_to(n_trees_[row], 1u);
    for (std::size_t k = 0; k < n_outputs_; ++k)
      if (const std::int64_t answer = answers[leaf * n_outputs_ + k]) add_to(sums_[row * n_outputs_ + k], answer);
  }
}

template void OutOfBag::add(const SmallTree&, const ForestCodes&, const std::vector<std::uint32_t>&);
template void OutOfBag::add(const SmallTree&, const CellRows<float>&, const std::vector<std::uint32_t>&);
template void OutOfBag::add(const SmallTree&, const CellRows<double>&, const std::vector<std::uint32_t>&);

std::vector<double> OutOfBag::sums() const {
  std::vector<double> sums(sums_.size());
  for (std::size_t at = 0; at < sums.size(); ++at)
    sums[at] = static_cast<double>(sums_[at]) * unit_ + offset_ * n_trees_[at / n_outputs_];
  return sums;
}

// How good the answers out of bag are while a forest grows.

namespace {

// atomic_ref takes no const objects before C++26; nothing is written.
template <class T>
T now(const T& sum) {
  return std::atomic_ref<T>(const_cast<T&>(sum)).load(std::memory_order_relaxed);
}

// Sums over the rows that have an answer.
struct ScoredRows {
  double weight = 0, right = 0;          // classes
  double sum = 0, squares = 0, off = 0;  // numbers: of the target, and of its squared distance from the answer
};

}  // namespace

double OutOfBag::score() const {
  ScoredRows all;
  std::vector<std::int64_t> said(n_outputs_);
  for (const std::uint32_t row : target_.rows) {
    const std::uint32_t n = now(n_trees_[row]);
    if (n == 0) continue;
    const auto weight = static_cast<double>(target_.weight_of(row));
    for (std::size_t k = 0; k < n_outputs_; ++k) said[k] = now(sums_[row * n_outputs_ + k]);
    all.weight += weight;
    if (!target_.is_regression()) {
      const auto answer = std::max_element(said.begin(), said.end()) - said.begin();
      all.right += answer == target_.classes[row] ? weight : 0;
      continue;
    }
    const double y = static_cast<double>(target_.level[row]) * target_.level_unit;
    const double off = y - static_cast<double>(said[0]) * unit_ / n;
    all.sum += weight * y, all.squares += weight * y * y, all.off += weight * off * off;
  }
  if (all.weight == 0) return std::numeric_limits<double>::quiet_NaN();
  if (!target_.is_regression()) return all.right / all.weight;
  const double spread = all.squares - all.sum * all.sum / all.weight;
  return spread > 0 ? 1 - all.off / spread : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tw

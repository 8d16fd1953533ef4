#include "grow/forest/importance.hpp"

#include <algorithm>  // for find
#include <numeric>    // for iota
#include <utility>    // for swap

#include "base/counted_random.hpp"

namespace tw {

template <class Cells>
TreeImportance<Cells>::TreeImportance(const Cells& cells, const Target& target, const CodedTree& grown,
                                      const std::vector<std::uint32_t>& counts)
    : cells_(cells), target_(target), grown_(grown), n_outputs_(target.is_regression() ? 1 : target.n_classes) {
  for (const std::uint32_t row : target.rows)
    if (counts[row] == 0) unseen_.push_back(row), total_ += weight(row);
  find_node_answers();
}

template <class Cells>
double TreeImportance<Cells>::weight(std::uint32_t row) const {
  return static_cast<double>(target_.weight_of(row)) * target_.weight_unit;
}

// Leaves are added up into the nodes above them, from the last node to the first.
template <class Cells>
void TreeImportance<Cells>::find_node_answers() {
  const SmallTree& tree = grown_.tree;
  answer_.assign(tree.size() * n_outputs_, 0);
  std::vector<double> weights(tree.size(), 0);
  for (std::uint32_t node = static_cast<std::uint32_t>(tree.size()); node-- > 0;) {
    double* own = answer_.data() + node * n_outputs_;
    if (tree.test[node]) {
      for (const std::uint32_t child : {node + 1, grown_.second[node]}) {
        weights[node] += weights[child];
        for (std::size_t k = 0; k < n_outputs_; ++k) own[k] += answer_[child * n_outputs_ + k];
      }
      continue;
    }
    const std::uint32_t leaf = grown_.second[node];
    weights[node] = tree.weight.empty() ? tree.n_rows[leaf] : tree.weight[leaf];
    if (target_.is_regression()) {
      own[0] = tree.value[leaf] * weights[node];
    } else {
      for (std::uint32_t c = tree.count_start[leaf]; c < tree.count_start[leaf + 1]; ++c)
        own[tree.count_class[c]] = tree.count_weight[c];
    }
  }
  for (std::size_t node = 0; node < tree.size(); ++node)
    for (std::size_t k = 0; k < n_outputs_; ++k) answer_[node * n_outputs_ + k] /= weights[node];
  mean_ = answer_[0];
}

template <class Cells>
double TreeImportance<Cells>::step(std::uint32_t node, std::uint32_t child, std::uint32_t row) const {
  if (target_.is_regression()) return (answer_[child] - answer_[node]) * (target_.numbers[row] - mean_);
  const std::size_t k = target_.classes[row];
  return answer_[child * n_outputs_ + k] - answer_[node * n_outputs_ + k];
}

template <class Cells>
std::vector<double> TreeImportance<Cells>::unbiased() const {
  std::vector<double> sums(cells_.n_columns, 0);
  for (const std::uint32_t row : unseen_) {
    const double w = weight(row) / total_;
    walk(grown_, cells_, cells_.row(row), [&](std::uint32_t node, std::uint32_t child) {
      sums[static_cast<std::size_t>(grown_.tree.column[grown_.inner[node]])] += w * step(node, child, row);
    });
  }
  return sums;
}

template <class Cells>
double TreeImportance<Cells>::loss(std::uint32_t leaf, std::uint32_t row) const {
  const SmallTree& tree = grown_.tree;
  if (target_.is_regression()) {
    const double d = tree.value[leaf] - target_.numbers[row];
    return d * d;
  }
  std::uint32_t most = tree.count_start[leaf];
  for (std::uint32_t c = most; c < tree.count_start[leaf + 1]; ++c)
    if (tree.count_weight[c] > tree.count_weight[most]) most = c;
  return tree.count_class[most] != target_.classes[row];
}

template <class Cells>
std::vector<double> TreeImportance<Cells>::by_permutation(std::uint64_t stream) const {
  const std::size_t n = unseen_.size();
  std::vector<double> before(n), sums(cells_.n_columns, 0);
  std::vector<std::vector<std::uint32_t>> asked_by(cells_.n_columns);  // rows whose path asks for the column
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t leaf = walk(grown_, cells_, cells_.row(unseen_[i]), [&](std::uint32_t node, std::uint32_t) {
      auto& rows = asked_by[static_cast<std::size_t>(grown_.tree.column[grown_.inner[node]])];
      if (rows.empty() || rows.back() != i) rows.push_back(i);
    });
    before[i] = loss(leaf, unseen_[i]);
  }
  std::vector<std::uint32_t> dealt(n);
  std::vector<typename Cells::Cell> changed(cells_.n_columns);
  for (std::size_t column = 0; column < cells_.n_columns; ++column) {
    if (asked_by[column].empty()) continue;
    std::iota(dealt.begin(), dealt.end(), 0u);
    const std::uint64_t key = stream_key({stream, column});
    for (std::size_t i = n - 1; i > 0; --i) std::swap(dealt[i], dealt[below(drawn(key, i), i + 1)]);
    for (const std::uint32_t i : asked_by[column]) {
      const typename Cells::Cell* own = cells_.row(unseen_[i]);
      std::copy(own, own + cells_.n_columns, changed.begin());
      changed[column] = cells_.row(unseen_[dealt[i]])[column];
      const std::uint32_t leaf = walk(grown_, cells_, changed.data(), [](std::uint32_t, std::uint32_t) {});
      sums[column] += weight(unseen_[i]) / total_ * (loss(leaf, unseen_[i]) - before[i]);
    }
  }
  return sums;
}

template class TreeImportance<ForestCodes>;
template class TreeImportance<CellRows<float>>;
template class TreeImportance<CellRows<double>>;

}  // namespace tw

#include "grow/forest/leaf_rows.hpp"

#include <algorithm>  // for max, min, nth_element, sort
#include <numeric>    // for iota

#include "ensemble/expand_tree.hpp"
#include "grow/assemble_tree.hpp"

namespace tw {

namespace {

constexpr std::size_t kRowsAtOnce = 64;

// Numbers by training row that are set back to 0 by what was touched.
template <class T>
class Tally {
 public:
  void add(std::uint32_t row, T what, std::size_t n_rows) {
    if (sum_.size() < n_rows) sum_.resize(n_rows, 0);
    if (sum_[row] == 0) touched_.push_back(row);
    sum_[row] += what;
  }
  std::vector<std::uint32_t>& touched() { return touched_; }
  T of(std::uint32_t row) const { return sum_[row]; }
  void clear() {
    for (const std::uint32_t row : touched_) sum_[row] = 0;
    touched_.clear();
  }

 private:
  std::vector<T> sum_;
  std::vector<std::uint32_t> touched_;
};

// Calls f(row, worker) for every row.
template <class F>
void for_each_row(std::size_t n_rows, Workers& workers, F f) {
  workers.run((n_rows + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::size_t block, int worker) {
    const std::size_t end = std::min(n_rows, (block + 1) * kRowsAtOnce);
    for (std::size_t row = block * kRowsAtOnce; row < end; ++row) f(row, worker);
  });
}

}  // namespace

LeafRows::LeafRows(const NodesOfRows& training, Workers& workers)
    : n_rows_(training.n_rows), start_(training.n_trees), rows_(training.n_trees) {
  workers.run(training.n_trees, [&](std::size_t tree, int) {
    std::int32_t last = -1;
    for (std::size_t row = 0; row < n_rows_; ++row) last = std::max(last, training.at(row, tree));
    auto& start = start_[tree];
    start.assign(static_cast<std::size_t>(last) + 2, 0);
    for (std::size_t row = 0; row < n_rows_; ++row) ++start[training.at(row, tree) + 1];
    for (std::size_t node = 1; node < start.size(); ++node) start[node] += start[node - 1];
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    rows_[tree].resize(n_rows_);
    for (std::size_t row = 0; row < n_rows_; ++row)
      rows_[tree][next[training.at(row, tree)]++] = static_cast<std::uint32_t>(row);
  });
}

void nearest_rows(const LeafRows& leaves, const NodesOfRows& rows, std::size_t k, Workers& workers,
                  std::int32_t* nearest, std::int32_t* n_shared) {
  std::vector<Tally<std::int32_t>> tallies(workers.size());
  for_each_row(rows.n_rows, workers, [&](std::size_t row, int worker) {
    auto& tally = tallies[worker];
    tally.clear();
    for (std::size_t tree = 0; tree < rows.n_trees; ++tree)
      leaves.for_each(tree, rows.at(row, tree), [&](std::uint32_t other) { tally.add(other, 1, leaves.n_rows()); });
    auto& found = tally.touched();
    const auto nearer = [&](std::uint32_t a, std::uint32_t b) {
      return tally.of(a) != tally.of(b) ? tally.of(a) > tally.of(b) : a < b;
    };
    const std::size_t n = std::min(k, found.size());
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n), found.end(), nearer);
    for (std::size_t i = 0; i < k; ++i) {
      nearest[row * k + i] = i < n ? static_cast<std::int32_t>(found[i]) : -1;
      n_shared[row * k + i] = i < n ? tally.of(found[i]) : 0;
    }
  });
}

void leaf_quantiles(const LeafRows& leaves, const NodesOfRows& rows, const std::vector<double>& y,
                    const std::vector<double>& weights, const std::vector<double>& shares, Workers& workers,
                    double* quantiles) {
  std::vector<std::uint32_t> order(y.size()), rank(y.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return y[a] < y[b]; });
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  std::vector<Tally<double>> tallies(workers.size());
  for_each_row(rows.n_rows, workers, [&](std::size_t row, int worker) {
    auto& tally = tallies[worker];
    tally.clear();
    for (std::size_t tree = 0; tree < rows.n_trees; ++tree) {
      double of_leaf = 0;
      leaves.for_each(tree, rows.at(row, tree), [&](std::uint32_t other) { of_leaf += weights[other]; });
      if (of_leaf <= 0) continue;
      leaves.for_each(tree, rows.at(row, tree), [&](std::uint32_t other) {
        if (weights[other] > 0) tally.add(rank[other], weights[other] / of_leaf, y.size());
      });
    }
    auto& found = tally.touched();
    std::sort(found.begin(), found.end());
    double total = 0;
    for (const std::uint32_t r : found) total += tally.of(r);
    for (std::size_t q = 0; q < shares.size(); ++q) {
      double sum = 0;
      std::size_t i = 0;
      for (; i + 1 < found.size(); ++i)
        if ((sum += tally.of(found[i])) >= shares[q] * total * (1 - 1e-12)) break;
      quantiles[row * shares.size() + q] = y[order[found[i]]];
    }
  });
}

void keep_leaves(SmallTree& tree, std::int64_t max_leaves, std::int32_t n_columns, std::int32_t n_classes) {
  if (static_cast<std::int64_t>(tree.n_leaves()) <= max_leaves) return;
  tree = shrink(keep_best_leaves(expand(tree, n_columns, n_classes), max_leaves));
}

}  // namespace tw

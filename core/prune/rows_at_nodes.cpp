#include "prune/rows_at_nodes.hpp"

#include <algorithm>  // for sort
#include <numeric>    // for partial_sum

namespace tw {

namespace {

// Rows of one class after the other. Weka swaps them into place, which leaves the others in an order of its own.
std::vector<std::uint32_t> class_by_class(const Target& target) {
  std::vector<std::uint32_t> rows = target.rows;
  std::size_t next = 1;
  while (next < rows.size()) {
    const std::uint16_t label = target.classes[rows[next - 1]];
    for (std::size_t j = next; j < rows.size(); ++j)
      if (target.classes[rows[j]] == label) std::swap(rows[next++], rows[j]);
    ++next;
  }
  return rows;
}

}  // namespace

std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> keep_rows(const Target& target, std::size_t folds) {
  const std::vector<std::uint32_t> rows = class_by_class(target);
  std::vector<std::uint32_t> dealt;
  dealt.reserve(rows.size());
  for (std::size_t start = 0; start < folds; ++start)
    for (std::size_t i = start; i < rows.size(); i += folds) dealt.push_back(rows[i]);
  const std::size_t kept = rows.size() / folds;
  std::vector<std::uint32_t> last(dealt.end() - kept, dealt.end());
  dealt.resize(dealt.size() - kept);
  std::sort(dealt.begin(), dealt.end());
  std::sort(last.begin(), last.end());
  return {std::move(dealt), std::move(last)};
}

// The nodes below a node are a run in preorder, so its rows are a run once rows are sorted by where they end. The
// different values of a run are counted as ever: the rows are met from left to right, of equal values only the last one
// met counts, and a run's answer is the count right of its beginning when its end is met. A Fenwick tree keeps counts.

namespace {

class Counts {
 public:
  explicit Counts(std::size_t n) : sums_(n + 1, 0) {}
  void add(std::size_t at, std::int64_t change) {
    for (std::size_t i = at + 1; i < sums_.size(); i += i & -i) sums_[i] += change;
  }
  std::int64_t before(std::size_t end) const {
    std::int64_t sum = 0;
    for (std::size_t i = end; i > 0; i -= i & -i) sum += sums_[i];
    return sum;
  }

 private:
  std::vector<std::int64_t> sums_;
};

struct Run {
  std::size_t begin, end;  // among the sorted rows
  std::int32_t node;
};

// The runs of the nodes that cut a column, by column.
std::vector<std::vector<Run>> runs_by_column(const Tree& tree, const std::vector<std::size_t>& rows_before) {
  std::vector<std::int32_t> size(tree.size(), 1);
  for (std::size_t i = tree.size(); i-- > 1;) size[tree.parent[i]] += size[i];
  std::vector<std::vector<Run>> runs(tree.n_columns);
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (tree.kind[i] == static_cast<std::uint8_t>(TestKind::threshold))
      runs[tree.column[i]].push_back({rows_before[i], rows_before[i + size[i]], static_cast<std::int32_t>(i)});
  return runs;
}

void count_column(const RankedColumn& column, const std::vector<std::uint32_t>& rows, std::vector<Run>& runs,
                  std::vector<std::int64_t>& values) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.end < b.end; });
  Counts counts(rows.size());
  std::vector<std::int64_t> last(column.n_codes + 1, -1);
  std::size_t met = 0;
  for (const Run& run : runs) {
    for (; met < run.end; ++met) {
      const std::uint32_t code = column.code(rows[met]);
      if (code == 0) continue;
      if (last[code] >= 0) counts.add(last[code], -1);
      counts.add(met, 1);
      last[code] = static_cast<std::int64_t>(met);
    }
    values[run.node] = counts.before(run.end) - counts.before(run.begin);
  }
}

}  // namespace

std::vector<std::int64_t> values_at_nodes(const Tree& tree, const RankedTable& table,
                                          std::span<const std::uint32_t> rows, std::span<const std::int32_t> ends) {
  std::vector<std::size_t> before(tree.size() + 1, 0);
  for (const std::int32_t end : ends) ++before[end + 1];
  std::partial_sum(before.begin(), before.end(), before.begin());
  std::vector<std::uint32_t> sorted(rows.size());
  std::vector<std::size_t> next(before.begin(), before.end() - 1);
  for (std::size_t i = 0; i < rows.size(); ++i) sorted[next[ends[i]]++] = rows[i];
  std::vector<std::int64_t> values(tree.size(), 0);
  auto runs = runs_by_column(tree, before);
  for (std::size_t c = 0; c < runs.size(); ++c)
    if (!runs[c].empty()) count_column(table.columns[c], sorted, runs[c], values);
  return values;
}

}  // namespace tw

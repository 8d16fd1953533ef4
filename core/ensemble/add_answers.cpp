#include "ensemble/add_answers.hpp"

#include <algorithm>  // for copy, fill, max, min

#include "ensemble/leaf_votes.hpp"
#include "ensemble/prepared_trees.hpp"
#include "ensemble/small_tree.hpp"

namespace tw {

namespace {

// A large tree is fetched once for all rows of a task, so it has many; but not so many that copies of wide rows take
// much memory, and there are some tasks for every thread.
constexpr std::size_t kMostRows = 16384, kFewestRows = 256, kMostNumbers = std::size_t{1} << 22;
constexpr std::size_t kWorthBlending = 16, kWorthBlendingTops = 128;  // rows; fewer walk

std::size_t rows_per_task(const Frame& frame, int threads) {
  const std::size_t most = std::min(kMostRows, kMostNumbers / std::max<std::size_t>(1, frame.columns.size()));
  std::size_t n = kFewestRows;
  while (2 * n <= most && 4 * static_cast<std::size_t>(threads) * n < frame.n_rows) n *= 2;
  return n;
}

// The rows of a frame for walking: its own memory where it is a matrix, else copies of some rows as doubles.
class WalkedRows {
 public:
  WalkedRows(const Ensemble& ensemble, const Frame& frame)
      : ensemble_(ensemble), frame_(frame), floats_(matrix_of<float>(frame)), doubles_(matrix_of<double>(frame)) {}

  const Frame& frame() const { return frame_; }

  // Has to be done before walk() goes to other rows.
  void copy(std::size_t begin, std::size_t n, std::vector<double>& copied) const {
    if (floats_.first || doubles_.first) return;
    const std::size_t n_columns = frame_.columns.size();
    copied.resize(n * n_columns);
    for (std::size_t c = 0; c < n_columns; ++c) {
      const FrameColumn& column = frame_.columns[c];
      const auto copy_all = [&](const auto& value_at) {
        for (std::size_t i = 0; i < n; ++i) copied[i * n_columns + c] = value_at(begin + i);
      };
      if (column.is_levels || column.numbers.missing)
        copy_all([&](std::size_t row) { return column.at(row); });
      else
        column.numbers.visit([&](auto zero) {
          copy_all([&](std::size_t row) { return static_cast<double>(column.numbers.load<decltype(zero)>(row)); });
        });
    }
  }

  void walk(std::size_t tree, std::size_t begin, std::size_t n, const std::vector<double>& copied,
            std::uint32_t* where) const {
    const PreparedTrees& trees = ensemble_.prepared();
    if (floats_.first && trees.fits_short())
      return trees.short_trees(ensemble_).walk_rows(tree, floats_.from(begin), n, where);
    const FlatTrees<LongNode>& long_trees = trees.long_trees(ensemble_);
    if (floats_.first) return long_trees.walk_rows(tree, floats_.from(begin), n, where);
    if (doubles_.first) return long_trees.walk_rows(tree, doubles_.from(begin), n, where);
    long_trees.walk_rows(tree, RowMatrix<double>{copied.data(), frame_.columns.size()}, n, where);
  }

 private:
  const Ensemble& ensemble_;
  const Frame& frame_;
  RowMatrix<float> floats_;
  RowMatrix<double> doubles_;
};

struct Scratch {
  BlendingRoom room;
  std::vector<double> copied;
  std::vector<std::uint8_t> entered;  // by tree and row: the leaf of the first levels
  std::vector<std::uint32_t> where;
};

struct Rows {
  std::size_t begin, n;
};

// at_tree(tree, first row, number of rows, leaves) for the trees, which are of the group, in order.
template <class AtTree>
void blend_group(const PreparedTrees::Group& group, Trees trees, const Frame& frame, Rows task, BlendingRoom& room,
                 AtTree&& at_tree) {
  for (std::size_t done = 0; done < task.n; done += kBlendedRows) {
    const std::size_t n = std::min(kBlendedRows, task.n - done);
    group.blended->code(frame, task.begin + done, n, room);
    for (std::size_t t = trees.first; t < trees.last; ++t)
      at_tree(t, task.begin + done, n, group.blended->leaves(t - group.first, room));
  }
}

// The rows of a task through trees of a group that are walked, from the root or from where blending leads.
template <class AtTree>
void walk_group(const PreparedTrees::Group& group, Trees trees, const WalkedRows& rows, Rows task, Scratch& scratch,
                AtTree&& at_tree) {
  const bool blends = group.blended && !group.entry.empty() && task.n >= kWorthBlendingTops;
  scratch.entered.resize(blends ? (trees.last - trees.first) * task.n : 0);
  if (blends)
    blend_group(group, trees, rows.frame(), task, scratch.room,
                [&](std::size_t tree, std::size_t begin, std::size_t n, const std::uint8_t* leaves) {
                  std::copy(leaves, leaves + n, &scratch.entered[(tree - trees.first) * task.n + begin - task.begin]);
                });
  rows.copy(task.begin, task.n, scratch.copied);
  scratch.where.resize(task.n);
  for (std::size_t t = trees.first; t < trees.last; ++t) {
    std::uint32_t* where = scratch.where.data();
    std::fill(where, where + task.n, 0);
    if (blends) {
      const std::uint8_t* entered = &scratch.entered[(t - trees.first) * task.n];
      const std::uint32_t* entry = group.entry[t - group.first].data();
      for (std::size_t i = 0; i < task.n; ++i) where[i] = entry[entered[i]];
    }
    rows.walk(t, task.begin, task.n, scratch.copied, where);
    at_tree(t, task.begin, task.n, where);
  }
}

// Calls at_tree(tree, first row, rows, leaves) for some rows at a time and every tree, the trees in order.
template <class AtTree>
void walk_all(const Ensemble& ensemble, Trees trees, const Frame& frame, Workers& workers, AtTree&& at_tree) {
  const WalkedRows rows(ensemble, frame);
  const std::size_t per_task = rows_per_task(frame, workers.size());
  std::vector<Scratch> scratch(static_cast<std::size_t>(workers.size()));
  workers.run((frame.n_rows + per_task - 1) / per_task, [&](std::size_t task, int worker) {
    const Rows part{task * per_task, std::min(per_task, frame.n_rows - task * per_task)};
    Scratch& own = scratch[static_cast<std::size_t>(worker)];
    for (const PreparedTrees::Group& group : ensemble.prepared().groups()) {
      if (workers.stop_asked()) return;
      const Trees of_group{std::max(trees.first, group.first), std::min(trees.last, group.last)};
      if (of_group.first >= of_group.last) continue;
      if (group.ends_blended() && part.n >= kWorthBlending)
        blend_group(group, of_group, frame, part, own.room, at_tree);
      else
        walk_group(group, of_group, rows, part, own, at_tree);
    }
  });
  workers.checkpoint();
}

// add(tree, leaves, rows, sums of the first row)
template <class Add>
void add_all(const Ensemble& ensemble, Trees trees, const Frame& frame, const AnswerSums& to, Workers& workers,
             Add&& add) {
  walk_all(ensemble, trees, frame, workers,
           [&](std::size_t tree, std::size_t begin, std::size_t n, const auto* leaves) {
             double* sums = to.sums + begin * to.n_outputs;
             add(tree, leaves, n, sums);
             const std::size_t done = tree + 1 - trees.first;
             if (!to.stages || done % to.per_stage != 0) return;
             double* stage = to.stages + (done / to.per_stage - 1) * frame.n_rows * to.n_outputs;
             std::copy(sums, sums + n * to.n_outputs, stage + begin * to.n_outputs);
           });
}

template <class Leaf>
void add_values(const double* value, const Leaf* leaves, std::size_t n, double* sums, std::size_t n_outputs) {
  if (n_outputs == 1)
    for (std::size_t i = 0; i < n; ++i) sums[i] += value[leaves[i]];
  else
    for (std::size_t i = 0; i < n; ++i) sums[i * n_outputs] += value[leaves[i]];
}

}  // namespace

void add_answers(const Ensemble& ensemble, Answer answer, Trees trees, const Frame& frame, const AnswerSums& to,
                 Workers& workers) {
  if (answer == Answer::values) {
    return add_all(ensemble, trees, frame, to, workers,
                   [&](std::size_t tree, const auto* leaves, std::size_t n, double* sums) {
                     const double* value = ensemble.trees[tree].value.data();
                     add_values(value, leaves, n, sums + tree % to.n_outputs, to.n_outputs);
                   });
  }
  const LeafVotes& said = answer == Answer::votes ? ensemble.leaf_votes() : ensemble.leaf_shares();
  add_all(ensemble, trees, frame, to, workers, [&](std::size_t tree, const auto* leaves, std::size_t n, double* sums) {
    for (std::size_t i = 0; i < n; ++i) said.add(tree, leaves[i], sums + i * to.n_outputs);
  });
}

void find_nodes(const Ensemble& ensemble, Trees trees, const Frame& frame, std::int32_t* nodes, Workers& workers) {
  const std::size_t n_trees = trees.last - trees.first;
  std::vector<std::vector<std::int32_t>> node_of(n_trees);  // by the number of the leaf
  for (std::size_t t = 0; t < n_trees; ++t) {
    const std::vector<std::uint8_t>& test = ensemble.trees[trees.first + t].test;
    for (std::size_t i = 0; i < test.size(); ++i)
      if (is_leaf(test[i])) node_of[t].push_back(static_cast<std::int32_t>(i));
  }
  walk_all(ensemble, trees, frame, workers,
           [&](std::size_t tree, std::size_t begin, std::size_t n, const auto* leaves) {
             const std::size_t t = tree - trees.first;
             for (std::size_t i = 0; i < n; ++i) nodes[(begin + i) * n_trees + t] = node_of[t][leaves[i]];
           });
}

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

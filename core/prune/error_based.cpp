#include "prune/error_based.hpp"

#include <algorithm>  // for max
#include <limits>     // for numeric_limits
#include <utility>    // for pair
#include <vector>     // for vector

#include "grow/finish_tree.hpp"
#include "prune/live_tree.hpp"
#include "prune/row_divider.hpp"

namespace tw {
namespace {

constexpr double kSlack = 0.1;  // a smaller tree may be worse by a tenth of an error
constexpr double kTiny = 1e-6;  // weights and errors that are closer are the same

// A subtree that gets no more training rows right than its root alone becomes a leaf. Children come behind their
// parents, so that one pass from behind knows the errors below every node.
void collapse(LiveTree& live) {
  const auto n = static_cast<std::int32_t>(live.stored().size());
  std::vector<double> below(n);
  for (std::int32_t node = n; node-- > 0;) {
    below[node] = live.is_leaf(node) ? live.errors(node) : 0;
    for (std::int32_t b = 0; b < live.n_children(node); ++b) below[node] += below[live.child(node, b)];
  }
  for (std::int32_t node = 0; node < n; ++node)
    if (!live.is_leaf(node) && below[node] >= live.errors(node) - 1e-3) live.become_leaf(node);
}

class Pruner {
 public:
  Pruner(LiveTree& live, RowDivider& divider, const ErrorPruning& how, Workers& workers)
      : live_(live), divider_(divider), how_(how), workers_(workers), errors_(live.stored().size(), 0) {}

  // Depth first without recursion: a frame is a node whose children are on their way.
  void run(std::span<const std::uint32_t> rows) {
    std::vector<Frame> frames;
    frames.push_back(open(0, divider_.add(rows), false));
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.next < live_.n_children(frame.node)) {
        const std::int32_t b = frame.next++;
        const std::int32_t child = live_.child(frame.node, b);
        if (live_.is_leaf(child) && !frame.fresh)
          errors_[child] = pessimistic_errors(child);
        else
          frames.push_back(open(child, frame.parts.empty() ? Segment() : frame.parts[b], frame.fresh));
        continue;
      }
      const bool done = close(frame);
      divider_.give_back(frame.mark);
      if (done)
        frames.pop_back();
      else
        frame = open(frame.node, frame.rows, true);  // it has been raised: prune it again
    }
  }

 private:
  struct Frame {
    std::int32_t node;
    Segment rows;
    bool fresh;        // other rows than in growth come here: everything below is counted anew
    std::size_t mark;  // where the divider's rows ended before this node was divided
    std::int32_t next = 0;
    std::vector<Segment> parts;
  };

  double pessimistic_errors(std::int32_t node) const {
    return how_.pessimistic.of_leaf(live_.weight(node), live_.errors(node));
  }

  bool has_inner_child(std::int32_t node) const {
    for (std::int32_t b = 0; b < live_.n_children(node); ++b)
      if (!live_.is_leaf(live_.child(node, b))) return true;
    return false;
  }

  Frame open(std::int32_t node, Segment rows, bool fresh) {
    workers_.checkpoint();
    if (fresh) live_.set_sums(node, divider_.sum(rows));
    Frame frame{node, rows, fresh, divider_.end(), 0, {}};
    // Rows are needed only where some subtree below could be raised, or where all is counted anew.
    if (fresh ? !live_.is_leaf(node) : how_.raise && has_inner_child(node))
      frame.parts = divider_.divide(live_.test(node), rows);
    return frame;
  }

  // Decides about a node whose children are done. False: it was replaced by its largest branch.
  bool close(Frame& frame) {
    const std::int32_t node = frame.node;
    const double leaf = pessimistic_errors(node);
    errors_[node] = leaf;
    if (live_.is_leaf(node)) return true;
    double tree = 0;
    for (std::int32_t b = 0; b < live_.n_children(node); ++b) tree += errors_[live_.child(node, b)];
    const std::int32_t largest = largest_child(node);
    double branch = std::numeric_limits<double>::infinity();
    // All that is asked of the branch is which side of this it lies on.
    const double enough = leaf <= tree + kSlack + kTiny ? leaf - kSlack : tree + kSlack + kTiny;
    if (how_.raise) branch = live_.is_leaf(largest) ? leaf : errors_if_given(largest, frame.rows, enough);
    if (leaf <= tree + kSlack + kTiny && leaf <= branch + kSlack + kTiny) {
      live_.become_leaf(node);
      return true;
    }
    errors_[node] = tree;
    if (!(branch <= tree + kSlack + kTiny)) return true;
    live_.take_place_of_parent(node, largest);
    return false;
  }

  // By weight, the last of equals.
  std::int32_t largest_child(std::int32_t node) const {
    std::int32_t largest = live_.child(node, 0);
    for (std::int32_t b = 1; b < live_.n_children(node); ++b) {
      const std::int32_t child = live_.child(node, b);
      if (live_.weight(child) > live_.weight(largest) - kTiny) largest = child;
    }
    return largest;
  }

  // The errors to be expected of a subtree if these rows came to it; where they are more than `enough`, some number
  // above it.
  double errors_if_given(std::int32_t root, Segment rows, double enough) {
    double sum = 0;
    open_.assign(1, {root, rows});
    const std::size_t mark = divider_.end();
    while (!open_.empty() && sum <= enough) {
      const auto [node, here] = open_.back();
      open_.pop_back();
      if (live_.is_leaf(node)) {
        const Sums sums = divider_.sum(here);
        sum += how_.pessimistic.of_leaf(divider_.weight(sums), divider_.errors(sums));
        continue;
      }
      if (!has_inner_child(node) && divider_.count_branches(live_.test(node), here, classes_)) {
        sum += pessimistic_errors_of_counts(static_cast<std::size_t>(live_.n_children(node)));
        continue;
      }
      const std::vector<Segment> parts = divider_.divide(live_.test(node), here);
      for (std::size_t b = parts.size(); b-- > 0;)
        open_.push_back({live_.child(node, static_cast<std::int32_t>(b)), parts[b]});
    }
    divider_.give_back(mark);
    return sum;
  }

  // Of leaves with the class weights in classes_, one after the other.
  double pessimistic_errors_of_counts(std::size_t n_leaves) const {
    const std::size_t K = classes_.size() / n_leaves;
    double sum = 0;
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
      std::int64_t weight = 0, most = 0;
      for (std::size_t k = 0; k < K; ++k) {
        weight += classes_[leaf * K + k];
        most = std::max(most, classes_[leaf * K + k]);
      }
      sum += how_.pessimistic.of_leaf(divider_.in_weight(weight), divider_.in_weight(weight - most));
    }
    return sum;
  }

  LiveTree& live_;
  RowDivider& divider_;
  const ErrorPruning& how_;
  Workers& workers_;
  std::vector<double> errors_;  // of each node, as it stands now
  std::vector<std::pair<std::int32_t, Segment>> open_;
  std::vector<std::int64_t> classes_;
};

}  // namespace

Tree prune_by_errors(const Tree& tree, const Table& table, const Target& target, std::span<const std::uint32_t> rows,
                     const Recipe& recipe, const ErrorPruning& how, Workers& workers) {
  std::int64_t root_weight = 0;
  bool has_missing = false;
  for (const std::uint32_t row : rows) root_weight += target.weight_of(row);
  for (const Column& column : table.columns) has_missing |= column.has_missing;
  const Weighing weighing(target, root_weight, has_missing);
  LiveTree live(tree, weighing);
  if (how.collapse) collapse(live);
  RowDivider divider(tree, table, weighing);
  if (how.prune) Pruner(live, divider, how, workers).run(rows);
  Tree result = live.write(recipe);
  if (how.first_answers) answer_first_class(result);
  return result;
}

}  // namespace tw

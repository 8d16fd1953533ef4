#include "prune/growth_by_price.hpp"

#include <algorithm>  // for max, min, stable_sort

namespace tw {
namespace {

constexpr double kSameWorth =
    1e-12;  // errors are whole rows: worths that differ by less of the root's risk are the same

// What a node that is done stands for.
struct Standing {
  double worth = 0, risk = 0;  // risk: of all that is below it
  std::int64_t splits = 0;
};

// A node whose sons are on their way.
struct Frame {
  std::int32_t node;
  double bound;  // the most that it can be worth
  std::vector<std::int32_t> sons;
  std::vector<Standing> done;
};

class Growth {
 public:
  Growth(const Tree& tree, const std::vector<double>& risk, const std::vector<double>& mean, double price)
      : tree_(tree), risk_(risk), mean_(mean), price_(price), slack_(tree.n_classes > 0 ? kSameWorth * risk[0] : 0),
        leaf_(tree.size(), 1) {}

  // Depth first without recursion.
  std::vector<std::uint8_t> run() {
    std::vector<Frame> frames;
    if (opens(0, risk_[0])) frames.push_back(open(0, risk_[0]));
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.done.size() < frame.sons.size()) {
        const std::int32_t son = frame.sons[frame.done.size()];
        const double bound = bound_of_next(frame);
        if (opens(son, bound))
          frames.push_back(open(son, bound));
        else
          frame.done.push_back({price_, risk_[son], 0});
        continue;
      }
      const Standing standing = close(frame);
      frames.pop_back();
      if (!frames.empty()) frames.back().done.push_back(standing);
    }
    return std::move(leaf_);
  }

 private:
  bool opens(std::int32_t node, double bound) const {
    return tree_.n_children[node] > 0 && std::min(risk_[node], bound) > price_ + slack_;
  }

  Frame open(std::int32_t node, double bound) const {
    Frame frame{node, bound, {}, {}};
    for (std::int32_t b = tree_.n_children[node]; b-- > 0;) frame.sons.push_back(tree_.child(node, b));
    std::stable_sort(frame.sons.begin(), frame.sons.end(), [&](auto x, auto y) { return mean_[x] < mean_[y]; });
    return frame;
  }

  double bound_of_next(const Frame& frame) const {
    const double own = risk_[frame.node];
    if (frame.done.empty()) return std::min(own, frame.bound) - price_;
    double saved = own, saved_by_sons = own;
    std::int64_t splits = 1;
    for (std::size_t i = 0; i < frame.done.size(); ++i) {
      saved -= frame.done[i].risk, splits += frame.done[i].splits;
      saved_by_sons -= risk_[frame.sons[i]];
    }
    return std::min(std::max(saved / double(splits), saved_by_sons), frame.bound) - price_;
  }

  // Sons that are worth less than the node are cut before it, the weakest first, of equals the last.
  Standing close(Frame& frame) {
    std::vector<std::size_t> order;
    for (std::size_t i = frame.sons.size(); i-- > 0;) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto x, auto y) { return frame.done[x].worth < frame.done[y].worth - slack_; });
    Standing standing = together(frame);
    for (const std::size_t i : order) {
      if (standing.worth <= frame.done[i].worth + slack_) break;
      frame.done[i].risk = risk_[frame.sons[i]], frame.done[i].splits = 0;
      standing = together(frame);
    }
    if (standing.worth <= price_ + slack_) return {standing.worth, risk_[frame.node], 0};  // all in vain
    leaf_[frame.node] = 0;
    return standing;
  }

  Standing together(const Frame& frame) const {
    Standing all;
    all.splits = 1;
    for (const Standing& son : frame.done) all.risk += son.risk, all.splits += son.splits;
    all.worth = (risk_[frame.node] - all.risk) / double(all.splits);
    return all;
  }

  const Tree& tree_;
  const std::vector<double>&risk_, &mean_;
  double price_, slack_;
  std::vector<std::uint8_t> leaf_;
};

}  // namespace

std::vector<std::uint8_t> leaves_by_price(const Tree& tree, const std::vector<double>& risk,
                                          const std::vector<double>& mean, double price) {
  return Growth(tree, risk, mean, price).run();
}

}  // namespace tw

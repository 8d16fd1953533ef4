#include "prune/losses.hpp"

namespace tw {
namespace {

struct Moments {
  double weight = 0, mean = 0, squares = 0;

  void add(const Moments& other) {
    if (other.weight <= 0) return;
    const double total = weight + other.weight, apart = other.mean - mean;
    mean += apart * (other.weight / total);
    squares += other.squares + apart * apart * (weight * (other.weight / total));
    weight = total;
  }
};

std::vector<double> squared_as_leaf(const Tree& tree, const HeldOutRows& rows) {
  std::vector<Moments> moments(tree.size());
  for (std::size_t i = 0; i < rows.nodes.size(); ++i) moments[rows.nodes[i]].add({rows.weights[i], rows.truth[i], 0});
  for (std::size_t i = tree.size(); i-- > 1;) moments[tree.parent[i]].add(moments[i]);
  std::vector<double> result(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const double apart = moments[i].mean - tree.value[i];
    result[i] = moments[i].squares + moments[i].weight * apart * apart;
  }
  return result;
}

}  // namespace

HeldOutLosses held_out_losses(const Tree& tree, const HeldOutRows& rows, const std::string& kind) {
  HeldOutLosses result{std::vector<double>(tree.size(), 0), std::vector<double>(tree.size(), 0)};
  for (std::size_t i = 0; i < rows.nodes.size(); ++i) {
    const std::int32_t end = rows.nodes[i];
    result.ends[end] += rows.weights[i] * loss_of(kind, rows.truth[i], tree.value[end]);
  }
  if (kind == "squared_error") {
    result.as_leaf = squared_as_leaf(tree, rows);
    return result;
  }
  for (std::size_t i = 0; i < rows.nodes.size(); ++i)
    for (std::int32_t node = rows.nodes[i]; node >= 0; node = tree.parent[node])
      result.as_leaf[node] += rows.weights[i] * loss_of(kind, rows.truth[i], tree.value[node]);
  return result;
}

}  // namespace tw

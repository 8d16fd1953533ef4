#include "tree/tree.hpp"

#include <algorithm>  // for find
#include <limits>     // for numeric_limits

#include "base/error.hpp"

namespace tw {

void Tree::find_shape() {
  const std::size_t n = size();
  if (n == 0) throw BadInput("the tree has no nodes");
  if (n > 0x7ffffff0u) throw BadInput("the tree has too many nodes");
  children_start.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) children_start[i + 1] = children_start[i] + n_children[i];
  if (children_start[n] != static_cast<std::int64_t>(n) - 1)
    throw BadInput("n_children does not describe one tree: the numbers of children do not add up");
  children.assign(n - 1, 0);
  parent.assign(n, -1);
  depth.assign(n, 0);
  std::vector<std::int32_t> open;  // ancestors that still wait for children
  std::vector<std::uint16_t> filled(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) {
      if (open.empty())
        throw BadInput("n_children does not describe one tree: node " + std::to_string(i) + " has no parent");
      const auto p = static_cast<std::size_t>(open.back());
      parent[i] = open.back();
      depth[i] = depth[p] + 1;
      children[static_cast<std::size_t>(children_start[p]) + filled[p]++] = static_cast<std::int32_t>(i);
      if (filled[p] == n_children[p]) open.pop_back();
    }
    if (n_children[i] > 0) open.push_back(static_cast<std::int32_t>(i));
  }
  if (!open.empty()) throw BadInput("n_children does not describe one tree: children are missing");
}

namespace {

template <class T>
std::vector<T> pick(const std::vector<T>& from, const std::vector<std::size_t>& nodes) {
  std::vector<T> to;
  if (from.empty()) return to;
  to.reserve(nodes.size());
  for (auto node : nodes) to.push_back(from[node]);
  return to;
}

// Copies the slices of the picked nodes of a (start, item, item) triple; `keep` says whether a node keeps its slice.
template <class A, class B, class Keep>
void pick_slices(const std::vector<std::int64_t>& start, const std::vector<A>& a, const std::vector<B>& b,
                 const std::vector<std::size_t>& nodes, Keep keep, std::vector<std::int64_t>& to_start,
                 std::vector<A>& to_a, std::vector<B>& to_b) {
  if (start.empty()) return;
  to_start.push_back(0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (keep(i)) {
      to_a.insert(to_a.end(), a.begin() + start[nodes[i]], a.begin() + start[nodes[i] + 1]);
      to_b.insert(to_b.end(), b.begin() + start[nodes[i]], b.begin() + start[nodes[i] + 1]);
    }
    to_start.push_back(static_cast<std::int64_t>(to_a.size()));
  }
}

void make_leaf(Tree& tree, std::size_t node) {
  tree.n_children[node] = 0;
  tree.kind[node] = static_cast<std::uint8_t>(TestKind::leaf);
  tree.column[node] = -1;
  tree.threshold[node] = std::numeric_limits<double>::quiet_NaN();
  tree.missing_branch[node] = kMissingStops;
  tree.gain[node] = 0;
  for (auto& [name, numbers] : tree.extras)
    if (name == "price") numbers[node] = std::numeric_limits<double>::quiet_NaN();  // of a test that is no more
}

// Lists that describe a node's test go when it becomes a leaf; others (a model in each node) stay.
bool describes_test(const std::string& name) {
  return name == "term" || name == "interval" || name == "surrogate" || name == "surrogate_level" ||
         name == "candidate" || name == "candidate_level";
}

NodeList pick_list(const NodeList& from, const std::vector<std::size_t>& nodes, const Tree& result) {
  NodeList to;
  to.name = from.name;
  to.start.push_back(0);
  for (const auto& field : from.fields) to.fields.emplace_back(field.first, std::vector<double>());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto begin = from.start[nodes[i]], end = from.start[nodes[i] + 1];
    const bool keep = result.n_children[i] > 0 || !describes_test(from.name);
    if (keep)
      for (std::size_t f = 0; f < from.fields.size(); ++f)
        to.fields[f].second.insert(to.fields[f].second.end(), from.fields[f].second.begin() + begin,
                                   from.fields[f].second.begin() + end);
    to.start.push_back(to.start.back() + (keep ? end - begin : 0));
  }
  return to;
}

}  // namespace

Tree cut_at(const Tree& tree, const std::vector<std::uint8_t>& becomes_leaf) {
  std::vector<std::size_t> nodes;  // survivors, still in preorder
  std::vector<std::uint8_t> gone(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const auto p = static_cast<std::size_t>(tree.parent[i]);
    gone[i] = tree.parent[i] >= 0 && (gone[p] || becomes_leaf[p]);
    if (!gone[i]) nodes.push_back(i);
  }
  Tree result;
  result.n_columns = tree.n_columns, result.n_classes = tree.n_classes;
  result.n_children = pick(tree.n_children, nodes);
  result.kind = pick(tree.kind, nodes);
  result.column = pick(tree.column, nodes);
  result.threshold = pick(tree.threshold, nodes);
  result.missing_branch = pick(tree.missing_branch, nodes);
  result.n_rows = pick(tree.n_rows, nodes);
  result.weight = pick(tree.weight, nodes);
  result.impurity = pick(tree.impurity, nodes);
  result.gain = pick(tree.gain, nodes);
  result.prediction = pick(tree.prediction, nodes);
  result.value = pick(tree.value, nodes);
  for (const auto& [name, numbers] : tree.extras) result.extras.emplace_back(name, pick(numbers, nodes));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (becomes_leaf[nodes[i]]) make_leaf(result, i);
  auto inner = [&](std::size_t i) { return result.n_children[i] > 0; };
  auto always = [](std::size_t) { return true; };
  pick_slices(tree.level_start, tree.level, tree.level_branch, nodes, inner, result.level_start, result.level,
              result.level_branch);
  pick_slices(tree.count_start, tree.count_class, tree.count_weight, nodes, always, result.count_start,
              result.count_class, result.count_weight);
  for (const NodeList& list : tree.lists) result.lists.push_back(pick_list(list, nodes, result));
  result.find_shape();
  result.read_lists();
  return result;
}

const NodeList* Tree::list(const char* name) const {
  for (const NodeList& list : lists)
    if (list.name == name) return &list;
  return nullptr;
}

const std::vector<double>* Tree::extra(const char* name) const {
  for (const auto& [known, numbers] : extras)
    if (known == name) return &numbers;
  return nullptr;
}

bool Tree::spreads() const {
  return std::find(missing_branch.begin(), missing_branch.end(), kMissingSpreads) != missing_branch.end();
}

}  // namespace tw

#include "predict/flat_tree.hpp"

#include <cmath>   // for nextafter
#include <limits>  // for numeric_limits

namespace tw {
namespace {

constexpr std::int32_t kLeaf = std::numeric_limits<std::int32_t>::min();  // the sign bit

bool is_plain(const Tree& tree) {
  if (!tree.surrogates.empty()) return false;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.n_children[i] == 0) continue;
    if (tree.kind[i] != static_cast<std::uint8_t>(TestKind::threshold) || tree.n_children[i] != 2 ||
        tree.missing_branch[i] < 0)
      return false;
  }
  return true;
}

float round_down(double x) {
  auto single = static_cast<float>(x);
  if (static_cast<double>(single) > x) single = std::nextafter(single, -std::numeric_limits<float>::infinity());
  return single;
}

}  // namespace

// meta = child << (column_bits + 1) | missing goes right << column_bits | column
FlatTree FlatTree::make(const Tree& tree) {
  FlatTree flat;
  int bits = 1;
  while (bits < 31 && (1ll << bits) < tree.n_columns) ++bits;
  if (!is_plain(tree) || static_cast<long long>(tree.size()) >= (1ll << (30 - bits))) return flat;
  flat.column_bits = bits;
  const std::size_t n = tree.size();
  flat.threshold.resize(n), flat.threshold_single.resize(n), flat.meta.resize(n);
  flat.stored_node.reserve(n);
  flat.stored_node.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {  // breadth first: stored_node is the queue
    const std::int32_t node = flat.stored_node[i];
    if (tree.n_children[node] == 0) {
      flat.threshold[i] = flat.threshold_single[i] = std::numeric_limits<float>::infinity();
      flat.meta[i] = kLeaf | static_cast<std::int32_t>(i) << (bits + 1);
      continue;
    }
    const auto child = static_cast<std::int32_t>(flat.stored_node.size());
    flat.stored_node.push_back(tree.child(node, 0));
    flat.stored_node.push_back(tree.child(node, 1));
    flat.threshold[i] = tree.threshold[node];
    flat.threshold_single[i] = round_down(tree.threshold[node]);
    flat.meta[i] = child << (bits + 1) | tree.missing_branch[node] << bits | tree.column[node];
  }
  return flat;
}

}  // namespace tw

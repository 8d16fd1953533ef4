#include "predict/find_leaves.hpp"

#include <algorithm>  // for min

#include "predict/flat_tree.hpp"
#include "predict/walk.hpp"
#include "predict/walk_flat.hpp"

namespace tw {
namespace {

constexpr std::size_t kRowsPerTask = 8192;
constexpr std::size_t kWorthFlattening = 256;  // rows

// Row-major memory of one number type, as numpy gives it; null when the frame is anything else.
template <class Number>
const Number* matrix_of(const Frame& frame, NumberType type, std::size_t& stride) {
  const auto& columns = frame.columns;
  if (columns.empty()) return nullptr;
  const Values& first = columns[0].numbers;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Values& v = columns[c].numbers;
    if (columns[c].is_levels || v.type != type || v.missing || v.stride != first.stride ||
        v.data != first.data + c * sizeof(Number))
      return nullptr;
  }
  if (first.stride <= 0 || first.stride % sizeof(Number) != 0) return nullptr;
  stride = static_cast<std::size_t>(first.stride) / sizeof(Number);
  return reinterpret_cast<const Number*>(first.data);
}

template <class Walk>
void in_tasks(std::size_t n_rows, Workers& workers, Walk walk) {
  workers.run((n_rows + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task, int) {
    const std::size_t begin = task * kRowsPerTask;
    walk(begin, std::min(n_rows, begin + kRowsPerTask));
  });
}

template <class Number>
bool walk_matrix(const Tree& tree, const Frame& frame, NumberType type, std::int32_t* leaf_of, Workers& workers) {
  std::size_t stride = 0;
  const Number* rows = matrix_of<Number>(frame, type, stride);
  if (!rows || frame.n_rows < kWorthFlattening) return false;
  const FlatTree flat = FlatTree::make(tree);
  if (flat.empty()) return false;
  in_tasks(frame.n_rows, workers, [&](std::size_t begin, std::size_t end) {
    walk_flat(flat, rows + begin * stride, stride, end - begin, leaf_of + begin);
  });
  return true;
}

}  // namespace

void find_leaves(const Tree& tree, const Frame& frame, std::int32_t* leaf_of, Workers& workers) {
  if (walk_matrix<float>(tree, frame, NumberType::f32, leaf_of, workers)) return;
  if (walk_matrix<double>(tree, frame, NumberType::f64, leaf_of, workers)) return;
  in_tasks(frame.n_rows, workers, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      leaf_of[row] = find_leaf(tree, [&](std::int32_t column) { return frame.columns[column].at(row); });
  });
}

}  // namespace tw

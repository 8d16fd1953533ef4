#include "grow/tables/oblique/bits.hpp"

#include <algorithm>  // for max, min

namespace tw {
namespace {

constexpr std::int64_t kLongestTable = 1 << 21;
constexpr int kFloorBits = 40;  // numbers are never told more exactly than 2^-40 of the node's spread

}  // namespace

Logarithms::Logarithms(std::int64_t largest) {
  const double top = double(largest) * std::log2(double(std::max<std::int64_t>(largest, 2)));
  const int exponent = std::ilogb(top) + 1;  // top < 2^exponent
  step_ = std::ldexp(1.0, exponent - 50);    // two bits of room: sums of several terms meet in between
  per_step_ = std::ldexp(1.0, 50 - exponent);
  const auto n = static_cast<std::size_t>(std::min(largest + 1, kLongestTable));
  std::vector<double> table(n);
  for (std::size_t x = 0; x < n; ++x) table[x] = compute(static_cast<std::int64_t>(x));
  table_ = std::move(table);
}

ClassSides::ClassSides(const Logarithms& logs, std::span<const std::int64_t> node)
    : logs_(logs), node_(node.begin(), node.end()), sides_(node.size()) {
  for (const std::int64_t weight : node_) total_ += weight, node_logs_ += logs_(weight);
  clear();
}

void ClassSides::clear() {
  for (std::size_t k = 0; k < node_.size(); ++k) sides_[k] = {0, node_[k], 0, logs_(node_[k])};
  weight_ = 0, left_logs_ = 0, right_logs_ = node_logs_;
}

NumberSides::NumberSides(const NumberSum& node) : node_(node), spread_(node.spread()) {
  if (node.weight <= 0) return;
  const std::int64_t half = node.weight / 2;
  middle_ = (node.first >= 0 ? node.first + half : node.first - half) / node.weight;
  rest_ = double(node.first - middle_ * node.weight);
}

double NumberSides::most() const { return double(node_.weight) * kFloorBits / 2; }

double NumberSides::bits_of(double merit) const {
  const double inside = 1 - std::min(1.0, std::ldexp(merit, -40)), floor = std::ldexp(1.0, -kFloorBits);
  return double(node_.weight) / 2 * std::log2((1 + floor) / (inside + floor));
}

}  // namespace tw

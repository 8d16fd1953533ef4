// NodePayload: what the rows of one large node carry, laid out in the node's own order, so that every column's pass
// reads it straight ahead. Counting fills a table of counts from it: bucket (or level) × PairSum, missing as row 0.
#pragma once

#include <cstdint>  // for uint64_t
#include <memory>   // for unique_ptr
#include <span>     // for span
#include <vector>   // for vector

#include "grow/exact/pair_sum.hpp"
#include "table/column.hpp"
#include "table/target.hpp"

namespace tw {

using CountTable = std::vector<PairSum>;

class NodePayload {
 public:
  virtual ~NodePayload() = default;
  virtual void resize(std::size_t n) = 0;
  // Of the rows from begin to end.
  virtual void take(const Target& target, std::span<const std::uint32_t> rows, std::size_t begin, std::size_t end) = 0;
  // Of the rows whose places are the lower halves of the words, in their order.
  virtual void gather(std::span<const std::uint64_t> words, std::vector<PairSum>& to) const = 0;
  virtual void count(const Column& column, std::span<const std::uint32_t> rows, CountTable& table) const = 0;
};

std::unique_ptr<NodePayload> make_node_payload(const Target& target);

}  // namespace tw

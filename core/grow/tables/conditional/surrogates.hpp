// Surrogates of conditional trees, as partykit finds them: which way a row goes is a target of two classes, against
// which every other column is tested; the most significant ones are cut, whatever the size of the sides.
#pragma once

#include <cstdint>     // for uint16_t
#include <functional>  // for function
#include <span>        // for span
#include <vector>      // for vector

#include "grow/tables/conditional/association.hpp"
#include "grow/tables/splitter.hpp"

namespace tw {

constexpr std::uint16_t kNoWay = 0xffff;  // of a row without a value

struct ConditionalSurrogateRules {
  std::size_t most = 0;
  StatisticKind kind, cut_kind;
  const std::vector<std::vector<double>>& scores;  // ordered columns: what each code counts as
  // The natural logarithm of the p-value of an association.
  std::function<double(const Association&, const Deviations&, bool by_level)> log_p;
};

// The way of every row of the node by its own test; kNoWay without a value.
std::vector<std::uint16_t> ways_of_rows(const NodeView& node, const Split& split);

std::vector<Surrogate> conditional_surrogates(const NodeView& node, std::int32_t own,
                                              std::span<const std::uint16_t> ways,
                                              const ConditionalSurrogateRules& rules);

// Fills in the ways of rows without a value: by the first surrogate that has one, else by `otherwise`.
void send_by_surrogates(const NodeView& node, const std::vector<Surrogate>& surrogates, std::uint16_t otherwise,
                        std::vector<std::uint16_t>& ways);

}  // namespace tw

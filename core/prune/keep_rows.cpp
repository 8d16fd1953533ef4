#include "prune/keep_rows.hpp"

#include <algorithm>  // for sort

namespace tw {
namespace {

// Rows of one class after the other. Weka swaps them into place, which leaves the others in an order of its own.
std::vector<std::uint32_t> class_by_class(const Target& target) {
  std::vector<std::uint32_t> rows = target.rows;
  std::size_t next = 1;
  while (next < rows.size()) {
    const std::uint16_t label = target.classes[rows[next - 1]];
    for (std::size_t j = next; j < rows.size(); ++j)
      if (target.classes[rows[j]] == label) std::swap(rows[next++], rows[j]);
    ++next;
  }
  return rows;
}

}  // namespace

std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> keep_rows(const Target& target, std::size_t folds) {
  const std::vector<std::uint32_t> rows = class_by_class(target);
  std::vector<std::uint32_t> dealt;
  dealt.reserve(rows.size());
  for (std::size_t start = 0; start < folds; ++start)
    for (std::size_t i = start; i < rows.size(); i += folds) dealt.push_back(rows[i]);
  const std::size_t kept = rows.size() / folds;
  std::vector<std::uint32_t> last(dealt.end() - kept, dealt.end());
  dealt.resize(dealt.size() - kept);
  std::sort(dealt.begin(), dealt.end());
  std::sort(last.begin(), last.end());
  return {std::move(dealt), std::move(last)};
}

}  // namespace tw

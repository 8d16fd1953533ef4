#include "grow/boost/joint_columns.hpp"

#include <algorithm>  // for min

#include "grow/boost/binned_table.hpp"

namespace tw {
namespace {

constexpr std::uint32_t kMostCodes = 512;    // of a set
constexpr std::size_t kMostWords = 0x10000;  // of all sets: a place in them has 16 bits
constexpr std::size_t kJointBlock = 4096;
constexpr std::size_t kLeastRows = 16384;  // of a table in which it is worth the memory

}  // namespace

void JointColumns::find_sets(const BinnedTable& table, Workers& workers) {
  first_place_ = table.narrow_columns.size();
  if (table.n_rows < kLeastRows) return;
  std::vector<Set> sets;
  for (std::size_t place = table.narrow_columns.size(); place-- > 0;) {
    const std::int32_t column = table.narrow_columns[place];
    const std::uint32_t n_codes = table.columns[column].n_bins + 1;
    if (n_codes * n_codes > kMostCodes) break;
    if (sets.empty() || sets.back().n_codes * n_codes > kMostCodes) sets.emplace_back();
    sets.back().columns.push_back(column);
    sets.back().n_codes *= n_codes;
  }
  for (Set& set : sets) {
    if (set.columns.size() < 2 || size_ + set.n_codes > kMostWords) break;
    set.at = static_cast<std::uint32_t>(size_);
    size_ += set.n_codes, first_place_ -= set.columns.size();
    sets_.push_back(std::move(set));
  }
  codes_.resize(table.n_rows * sets_.size());
  workers.run((table.n_rows + kJointBlock - 1) / kJointBlock, [&](std::size_t block, int) {
    const std::size_t begin = block * kJointBlock, end = std::min(table.n_rows, begin + kJointBlock);
    for (std::size_t s = 0; s < sets_.size(); ++s)
      for (std::size_t row = begin; row < end; ++row) {
        std::uint32_t code = 0;
        for (const std::int32_t column : sets_[s].columns)
          code = code * (table.columns[column].n_bins + 1) + table.columns[column].narrow[row];
        codes_[row * sets_.size() + s] = static_cast<std::uint16_t>(sets_[s].at + code);
      }
  });
}

template <class Word>
void JointColumns::add_to(const BinnedTable& table, const Word* combinations, Word* histogram) const {
  for (const Set& set : sets_) {
    std::uint32_t below = 1;  // combinations of the columns after this one
    for (std::size_t i = set.columns.size(); i-- > 0;) {
      const std::uint32_t n_codes = table.columns[set.columns[i]].n_bins + 1;
      Word* bins = histogram + table.line_of(set.columns[i]);
      for (std::uint32_t code = 0, at = 0; at < set.n_codes; code = code + 1 == n_codes ? 0 : code + 1, at += below) {
        Word sum{};
        for (std::uint32_t j = 0; j < below; ++j) sum += combinations[set.at + at + j];
        bins[code * kTogether] += sum;
      }
      below *= n_codes;
    }
  }
}

template void JointColumns::add_to<PackedWord>(const BinnedTable&, const PackedWord*, PackedWord*) const;
template void JointColumns::add_to<WideWord>(const BinnedTable&, const WideWord*, WideWord*) const;

}  // namespace tw

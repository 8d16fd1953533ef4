#include "grow/tables/sorted_lists.hpp"

#include "base/radix_sort.hpp"
#include "grow/lists/divide_list.hpp"

namespace tw {

SortedLists::SortedLists(const RankedTable& table, std::span<const std::uint32_t> rows, std::uint32_t n_counted,
                         Workers& workers)
    : n_rows_(rows.size()), n_in_table_(table.n_rows), lists_(table.columns.size()) {
  std::vector<std::vector<std::uint64_t>> other(static_cast<std::size_t>(workers.size()));
  workers.run(table.columns.size(), [&](std::size_t c, int worker) {
    const RankedColumn& column = table.columns[c];
    if (!column.ordered() || column.n_codes <= n_counted) return;
    std::vector<std::uint64_t>& list = lists_[c];
    list.resize(n_rows_);
    other[worker].resize(n_rows_);
    column.visit_codes([&](const auto* codes) {
      for (std::size_t i = 0; i < n_rows_; ++i) list[i] = std::uint64_t(codes[rows[i]]) << 32 | rows[i];
    });
    if (radix_sort(list.data(), other[worker].data(), n_rows_, bits_for(column.n_codes)) != list.data())
      list.swap(other[worker]);
  });
}

SortedLists::Marks SortedLists::make_marks() const {
  return {std::vector<std::uint32_t>(n_in_table_ / 32 + 1, 0), std::vector<std::uint64_t>(n_rows_ + 16)};
}

void SortedLists::mark(Marks& marks, std::span<const std::uint32_t> rows) {
  for (const std::uint32_t row : rows) marks.bits[row >> 5] |= 1u << (row & 31);
}

void SortedLists::take_away(Marks& marks, std::span<const std::uint32_t> rows) {
  for (const std::uint32_t row : rows) marks.bits[row >> 5] = 0;
}

void SortedLists::divide(std::int32_t column, std::size_t begin, std::size_t n, const Marks& marks, bool marked_first,
                         std::vector<std::uint64_t>& spare) {
  divide_list(lists_[column].data() + begin, n, marks.bits.data(), marked_first, spare.data());
}

}  // namespace tw

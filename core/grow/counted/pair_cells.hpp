// The search in tables of counts for two classes or a numeric target: that of large nodes, whose tables are the same.
#pragma once

#include <memory>   // for unique_ptr
#include <utility>  // for move
#include <vector>   // for vector

#include "grow/counted/cell_search.hpp"
#include "grow/exact/table_search.hpp"

namespace tw {

class PairCells final : public CellSearch {
 public:
  explicit PairCells(std::unique_ptr<TableSearch> search) : search_(std::move(search)) {}

  Best start(const GrowingNode& s, const Arena&) override { return search_->start(s); }

  void find(const CellTable& table, const CountedColumn& kind, std::int32_t column, Best& best) override {
    read(table);
    if (kind.ordered()) return search_->find_edge(counts_, column, best);
    levels_.clear();
    for (std::uint32_t code = 1; code < counts_.size(); ++code)
      if (counts_[code].rows) levels_.push_back({code, counts_[code], 0});
    if (levels_.size() + (counts_[0].rows > 0) > 1)
      search_->find_levels(levels_, counts_[0], kind.n_codes, column, best);
  }

  std::vector<std::uint32_t> open_cells(const CellTable& table, std::int32_t, double reach) override {
    read(table);
    for (std::size_t c = 1; c < counts_.size(); ++c)  // the value of a single row may be to be found, too
      if (counts_[c].rows == 1 && table.is_stretch(c)) counts_[c].rows = 2;
    const auto open = std::make_unique<bool[]>(counts_.size());
    search_->mark_open_buckets(counts_, reach, {open.get(), counts_.size()});
    std::vector<std::uint32_t> cells;
    for (std::uint32_t c = 1; c < counts_.size(); ++c)
      if (open[c] && table.is_stretch(c)) cells.push_back(c);
    return cells;
  }

 private:
  void read(const CellTable& table) {
    counts_.resize(table.n_cells);
    for (std::size_t c = 0; c < table.n_cells; ++c) counts_[c] = {table.cell(c)[1], table.cell(c)[2], table.rows(c)};
  }

  std::unique_ptr<TableSearch> search_;
  CountTable counts_;
  std::vector<LevelSum> levels_;
};

}  // namespace tw

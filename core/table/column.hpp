// Column: one encoded column. Every value is a code; 0 is missing, 1 … n_codes follow the order of the values
// (numeric: dense ranks; nominal and ordinal: levels). Codes are kept in the narrowest width.
//
// A numeric column with more than 255 codes also has buckets: a second, 8-bit code (0 missing, 1 … n_buckets) that
// cuts the ranks into runs of about equal weight. Large nodes count buckets first and open only those that matter.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "table/values.hpp"

namespace tw {

enum class Kind : std::uint8_t { numeric, nominal, ordinal };

struct Column {
  Kind kind = Kind::numeric;
  std::uint32_t n_codes = 0;
  bool has_missing = false;
  int width = 4;  // bytes of a code: 1, 2 or 4
  std::vector<std::uint8_t> codes8;
  std::vector<std::uint16_t> codes16;
  std::vector<std::uint32_t> codes32;
  std::vector<std::uint8_t> buckets;       // empty when width is 1: the codes are the buckets then
  std::vector<std::uint32_t> bucket_last;  // last rank of bucket 1, 2, …
  Values values;                           // numeric only: where thresholds come from

  bool ordered() const { return kind != Kind::nominal; }
  std::uint32_t code(std::size_t row) const {
    return width == 1 ? codes8[row] : width == 2 ? codes16[row] : codes32[row];
  }
  const std::uint8_t* bucket_codes() const { return width == 1 ? codes8.data() : buckets.data(); }

  // What the test `x <= t` compares: a number, or the level's code where the column is ordinal.
  double value(std::size_t row) const {
    return kind == Kind::numeric ? values.at(row) : static_cast<double>(code(row));
  }

  // Calls f with a pointer to the codes in their own width.
  template <class F>
  auto visit_codes(F&& f) const {
    if (width == 1) return f(codes8.data());
    if (width == 2) return f(codes16.data());
    return f(codes32.data());
  }
};

struct Table {
  std::size_t n_rows = 0;
  std::vector<Column> columns;
};

}  // namespace tw

// Frame: the rows to predict, column by column, as the user has them: numbers where they lie in memory, nominal and
// ordinal columns as level codes of the training dictionary (0: missing or never seen).
#pragma once

#include <cstdint>  // for int32_t
#include <vector>   // for vector

#include "table/values.hpp"

namespace tw {

struct FrameColumn {
  bool is_levels = false;
  Values numbers;                       // numeric
  const std::int32_t* codes = nullptr;  // levels
  std::ptrdiff_t code_stride = 4;       // bytes

  // A number, or a level code; NaN where there is none.
  double at(std::size_t row) const {
    if (!is_levels) return numbers.at(row);
    std::int32_t code;
    std::memcpy(&code, reinterpret_cast<const char*>(codes) + static_cast<std::ptrdiff_t>(row) * code_stride, 4);
    return code > 0 ? static_cast<double>(code) : std::numeric_limits<double>::quiet_NaN();
  }
};

struct Frame {
  std::size_t n_rows = 0;
  std::vector<FrameColumn> columns;
};

}  // namespace tw

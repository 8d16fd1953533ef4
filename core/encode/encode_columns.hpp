// The user's columns → coded and raw columns, once for the whole table, in parallel.
#pragma once

#include <vector>  // for vector

#include "base/workers.hpp"
#include "table/column.hpp"

namespace tw {

// Whether every number of a type is one of single precision.
inline bool fits_single(NumberType type) {
  return type == NumberType::f32 || type == NumberType::i8 || type == NumberType::i16 || type == NumberType::u8 ||
         type == NumberType::u16;
}

// Numeric columns. The numbers stay borrowed in Column::values.
// sample: how many rows decide where buckets are cut. Single trees open the buckets that matter, so few will do, and
// which ones they are changes no tree. Boosting only splits between them: it asks for all rows, since a sample of them
// would depend on their order.
std::vector<Column> encode_numbers(const std::vector<Values>& sources, std::size_t n_rows, std::size_t sample,
                                   Workers& workers);

// Level codes, in the narrowest width. The codes given are integers of any type, 0 … n_levels once `base` is added to
// them; 0 is missing. (pandas counts from 0 and has −1 for missing: its base is 1.)
Column encode_levels(const Values& codes, int base, std::size_t n_rows, std::uint32_t n_levels, bool ordered);

}  // namespace tw

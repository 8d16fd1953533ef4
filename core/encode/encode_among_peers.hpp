// Numeric columns of which peers have other rows: the codes and buckets are those that the whole table would have.
#pragma once

#include <cstddef>  // for size_t
#include <vector>   // for vector

#include "base/peers.hpp"
#include "base/workers.hpp"
#include "table/column.hpp"

namespace tw {

// As encode_numbers with all rows for the sample, where all peers together have more than kOneBlockRows, and each of
// them at least one.
std::vector<Column> encode_numbers_among(const std::vector<Values>& sources, std::size_t n_rows, Workers& workers,
                                         Peers& peers);

}  // namespace tw

// Bins: a numeric column becomes an ordered one of few categories, once, on the rows of the root.
#pragma once

#include <span>  // for span

#include "table/ranks.hpp"
#include "table/target.hpp"

namespace tw::chaid {

// A number belongs to bin ceil(bins × share of the weight at or below it); bins that no number falls into do not exist.
// Afterwards the codes are bins from 1, and the value of a code is the largest number of its bin. At most 255 bins.
// by_rows: every row counts once.
void bin_numbers(RankedColumn& column, std::span<const std::uint32_t> rows, const Target& target, int bins,
                 bool by_rows);

}  // namespace tw::chaid

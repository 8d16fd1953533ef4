// Collects the codes of some rows of a column.
#pragma once

#include <cstdint>  // for uint16_t

namespace tw {

// to[i] = from[rows[i]]; one code beyond the last of `from` may be read too. Row numbers are below 2^31.
void gather_codes(const std::uint16_t* from, const std::uint32_t* rows, std::uint32_t n, std::uint16_t* to);

}  // namespace tw

// A block of values against a cut.
#pragma once

#include <cstdint>  // for uint32_t

namespace tw {

// Bit i: values[i] <= cut, for the kBlockRows values of a block. Never where the value is NaN.
std::uint32_t at_most(const double* values, double cut);

}  // namespace tw

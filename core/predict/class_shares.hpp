// The class shares of each row's node, as a row-major matrix rows × classes.
#pragma once

#include <span>  // for span

#include "base/workers.hpp"
#include "tree/tree.hpp"

namespace tw {

// shares: zeros on entry.
void class_shares(const Tree& tree, std::span<const std::int32_t> nodes, double* shares, Workers& workers);

}  // namespace tw

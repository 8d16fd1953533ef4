// Models grown from a table of drawn numbers, each as one number: the same bytes on every processor.
#pragma once

#include <cstdint>  // for uint64_t
#include <string>   // for string
#include <utility>  // for pair
#include <vector>   // for vector

namespace tw::tests {

// The name and the checksum of each model. Grows each at every level of vectors, with one thread and three in turn, and
// checks that the bytes are the same.
std::vector<std::pair<std::string, std::uint64_t>> checksums_of_models();

}  // namespace tw::tests

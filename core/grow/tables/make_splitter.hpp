// The splitter that a recipe names.
#pragma once

#include <memory>  // for unique_ptr

#include "grow/tables/splitter.hpp"

namespace tw {

std::unique_ptr<Splitter> make_splitter(const Recipe& recipe);

}  // namespace tw

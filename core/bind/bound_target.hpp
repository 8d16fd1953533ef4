// The core's target together with the Python arrays whose memory it borrows.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "table/target.hpp"

namespace tw {

struct BoundTarget {
  Target target;
  std::vector<nanobind::object> kept;
};

}  // namespace tw

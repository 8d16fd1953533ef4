// The core's table together with the Python arrays whose memory it borrows.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "table/column.hpp"

namespace tw {

struct BoundTable {
  Table table;
  std::vector<nanobind::object> kept;
};

}  // namespace tw

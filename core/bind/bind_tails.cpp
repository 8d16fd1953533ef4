// The tails of distributions, one number in and one out: for the tests and for whoever shows a p-value.
#include "base/tails.hpp"
#include "bind/bind.hpp"

namespace tw {

void bind_tails(nanobind::module_& m) {
  namespace nb = nanobind;
  m.def("log_chi_square_tail", &log_chi_square_tail, nb::arg("statistic"), nb::arg("df"));
  m.def("log_f_tail", &log_f_tail, nb::arg("statistic"), nb::arg("df_between"), nb::arg("df_within"));
}

}  // namespace tw

// The Python module treewright._core.
#include <nanobind/stl/string.h>

#include <cstdlib>  // for getenv

#include "base/error.hpp"
#include "base/vectors.hpp"
#include "bind/bind.hpp"

namespace {

// What `treewright doctor` shows.
nanobind::dict build_info() {
  nanobind::dict info;
#if defined(__clang__)
  info["compiler"] = "clang " __clang_version__;
#elif defined(__GNUC__)
  info["compiler"] = "gcc " __VERSION__;
#endif
  info["cxx"] = static_cast<long>(__cplusplus);
#if defined(__SANITIZE_ADDRESS__)
  info["sanitized"] = true;
#endif
  info["vectors"] = tw::name_of(tw::vectors_in_use());
  nanobind::list levels;
  for (const tw::Vectors level : tw::levels_of_processor()) levels.append(tw::name_of(level));
  info["vectors_of_processor"] = levels;
  return info;
}

}  // namespace

NB_MODULE(_core, m) {
  namespace nb = nanobind;
  nb::set_leak_warnings(false);  // models may outlive the interpreter in module-level variables
  const char* vectors = std::getenv("TREEWRIGHT_VECTORS");
  tw::use_vectors(vectors ? vectors : "");
  m.def("build_info", &build_info);
  m.def(
      "use_vectors", &tw::use_vectors, nb::arg("level"),
      "Chooses among build_info()['vectors_of_processor'] as the variable TREEWRIGHT_VECTORS does; '' for the widest.");
  nb::register_exception_translator(
      [](const std::exception_ptr& p, void*) {
        try {
          std::rethrow_exception(p);
        } catch (const tw::Interrupted&) {
          if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
        } catch (const tw::BadInput& e) {
          PyErr_SetString(PyExc_ValueError, e.what());
        }
      },
      nullptr);
  tw::bind_tree(m);
  tw::bind_grow(m);
  tw::bind_counted(m);
  tw::bind_table_growth(m);
  tw::bind_predict(m);
  tw::bind_one_row(m);
  tw::bind_prune(m);
  tw::bind_prune_c45(m);
  tw::bind_tails(m);
  tw::bind_links(m);
  tw::bind_chaid(m);
  tw::bind_linear(m);
  tw::bind_forest(m);
  tw::bind_ensemble(m);
  tw::bind_ensemble_predict(m);
  tw::bind_boost(m);
  tw::bind_draws(m);
  tw::bind_descent(m);
  tw::bind_network(m);
  tw::bind_explain(m);
}

// The Python module treewright._core.
#include "bind/bind.hpp"

#include "base/error.hpp"

NB_MODULE(_core, m) {
  namespace nb = nanobind;
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
  tw::bind_predict(m);
  tw::bind_one_row(m);
  tw::bind_prune(m);
}

// One bind_* function a folder; module.cpp calls them. No logic lives here.
#pragma once

#include <nanobind/nanobind.h>

namespace tw {
void bind_tree(nanobind::module_& m);
void bind_grow(nanobind::module_& m);
void bind_predict(nanobind::module_& m);
void bind_one_row(nanobind::module_& m);
void bind_prune(nanobind::module_& m);
void bind_prune_c45(nanobind::module_& m);
void bind_tails(nanobind::module_& m);
void bind_chaid(nanobind::module_& m);
void bind_linear(nanobind::module_& m);
void bind_forest(nanobind::module_& m);
void bind_ensemble(nanobind::module_& m);
void bind_ensemble_predict(nanobind::module_& m);
void bind_boost(nanobind::module_& m);
void bind_draws(nanobind::module_& m);
void bind_descent(nanobind::module_& m);
void bind_network(nanobind::module_& m);
void bind_explain(nanobind::module_& m);
}  // namespace tw

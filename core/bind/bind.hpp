// One bind_* function a folder; module.cpp calls them. No logic lives here.
#pragma once

#include <nanobind/nanobind.h>

#include <string>  // for string

#include "base/error.hpp"
#include "ensemble/add_answers.hpp"

namespace tw {

void bind_tree(nanobind::module_& m);
void bind_grow(nanobind::module_& m);
void bind_counted(nanobind::module_& m);
void bind_table_growth(nanobind::module_& m);
void bind_predict(nanobind::module_& m);
void bind_one_row(nanobind::module_& m);
void bind_prune(nanobind::module_& m);
void bind_prune_c45(nanobind::module_& m);
void bind_tails(nanobind::module_& m);
void bind_links(nanobind::module_& m);
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

// What the trees of an ensemble answer with, by the names that Python has for it.

inline Answer answer_named(const std::string& name) {
  if (name == "values") return Answer::values;
  if (name == "shares") return Answer::shares;
  if (name == "votes") return Answer::votes;
  throw BadInput("an ensemble answers with values, shares or votes");
}

inline void check_outputs(const Ensemble& ensemble, Answer answer, std::size_t n_outputs) {
  const bool classes = ensemble.n_classes > 0;
  if (classes != (answer != Answer::values)) throw BadInput("the trees of this ensemble do not answer like that");
  if (n_outputs == 0 || (classes && n_outputs != static_cast<std::size_t>(ensemble.n_classes)))
    throw BadInput("another number of outputs than the ensemble has");
}

}  // namespace tw

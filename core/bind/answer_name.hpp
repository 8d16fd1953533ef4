// What the trees of an ensemble answer with, by the names that Python has for it.
#pragma once

#include <string>  // for string

#include "base/error.hpp"
#include "ensemble/add_answers.hpp"

namespace tw {

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

// Shapley values against rows of a background: what a column is not known to say is taken from those rows in turn.
//
// For one row of the background a player of a path is met by the row (o), by the background (r), or by both. A leaf is
// reached by the coalitions that hold all players that only the row meets (p of them) and none that only the background
// meets (q). So each of the p earns 1 / (p · C(p + q, p)) of the leaf's answer, each of the q loses 1 / (q · C(p + q,
// q)), and nobody else has to do with it. Only the patterns of o and r count, and many rows share them.
#pragma once

#include "base/workers.hpp"
#include "explain/explained_tree.hpp"
#include "predict/frame.hpp"

namespace tw {

// values: rows × columns × outputs, row-major, zeros on entry. A row's values add up to its answer less the mean answer
// of the background. Throws BadInput where a test is not told by its own player (surrogates, pieces, equations).
void background_values(const ExplainedTrees& trees, const Frame& frame, const Frame& background, double* values,
                       Workers& workers);

}  // namespace tw

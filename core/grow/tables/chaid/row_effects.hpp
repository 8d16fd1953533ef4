// The row-effects model of a table of counts, fitted by maximum likelihood.
#pragma once

#include <vector>  // for vector

namespace tw::chaid {

// counts: groups × scores.size(), row by row; every class and every group has some weight, scores are all different.
// Gives twice the logarithm of the likelihood ratio between the model and independence. rates, where there are any, are
// how likely a row of each cell was to be drawn, up to a factor: both models are of those that rows were drawn from.
double row_effects_statistic(const std::vector<double>& counts, const std::vector<double>& scores,
                             const std::vector<double>& rates = {});

}  // namespace tw::chaid

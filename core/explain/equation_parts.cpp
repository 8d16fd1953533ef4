#include "explain/equation_parts.hpp"

#include <algorithm>  // for clamp
#include <limits>     // for numeric_limits

namespace tw {
namespace {

double without_columns(const Equations& equations, std::size_t node) {
  return equations.value(node, [](std::int32_t) { return std::numeric_limits<double>::quiet_NaN(); });
}

}  // namespace

std::vector<double> answers_without_columns(const Tree& tree) {
  const Equations equations(tree);
  std::vector<double> answers;
  for (std::size_t i = 0; i < tree.size(); ++i) answers.push_back(without_columns(equations, i));
  return answers;
}

double equation_parts(const Tree& tree, std::size_t node, const std::vector<double>& row, std::vector<Part>& parts) {
  const Equations equations(tree);
  const double whole =
      equations.value(node, [&](std::int32_t column) { return row[column]; }) - without_columns(equations, node);
  double sum = 0;
  parts.clear();
  for (auto k = tree.equation_start[node]; k < tree.equation_start[node + 1]; ++k) {
    const Term& term = tree.equation_terms[k];
    const double x = row[term.column];
    const double given = term.level == 0 ? term.weight * x : x == double(term.level) ? term.weight : 0.0;
    parts.push_back({term.column, std::isfinite(x) ? given - term.filler : 0.0});
    sum += parts.back().share;
  }
  // Kept in its range an answer moves less than the parts say, never further. Where numbers are so large that nothing
  // can be said, the columns share alike.
  if (!std::isfinite(sum)) {
    for (Part& part : parts) part.share = whole / double(parts.size());
    return whole;
  }
  const double scale = sum != 0 ? std::clamp(whole / sum, 0.0, 1.0) : 1.0;
  for (Part& part : parts) part.share *= scale;
  return whole;
}

}  // namespace tw

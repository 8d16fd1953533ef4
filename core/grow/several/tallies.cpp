#include "grow/several/tallies.hpp"

#include "base/error.hpp"

namespace tw {

SeveralTargets::SeveralTargets(std::span<const Target* const> targets, CriterionName wanted, std::int64_t root_weight)
    : each(targets.begin(), targets.end()), first_class{0}, criterion(wanted) {
  for (const Target* target : each) {
    if (target->is_regression() != numbers() || target->rows.size() != each[0]->rows.size())
      throw BadInput("several targets are all classes or all numbers, of the same rows");
    if (numbers()) weighing.emplace_back(*target, root_weight, false);
    first_class.push_back(first_class.back() + target->n_classes);
  }
  const bool known = numbers() ? criterion == CriterionName::squared_error
                               : criterion == CriterionName::gini || criterion == CriterionName::entropy;
  if (!known) throw BadInput("this criterion is not for several targets");
}

void Tallies::clear(const SeveralTargets& targets) {
  rows = 0, weight = 0;
  classes.assign(targets.first_class.back(), 0);
  numbers.assign(targets.weighing.size(), NumberSum());
}

void Tallies::add(const SeveralTargets& targets, std::uint32_t row) {
  const std::int64_t w = targets.weight_of(row);
  ++rows, weight += w;
  if (targets.numbers()) {
    for (std::size_t t = 0; t < numbers.size(); ++t) numbers[t].add(w, targets.weighing[t].level_of(row));
    return;
  }
  for (std::size_t t = 0; t < targets.size(); ++t) classes[targets.first_class[t] + targets.each[t]->classes[row]] += w;
}

Tallies& Tallies::operator+=(const Tallies& more) {
  rows += more.rows, weight += more.weight;
  for (std::size_t k = 0; k < classes.size(); ++k) classes[k] += more.classes[k];
  for (std::size_t t = 0; t < numbers.size(); ++t) numbers[t] += more.numbers[t];
  return *this;
}

Tallies& Tallies::operator-=(const Tallies& less) {
  rows -= less.rows, weight -= less.weight;
  for (std::size_t k = 0; k < classes.size(); ++k) classes[k] -= less.classes[k];
  for (std::size_t t = 0; t < numbers.size(); ++t) numbers[t] -= less.numbers[t];
  return *this;
}

double Goodness::operator()(const Tallies& rows) const {
  double sum = 0;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    if (targets_.numbers()) {
      const double unit = targets_.weighing[t].level_unit;
      sum -= rows.numbers[t].spread() * unit * unit;
    } else {
      const std::size_t first = targets_.first_class[t];
      sum += of_classes(std::span(rows.classes).subspan(first, targets_.first_class[t + 1] - first), rows.weight);
    }
  }
  return sum;
}

double Goodness::of_classes(std::span<const std::int64_t> classes, std::int64_t weight) const {
  if (weight == 0) return 0;
  if (targets_.criterion == CriterionName::entropy) {
    double sum = 0;
    for (const std::int64_t c : classes) sum += x_log_x_(static_cast<double>(c));
    return sum - x_log_x_(static_cast<double>(weight));
  }
  __int128 squares = 0;  // exact, so that nearly pure nodes lose no digits
  for (const std::int64_t c : classes) squares += static_cast<__int128>(c) * c;
  return -static_cast<double>(static_cast<__int128>(weight) * weight - squares) / static_cast<double>(weight);
}

}  // namespace tw

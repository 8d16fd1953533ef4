// Tallies: what some rows hold of several targets, in exact integers; and the score of a division by all of them.
//
// A tree of several targets is a tree of one, but for the impurity: it is the mean of the impurities of the targets
// (Segal 1992; De'ath 2002). All targets are classes, or all are numbers; they share the weights of the rows.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int64_t
#include <span>     // for span
#include <vector>   // for vector

#include "grow/criterion/pair.hpp"  // for XLogX
#include "grow/recipe.hpp"
#include "grow/tables/sums.hpp"

namespace tw {

struct SeveralTargets {
  std::vector<const Target*> each;
  std::vector<Weighing> weighing;        // of each target of numbers
  std::vector<std::size_t> first_class;  // of each target of classes, in Tallies::classes; and one past the last
  CriterionName criterion;

  SeveralTargets(std::span<const Target* const> targets, CriterionName criterion, std::int64_t root_weight);

  std::size_t size() const { return each.size(); }
  bool numbers() const { return each[0]->is_regression(); }
  std::int64_t weight_of(std::uint32_t row) const { return each[0]->weight_of(row); }
};

struct Tallies {
  std::uint32_t rows = 0;
  std::int64_t weight = 0;
  std::vector<std::int64_t> classes;  // the weight of each class, target after target
  std::vector<NumberSum> numbers;     // one a target

  void clear(const SeveralTargets& targets);
  void add(const SeveralTargets& targets, std::uint32_t row);
  Tallies& operator+=(const Tallies& more);
  Tallies& operator-=(const Tallies& less);
};

// How good a set of rows is as a branch, larger is better: minus its weight times its impurity, added up over the
// targets. A division scores as much as its branches have more of it than the node.
class Goodness {
 public:
  explicit Goodness(const SeveralTargets& targets) : targets_(targets) {}
  double operator()(const Tallies& rows) const;

 private:
  double of_classes(std::span<const std::int64_t> classes, std::int64_t weight) const;

  const SeveralTargets& targets_;
  XLogX x_log_x_;
};

}  // namespace tw

// Target: what is learnt, in integers. Weights and values are held in fixed point, so that every sum of them is exact
// and the same for any order of rows, any number of threads and any division into blocks.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int64_t
#include <vector>   // for vector

namespace tw {

struct Target {
  std::uint32_t n_classes = 0;         // 0: numeric target
  std::vector<std::uint16_t> classes;  // classification: class of each row
  const double* numbers = nullptr;     // regression: the user's y, borrowed
  std::vector<std::uint32_t> rows;     // rows that count: weight above zero, ascending
  std::vector<std::int64_t> weight;    // in units of weight_unit; empty when every weight is 1
  std::vector<std::int64_t> value;     // weight × (y − offset) in units of value_unit; binary classes: weight × class
  std::vector<std::int64_t> level;     // y − offset in units of level_unit (no weight), for medians and ranges
  // The weights as they were given, where `weight` is more than that (priors, losses, exposure): agreement of
  // surrogates is counted in these. Empty when all are 1.
  bool has_case_weight = false;
  std::vector<std::int64_t> case_weight;
  double weight_unit = 1, value_unit = 1, level_unit = 1, offset = 0;

  bool is_regression() const { return n_classes == 0; }
  bool unit_weights() const { return weight.empty(); }
  // Whether the value of a row is its weight times its level, in integers: where weights are kept exactly.
  bool keeps_weights() const { return value_unit == level_unit * weight_unit; }
  std::int64_t weight_of(std::size_t row) const { return weight.empty() ? 1 : weight[row]; }
  const std::vector<std::int64_t>& case_weights() const { return has_case_weight ? case_weight : weight; }
};

// What the units are chosen by: facts about all rows, which can be put together from parts in any order.
struct TargetFacts {
  std::size_t n_rows = 0;     // all of them, those of weight 0 too
  std::size_t n_counted = 0;  // those of weight above 0; everything below is about these
  bool all_one = true;        // no weight, or every weight is 1
  double total = 0, largest = 0;
  int whole_shift = 0;  // the weights times 2^this are whole; 21: not with 2^20 either
  bool has_numbers = false, rates = false;
  double low = 0, high = 0;  // of the numbers
};

// How weights and numbers become integers: weight · 2^weight_shift, (y − offset) · 2^level_shift.
struct TargetUnits {
  bool unit_weights = true, exact_weights = true;
  int weight_shift = 0, level_shift = 0, value_shift = 0;
  double offset = 0;
};
TargetUnits choose_units(const TargetFacts& facts);

// weights may be null (all 1). Rates keep y where it is (they need their zero), the others take its middle as offset.
Target make_class_target(const std::int32_t* classes, std::size_t n, std::uint32_t n_classes, const double* weights);
Target make_number_target(const double* y, std::size_t n, const double* weights, bool rates);
// The same for some rows of a larger table, in the units of all of them.
Target make_class_target_in(const TargetUnits& units, const std::int32_t* classes, std::size_t n,
                            std::uint32_t n_classes, const double* weights);
Target make_number_target_in(const TargetUnits& units, const double* y, std::size_t n, const double* weights);
// Says which weights were given, for a target that was made with others.
void set_case_weights(Target& target, std::size_t n, const double* weights);

}  // namespace tw

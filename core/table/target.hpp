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
  std::int64_t weight_of(std::size_t row) const { return weight.empty() ? 1 : weight[row]; }
  const std::vector<std::int64_t>& case_weights() const { return has_case_weight ? case_weight : weight; }
};

// weights may be null (all 1). Rates keep y where it is (they need their zero), the others take its middle as offset.
Target make_class_target(const std::int32_t* classes, std::size_t n, std::uint32_t n_classes, const double* weights);
Target make_number_target(const double* y, std::size_t n, const double* weights, bool rates);
// Says which weights were given, for a target that was made with others.
void set_case_weights(Target& target, std::size_t n, const double* weights);

}  // namespace tw

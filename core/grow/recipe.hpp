// The choices that make an algorithm, as plain data: what an estimator asks for, by names and numbers.
#pragma once

#include <cstdint>  // for int64_t
#include <limits>   // for numeric_limits
#include <map>      // for map
#include <string>   // for string
#include <variant>  // for variant
#include <vector>   // for vector

#include "base/error.hpp"

namespace tw {

enum class CriterionName : std::uint8_t {
  gini,
  entropy,
  error,
  twoing,
  hellinger,  // classes
  squared_error,
  absolute_error,
  poisson  // numbers
};

// Where rows without a value go. The answer is stored in each node.
enum class MissingPolicy : std::uint8_t {
  learn,   // both sides are tried at every cut, and "known or not" as a cut of its own
  larger,  // the search sees known rows only; the others follow the branch with more weight
  branch   // a branch of their own where they occur
};

// What a node does with rows that its own test cannot send, where that is more than one answer for all of them:
// surrogates are asked first, then the rows go the way of most rows, or end at the node.
struct SurrogateRules {
  bool asked = false;
  std::uint32_t most_surrogates = 0;
  bool count_both_known = false;  // agreement is counted among rows with both values, not all that the test can send
  bool others_stop = false;
};

// A node whose share is exactly the smallest allowed stops, however it rounds.
constexpr double kShareSlack = 1 + 1e-12;

struct StopRules {
  std::int64_t max_depth = std::numeric_limits<std::int64_t>::max();
  std::int64_t min_samples_split = 2;
  std::int64_t min_samples_leaf = 1;
  std::int64_t max_leaves = std::numeric_limits<std::int64_t>::max();
  double min_impurity_decrease = 0;
  double min_weight_leaf = 0;  // no branch may have less weight
  // Numeric targets: a node with at most this share of the root's impurity is not split; 0 switches it off.
  double min_variance_share = 0;
  double small_spread = -1;  // the same as GrowingNode::spread per unit of weight, filled in once the root is known
};

// What a splitter wants to know beyond that, by name: numbers, truth values (0 or 1), names and lists of numbers.
class Options {
 public:
  using Value = std::variant<double, std::string, std::vector<double>>;

  void set(const std::string& name, Value value) { values_[name] = std::move(value); }
  bool has(const std::string& name) const { return values_.count(name) > 0; }
  // These throw BadInput when the option is absent or of another kind: estimators set every one.
  double number(const std::string& name) const { return get<double>(name); }
  bool flag(const std::string& name) const { return get<double>(name) != 0; }
  const std::string& text(const std::string& name) const { return get<std::string>(name); }
  const std::vector<double>& numbers(const std::string& name) const { return get<std::vector<double>>(name); }

 private:
  template <class T>
  const T& get(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end() || !std::holds_alternative<T>(found->second))
      throw BadInput("the recipe has no option '" + name + "' of this kind");
    return std::get<T>(found->second);
  }
  std::map<std::string, Value> values_;
};

struct Recipe {
  CriterionName criterion = CriterionName::gini;
  MissingPolicy missing = MissingPolicy::learn;
  std::string missing_name = "learn";  // as the estimator says it, for splitters with policies of their own
  std::string splitter;                // empty: binary exact splits from lists and buckets (grow_binary.cpp)
  Options options;
  SurrogateRules surrogates;
  std::uint32_t competitors = 0;  // the best splits of other columns that a node keeps to be shown
  StopRules stop;
  std::uint32_t block_rows = 0;  // nodes of at most this many rows are grown from sorted lists; 0 = choose
};

}  // namespace tw

#include "descent/perceptron.hpp"

#include <algorithm>  // for copy, max, min

#include "base/vectors.hpp"

namespace tw {
namespace {

// The unit that rivals the target most: of several units the best of the others, the first of equals.
__attribute__((always_inline)) inline std::size_t rival_of(const double* row, const double* weights, std::size_t units,
                                                           std::size_t target, std::size_t width, double& its_sum) {
  std::size_t rival = units;
  for (std::size_t k = 0; k < units; ++k) {
    if (k == target) continue;
    const double sum = dot(row, weights + k * width, width);
    if (rival == units || sum > its_sum) rival = k, its_sum = sum;
  }
  return rival;
}

// Whether the rule has to act, and for several units on which rival.
__attribute__((always_inline)) inline bool is_mistake(const double* row, const double* weights, std::size_t units,
                                                      std::size_t target, std::size_t width, std::size_t& rival) {
  if (units == 1) {
    const double sum = dot(row, weights, width);
    return !((target == 1 ? sum : -sum) > 0);
  }
  double its_sum = 0;
  rival = rival_of(row, weights, units, target, width, its_sum);
  return !(dot(row, weights + target * width, width) > its_sum);
}

__attribute__((always_inline)) inline void learn(const double* row, std::size_t units, std::size_t target,
                                                 std::size_t rival, double step, std::size_t width,
                                                 PerceptronState& state) {
  const double when = static_cast<double>(state.seen) * step;
  auto move = [&](std::size_t unit, double sign) {
    add_scaled(state.weights + unit * width, sign * step, row, width);
    if (state.sums) add_scaled(state.sums + unit * width, sign * when, row, width);
  };
  if (units == 1) return move(0, target == 1 ? 1.0 : -1.0);
  move(target, 1.0);
  move(rival, -1.0);
}

}  // namespace

double perceptron_errors(const Examples& examples, const std::int32_t* targets, std::size_t n_units,
                         const double* weights, double enough) {
  return with_widest_vectors([&]() TW_INLINE_LOOP {
    constexpr std::size_t kStretch = 256;  // rows between two looks at whether it is enough
    double wrong = 0;
    std::size_t rival = 0;
    for (std::size_t start = 0; start < examples.n_rows && wrong <= enough; start += kStretch) {
      examples.hear_ctrl_c(start);
      for (std::size_t i = start; i < std::min(start + kStretch, examples.n_rows); ++i) {
        const double* row = examples.rows + i * examples.width;
        const auto target = static_cast<std::size_t>(targets[i]);
        const bool mistake = is_mistake(row, weights, n_units, target, examples.width, rival);
        wrong += mistake ? examples.weights[i] : 0.0;
      }
    }
    return wrong;
  });
}

namespace {

// Long tables are looked at less often: counting errors takes as long as a pass.
constexpr std::size_t kManyRows = 10'000;

bool runs_longest(const Examples& examples, const PerceptronState& state) {
  return state.run > state.longest + (examples.n_rows > kManyRows ? state.longest / 2 : 0);
}

// The weights go into the pocket if they make fewer errors than those in it.
void look_into_pocket(const Examples& examples, const std::int32_t* targets, std::size_t n_units,
                      PerceptronState& state) {
  state.longest = std::max(state.run, state.longest);
  const double wrong = perceptron_errors(examples, targets, n_units, state.weights, state.pocket_errors);
  if (wrong >= state.pocket_errors) return;
  state.pocket_errors = wrong;
  std::copy(state.weights, state.weights + n_units * examples.width, state.pocket);
}

}  // namespace

namespace {

// The pass of one unit with rows of a known width: its weights stay in registers between mistakes.
template <std::size_t kWidth>
__attribute__((always_inline)) inline std::int64_t narrow_pass(const Examples& examples, const std::int32_t* targets,
                                                               const std::uint32_t* order, double rate,
                                                               PerceptronState& state, std::uint32_t* mistaken) {
  std::int64_t mistakes = 0;
  double weights[kWidth];
  std::copy(state.weights, state.weights + kWidth, weights);
  for (std::size_t i = 0; i < examples.n_rows; ++i) {
    examples.hear_ctrl_c(i);
    ask_ahead(examples, targets, order, i);
    const std::size_t at = order[i];
    const double* row = examples.rows + at * kWidth;
    const double sign = targets[at] == 1 ? 1.0 : -1.0;
    if (sign * dot(row, weights, kWidth) > 0) {
      ++state.run;
    } else {
      if (state.pocket && runs_longest(examples, state)) {
        std::copy(weights, weights + kWidth, state.weights);
        look_into_pocket(examples, targets, 1, state);
      }
      const double step = sign * rate * examples.weights[at];
      add_scaled(weights, step, row, kWidth);
      if (state.sums) add_scaled(state.sums, step * static_cast<double>(state.seen), row, kWidth);
      if (mistaken) mistaken[mistakes] = static_cast<std::uint32_t>(at);
      ++mistakes;
      state.run = 0;
    }
    ++state.seen;
  }
  std::copy(weights, weights + kWidth, state.weights);
  return mistakes;
}

__attribute__((always_inline)) inline std::int64_t wide_pass(const Examples& examples, const std::int32_t* targets,
                                                             const std::uint32_t* order, std::size_t n_units,
                                                             double rate, PerceptronState& state,
                                                             std::uint32_t* mistaken) {
  std::int64_t mistakes = 0;
  std::size_t rival = 0;
  for (std::size_t i = 0; i < examples.n_rows; ++i) {
    examples.hear_ctrl_c(i);
    ask_ahead(examples, targets, order, i);
    const std::size_t at = order[i];
    const double* row = examples.rows + at * examples.width;
    const auto target = static_cast<std::size_t>(targets[at]);
    if (is_mistake(row, state.weights, n_units, target, examples.width, rival)) {
      if (state.pocket && runs_longest(examples, state)) look_into_pocket(examples, targets, n_units, state);
      learn(row, n_units, target, rival, rate * examples.weights[at], examples.width, state);
      if (mistaken) mistaken[mistakes] = static_cast<std::uint32_t>(at);
      ++mistakes;
      state.run = 0;
    } else {
      ++state.run;
    }
    ++state.seen;
  }
  return mistakes;
}

}  // namespace

std::int64_t perceptron_pass(const Examples& examples, const std::int32_t* targets, const std::uint32_t* order,
                             std::size_t n_units, double rate, PerceptronState& state, std::uint32_t* mistaken) {
  return with_widest_vectors([&]() TW_INLINE_LOOP {
    std::int64_t mistakes = 0;
    if (n_units == 1 && examples.width == 8)
      mistakes = narrow_pass<8>(examples, targets, order, rate, state, mistaken);
    else if (n_units == 1 && examples.width == 16)
      mistakes = narrow_pass<16>(examples, targets, order, rate, state, mistaken);
    else if (n_units == 1 && examples.width == 24)
      mistakes = narrow_pass<24>(examples, targets, order, rate, state, mistaken);
    else if (n_units == 1 && examples.width == 32)
      mistakes = narrow_pass<32>(examples, targets, order, rate, state, mistaken);
    else
      mistakes = wide_pass(examples, targets, order, n_units, rate, state, mistaken);
    const bool worth = examples.n_rows <= kManyRows || runs_longest(examples, state);
    if (state.pocket && worth) look_into_pocket(examples, targets, n_units, state);
    return mistakes;
  });
}

}  // namespace tw

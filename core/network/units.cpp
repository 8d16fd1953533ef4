#include "network/units.hpp"

#include <algorithm>  // for max, max_element
#include <cmath>      // for fabs, log, log1p, pow, sqrt

#include "base/exponential.hpp"
#include "base/vectors.hpp"

namespace tw {

namespace {

#define TW_INLINE __attribute__((always_inline)) inline

TW_INLINE double sigmoid_of(double sum) {
  const double small = exponential(-std::fabs(sum));
  return (sum >= 0 ? 1.0 : small) / (1.0 + small);
}

TW_INLINE double tanh_of(double sum) {
  const double small = exponential(-2.0 * std::fabs(sum));
  const double size = (1.0 - small) / (1.0 + small);
  return sum >= 0 ? size : -size;
}

template <class T>
TW_INLINE void bend_all(Bend kind, T* values, std::size_t n) {
  if (kind == Bend::sigmoid)
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(sigmoid_of(values[i]));
  else if (kind == Bend::tanh)
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(tanh_of(values[i]));
  else if (kind == Bend::relu)
    for (std::size_t i = 0; i < n; ++i) values[i] = values[i] > 0 ? values[i] : T(0);
}

template <class T>
TW_INLINE void slope_all(Bend kind, T* deltas, const T* outputs, std::size_t n) {
  if (kind == Bend::sigmoid)
    for (std::size_t i = 0; i < n; ++i) deltas[i] *= outputs[i] * (1 - outputs[i]);
  else if (kind == Bend::tanh)
    for (std::size_t i = 0; i < n; ++i) deltas[i] *= 1 - outputs[i] * outputs[i];
  else if (kind == Bend::relu)
    for (std::size_t i = 0; i < n; ++i) deltas[i] = outputs[i] > 0 ? deltas[i] : T(0);
}

template <class T>
double end_sigmoid(T* sums, std::size_t n, const Wanted<T>& wanted, double factor) {
  double loss = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double sum = sums[k], small = exponential(-std::fabs(sum)), target = wanted.at(k);
    loss += std::log1p(small) + std::max(sum, 0.0) - target * sum;
    sums[k] = static_cast<T>(factor * ((sum >= 0 ? 1.0 : small) / (1.0 + small) - target));
  }
  return loss;
}

template <class T>
double end_softmax(T* sums, std::size_t n, const Wanted<T>& wanted, double factor) {
  const double highest = *std::max_element(sums, sums + n), of_target = sums[wanted.chosen] - highest;
  double whole = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double power = exponential(sums[k] - highest);
    whole += power;
    sums[k] = static_cast<T>(power);
  }
  for (std::size_t k = 0; k < n; ++k) sums[k] = static_cast<T>(factor * (sums[k] / whole - wanted.at(k)));
  return std::log(whole) - of_target;
}

template <class T>
double end_squared(Bend kind, T* sums, std::size_t n, const Wanted<T>& wanted, double factor) {
  bend(kind, sums, n);
  double loss = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double output = sums[k], away = output - wanted.at(k);
    loss += 0.5 * away * away;
    const double slope = kind == Bend::sigmoid ? output * (1 - output)
                         : kind == Bend::tanh  ? 1 - output * output
                         : kind == Bend::relu  ? (output > 0 ? 1.0 : 0.0)
                                               : 1.0;
    sums[k] = static_cast<T>(factor * away * slope);
  }
  return loss;
}

}  // namespace

void bend(Bend kind, double* values, std::size_t n) {
  with_widest_vectors([=]() TW_INLINE_LOOP { bend_all(kind, values, n); });
}
void bend(Bend kind, float* values, std::size_t n) {
  with_widest_vectors([=]() TW_INLINE_LOOP { bend_all(kind, values, n); });
}
void times_slope(Bend kind, double* deltas, const double* outputs, std::size_t n) {
  with_widest_vectors([=]() TW_INLINE_LOOP { slope_all(kind, deltas, outputs, n); });
}
void times_slope(Bend kind, float* deltas, const float* outputs, std::size_t n) {
  with_widest_vectors([=]() TW_INLINE_LOOP { slope_all(kind, deltas, outputs, n); });
}

template <class T>
double end_row(const NetworkShape& shape, T* sums, const Wanted<T>& wanted, double weight, double share) {
  const std::size_t n = shape.sizes.back();
  const double factor = weight * share;
  if (shape.ending == Ending::sigmoid_log) return weight * end_sigmoid(sums, n, wanted, factor);
  if (shape.ending == Ending::softmax_log) return weight * end_softmax(sums, n, wanted, factor);
  return weight * end_squared(shape.output, sums, n, wanted, factor);
}

template double end_row(const NetworkShape&, double*, const Wanted<double>&, double, double);
template double end_row(const NetworkShape&, float*, const Wanted<float>&, double, double);

namespace {

#define TW_INLINE __attribute__((always_inline)) inline

// Numbers that fade step by step are 0 before they become denormal, which would slow every step down.
template <class T>
constexpr T kFaded = sizeof(T) == 8 ? T(1e-150) : T(1e-30);

template <class T>
TW_INLINE T without_faded(T number) {
  return (number < 0 ? -number : number) > kFaded<T> ? number : T(0);
}

template <class T>
TW_INLINE void step_of_momentum(const StepRules& rules, const Memory<T>& m) {
  const T rate = static_cast<T>(rules.rate), kept = static_cast<T>(rules.momentum);
  T* __restrict numbers = m.numbers;
  T* __restrict velocity = m.first;
  const T* __restrict slopes = m.slopes;
  if (rules.way == Way::nesterov)
    for (std::size_t i = 0; i < m.n; ++i) {
      velocity[i] = without_faded(kept * velocity[i] + slopes[i]);
      numbers[i] -= rate * (kept * velocity[i] + slopes[i]);
    }
  else
    for (std::size_t i = 0; i < m.n; ++i) {
      velocity[i] = without_faded(kept * velocity[i] + slopes[i]);
      numbers[i] -= rate * velocity[i];
    }
}

// D. P. Kingma and J. Ba, Adam, 2015. Both corrections of the start in one number c: √v̂ = √v / c, so m̂ / (√v̂ + ε) is
// c · m̂ / (√v + c · ε).
template <class T>
TW_INLINE void step_of_adam(const StepRules& rules, const Memory<T>& m) {
  const double steps = static_cast<double>(rules.steps);
  const double correction = std::sqrt(1 - std::pow(rules.beta_2, steps));
  const T rate = static_cast<T>(rules.rate * correction / (1 - std::pow(rules.beta_1, steps)));
  const T floor = static_cast<T>(rules.epsilon * correction);
  const T b1 = static_cast<T>(rules.beta_1), b2 = static_cast<T>(rules.beta_2);
  const T c1 = static_cast<T>(1 - rules.beta_1), c2 = static_cast<T>(1 - rules.beta_2);
  T* __restrict numbers = m.numbers;
  T* __restrict mean = m.first;
  T* __restrict square = m.second;
  const T* __restrict slopes = m.slopes;
  for (std::size_t i = 0; i < m.n; ++i) {
    mean[i] = without_faded(b1 * mean[i] + c1 * slopes[i]);
    square[i] = without_faded(b2 * square[i] + c2 * (slopes[i] * slopes[i]));
    numbers[i] -= rate * (mean[i] / (std::sqrt(square[i]) + floor));
  }
}

template <class T>
TW_INLINE void step(StepRules& rules, const Memory<T>& memory) {
  ++rules.steps;
  if (rules.way == Way::adam)
    step_of_adam(rules, memory);
  else
    step_of_momentum(rules, memory);
}

// Eight partial sums, added in one order: vectors of any width give the same bytes.
template <class T>
TW_INLINE double priced(T price, const T* __restrict weights, T* __restrict slopes, std::size_t n) {
  double lane[8] = {};
  for (std::size_t i = 0; i < n; i += 8)
    for (std::size_t k = 0; k < 8; ++k) {
      const T weight = weights[i + k];
      slopes[i + k] += price * weight;
      lane[k] += static_cast<double>(weight) * static_cast<double>(weight);
    }
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

}  // namespace

double add_price(double price, const double* weights, double* slopes, std::size_t n) {
  return with_widest_vectors([=]() TW_INLINE_LOOP { return priced(price, weights, slopes, n); });
}

double add_price(double price, const float* weights, float* slopes, std::size_t n) {
  return with_widest_vectors([=]() TW_INLINE_LOOP { return priced(static_cast<float>(price), weights, slopes, n); });
}

void take_step(StepRules& rules, const Memory<double>& memory) {
  with_widest_vectors([&]() TW_INLINE_LOOP { step(rules, memory); });
}

void take_step(StepRules& rules, const Memory<float>& memory) {
  with_widest_vectors([&]() TW_INLINE_LOOP { step(rules, memory); });
}

}  // namespace tw

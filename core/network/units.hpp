// What units make of their sums, how steep they are there, and what the outputs cost.
#pragma once

#include "network/network.hpp"

namespace tw {

// Sums become outputs, in place.
void bend(Bend kind, double* values, std::size_t n);
void bend(Bend kind, float* values, std::size_t n);

// Deltas are multiplied by the slope where the outputs are these.
void times_slope(Bend kind, double* deltas, const double* outputs, std::size_t n);
void times_slope(Bend kind, float* deltas, const float* outputs, std::size_t n);

// What one row should give: numbers, or the class whose output should be 1 where the others should be 0.
template <class T>
struct Wanted {
  const T* numbers;
  std::size_t chosen;  // where numbers is null

  double at(std::size_t k) const { return numbers ? static_cast<double>(numbers[k]) : (k == chosen ? 1.0 : 0.0); }
};

// The loss of a row times its weight. Its sums become deltas: slopes of the loss, times weight and share.
template <class T>
double end_row(const NetworkShape& shape, T* sums, const Wanted<T>& wanted, double weight, double share);

}  // namespace tw

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

// Steps downhill: from slopes to new numbers, in place.

// Numbers, their slopes and what the way remembers of earlier steps, arrays of one length.
template <class T>
struct Memory {
  T *numbers, *slopes, *first, *second;
  std::size_t n;
};

// Adds price · weight to the slope of every weight, and gives the sum of their squares. n is a multiple of 8.
double add_price(double price, const double* weights, double* slopes, std::size_t n);
double add_price(double price, const float* weights, float* slopes, std::size_t n);

// Takes one step and counts it.
void take_step(StepRules& rules, const Memory<double>& memory);
void take_step(StepRules& rules, const Memory<float>& memory);

}  // namespace tw

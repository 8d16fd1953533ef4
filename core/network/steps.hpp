// Steps downhill: from slopes to new numbers, in place.
#pragma once

#include "network/network.hpp"

namespace tw {

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

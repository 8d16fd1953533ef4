// Gauss's rule for integrals from 0 to 1: n points give the integral of any polynomial of degree 2 n − 1 exactly.
#pragma once

#include <cstddef>  // for size_t
#include <vector>   // for vector

namespace tw {

struct Quadrature {
  std::vector<double> point, weight;  // points strictly between 0 and 1, ascending; weights add up to 1

  explicit Quadrature(std::size_t n);
};

// The rules that have been asked for, by their number of points.
class Quadratures {
 public:
  const Quadrature& with(std::size_t n);

 private:
  std::vector<std::vector<Quadrature>> kept_;  // one at most in each
};

}  // namespace tw

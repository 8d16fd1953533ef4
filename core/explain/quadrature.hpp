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

// What an edge does to the product of a path at one point t, and what its player earns there.

// z: the product of the ratios of this edge and those of its player above; above: the same without this edge (1 where
// there is none). The factor of the player is z + t (o − z), so this edge multiplies the product by the new factor over
// the old one; what the player earns below is (o − z) / factor, less what it earned by the edge above. Where the edge
// above is not met, the factors z (1 − t) differ by the ratio alone, and nothing more is earned.
struct PointFactors {
  double met, failed;                // the product is multiplied by
  double earned_met, earned_failed;  // the sum of the leaves below is multiplied by

  PointFactors(double t, double z, double above) {
    const double old = above + t * (1 - above), now = z + t * (1 - z);
    met = now / old, failed = z * (1 - t) / old;
    const double before = (1 - above) / old;
    earned_met = (1 - z) / now - before;
    earned_failed = -1 / (1 - t) - before;
  }
};

}  // namespace tw

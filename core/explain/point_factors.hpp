// What an edge does to the product of a path at one point t, and what its player earns there.
#pragma once

namespace tw {

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

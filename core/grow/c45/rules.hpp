// The numbers of C4.5, as the user sets them, and the two programs that it follows.
#pragma once

#include <cstdint>  // for uint8_t

namespace tw {

// J48 is Weka's program, release_8 is Quinlan's own.
enum class C45Variant : std::uint8_t { j48, release_8 };

struct C45Rules {
  C45Variant variant = C45Variant::j48;
  double min_weight = 2;           // two branches must have this weight (MINOBJS, -M)
  bool binary = false;             // nominal tests ask for one level against the rest
  bool subsets = false;            // nominal tests put levels together
  bool mdl_correction = true;      // the number of cuts that were tried is paid for
  bool observed_threshold = true;  // a threshold is a value that occurs in the table
  double value_gap = 1e-5;         // values that are no further apart are not cut between

  bool is_j48() const { return variant == C45Variant::j48; }
  // J48 takes numbers for equal that are closer than this; release 8 compares them as they are, but what only rounding
  // tells apart is equal here.
  double margin() const { return is_j48() ? kTiny : kRounding; }

  static constexpr double kTiny = 1e-6;
  static constexpr double kRounding = 1e-12;
  static constexpr double kEpsilon = 1e-3;  // release 8's own margin where it speaks of gains
};

}  // namespace tw

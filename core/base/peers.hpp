// Peers: others who hold other rows of one table, and do the same steps with theirs at the same time.
//
// Whatever depends on all rows is put together in these few ways, and then all know the same, so they decide the same.
// Whole numbers, the largest and the smallest do not depend on who holds which rows. Every peer must ask for the same
// things in the same order, and on one thread.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int64_t
#include <span>     // for span
#include <vector>   // for vector

namespace tw {

// Without anybody else: nothing is changed.
class Peers {
 public:
  virtual ~Peers() = default;
  virtual bool any() const { return false; }
  // Each number becomes the sum of those that all have in this place.
  virtual void add(std::span<std::int64_t>) {}
  virtual void add(std::span<double>) {}
  // Each number becomes the largest of those that all have in this place.
  virtual void take_largest(std::span<double>) {}
  // What all have, one after the other.
  virtual std::vector<double> join(std::vector<double> own) { return own; }

  std::int64_t sum(std::int64_t own) {
    add(std::span(&own, 1));
    return own;
  }
  double largest(double own) {
    take_largest(std::span(&own, 1));
    return own;
  }

  static Peers& none() {
    static Peers nobody;
    return nobody;
  }
};

}  // namespace tw

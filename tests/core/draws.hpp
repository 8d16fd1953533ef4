// Random inputs by number, the same on every processor, and a way to try each at every level of vectors.
#pragma once

#include <cstdint>  // for uint32_t, uint64_t
#include <vector>   // for vector

#include "base/counted_random.hpp"
#include "base/vectors.hpp"

namespace tw::tests {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : stream_(stream_key({seed})) {}

  std::uint64_t word() { return drawn(stream_, next_++); }
  std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(tw::below(word(), bound)); }
  bool coin(std::uint32_t one_in = 2) { return below(one_in) == 0; }
  double between(double low, double high) { return low + (high - low) * unit_number(word()); }

  // Small numbers are as likely as large ones, so that ends of vectors are met in every way.
  std::uint32_t size_up_to(std::uint32_t most) { return 1 + below(1 + below(most)); }

  template <class T>
  std::vector<T> numbers_below(std::uint64_t bound, std::size_t n) {
    std::vector<T> numbers(n);
    for (T& number : numbers) number = static_cast<T>(below(bound));
    return numbers;
  }

 private:
  std::uint64_t stream_, next_ = 0;
};

template <class Body>
void at_every_level(Body&& body) {
  for (const Vectors level : levels_of_processor()) {
    use_vectors(name_of(level));
    body();
  }
  use_vectors("");
}

}  // namespace tw::tests

// Random words and the exponential: the same bits everywhere.
#include <bit>     // for bit_cast
#include <cmath>   // for exp
#include <limits>  // for numeric_limits

#include "base/counted_random.hpp"
#include "base/exponential.hpp"
#include "base/links.hpp"
#include "check.hpp"
#include "draws.hpp"

namespace tw::tests {

// The sequences of splitmix64 from these seeds, as published with the generator.
TEST(random_words_are_those_of_splitmix64) {
  const std::uint64_t from_0[] = {0xE220A8397B1DCDAFull, 0x6E789E6AA1B965F4ull, 0x06C45D188009454Full,
                                  0xF88BB8A8724C81ECull};
  const std::uint64_t from_1234567[] = {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull,
                                        4593380528125082431ull, 16408922859458223821ull};
  for (std::uint64_t i = 0; i < 4; ++i) CHECK(drawn(0, i) == from_0[i]);
  for (std::uint64_t i = 0; i < 5; ++i) CHECK(drawn(1234567, i) == from_1234567[i]);
}

TEST(the_key_of_a_stream_depends_on_every_part_and_their_order) {
  CHECK(stream_key({0}) == 0xE220A8397B1DCDAFull);
  CHECK(stream_key({1, 2}) != stream_key({2, 1}));
  CHECK(stream_key({1, 2}) != stream_key({1, 2, 0}));
}

TEST(drawn_numbers_stay_within_their_bounds) {
  CHECK(unit_number(0) == 0x1p-54 && unit_number(~0ull) == 1);
  CHECK(below(0, 7) == 0 && below(~0ull, 7) == 6 && below(~0ull, 1ull << 32) == 0xffffffffull);
  Draws draw(2);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t word = draw.word(), bound = 1 + draw.below(1ull << 32);
    CHECK(below(word, bound) < bound);
    CHECK(unit_number(word) > 0 && unit_number(word) < 1);
  }
}

namespace {

double units_in_the_last_place(double got, long double wanted) {
  const auto near = static_cast<double>(wanted);
  const double unit = std::bit_cast<double>(std::bit_cast<std::uint64_t>(near) + 1) - near;
  return static_cast<double>(std::abs((static_cast<long double>(got) - wanted) / unit));
}

}  // namespace

TEST(the_exponential_is_off_by_less_than_2_units_in_the_last_place) {
  Draws draw(3);
  for (int i = 0; i < 20000; ++i) {
    const double x = i % 2 ? draw.between(kLowestExponent, kHighestExponent) : draw.between(-2, 2);
    CHECK(units_in_the_last_place(exponential(x), std::exp(static_cast<long double>(x))) < 2);
  }
  CHECK(exponential(0) == 1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK(exponential(-kInfinity) == exponential(kLowestExponent) && exponential(-kInfinity) > 0);
  CHECK(exponential(kInfinity) == exponential(kHighestExponent) && exponential(kInfinity) < kInfinity);
}

TEST(the_exponential_has_the_same_bits_at_every_level) {
  Draws draw(4);
  std::vector<double> x(2000), got(2000);
  for (double& number : x) number = draw.between(-750, 750);
  at_every_level([&] {
    with_widest_vectors([&]() TW_INLINE_LOOP {
      for (std::size_t i = 0; i < x.size(); ++i) got[i] = exponential(x[i]);
    });
    for (std::size_t i = 0; i < x.size(); ++i) {
      volatile double one = x[i];  // by itself: no vector
      CHECK(std::bit_cast<std::uint64_t>(got[i]) == std::bit_cast<std::uint64_t>(exponential(one)));
    }
  });
}

TEST(links_are_nearly_rounded_and_have_these_bits_everywhere) {
  Draws draw(5);
  for (int i = 0; i < 20000; ++i) {
    const double x = i % 2 ? draw.between(-700, 709) : draw.between(-2, 2);
    CHECK(units_in_the_last_place(power_of_e(x), std::exp(static_cast<long double>(x))) < 0.7);
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK(power_of_e(0) == 1 && power_of_e(-kInfinity) == 0 && power_of_e(kInfinity) == kInfinity);
  CHECK(power_of_e(kTinyPower) == 0 && power_of_e(std::nextafter(kTinyPower, 0)) == 0x1p-1074);
  CHECK(power_of_e(1) == 0x1.5bf0a8b145769p+1 && sigmoid(0) == 0.5);
  const double scores[] = {0.25, -1.5, 3.0};
  double shares[3];
  softmax(scores, 3, shares);
  CHECK(shares[0] == 0x1.e724b188b5009p-5 && shares[1] == 0x1.529c7c5d9265ep-7 && shares[2] == 0x1.dc4342f5fe666p-1);
}

}  // namespace tw::tests

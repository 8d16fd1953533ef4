// The switch between levels of vectors, and what with_widest_vectors promises.
#include <cmath>   // for sqrt
#include <string>  // for string

#include "base/error.hpp"
#include "base/vectors.hpp"
#include "check.hpp"
#include "draws.hpp"

namespace tw::tests {
namespace {

std::string refusal_of(const std::string& name) {
  try {
    use_vectors(name);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(levels_begin_with_the_baseline_and_have_names) {
  const std::vector<Vectors> levels = levels_of_processor();
  CHECK(!levels.empty() && levels[0] == Vectors::baseline);
  CHECK(std::string(name_of(Vectors::baseline)) == "baseline" && std::string(name_of(Vectors::neon)) == "neon");
  CHECK(std::string(name_of(Vectors::avx2)) == "avx2" && std::string(name_of(Vectors::avx512)) == "avx512");
#if defined(__aarch64__)
  CHECK((levels == std::vector{Vectors::baseline, Vectors::neon}));
#else
  for (const Vectors level : levels) CHECK(level != Vectors::neon);
#endif
}

TEST(no_name_chooses_the_widest_level) {
  use_vectors("baseline");
  use_vectors("");
  CHECK(vectors_in_use() == levels_of_processor().back());
  at_every_level([] {
    const bool wide = vectors_in_use() == Vectors::avx2 || vectors_in_use() == Vectors::avx512;
    CHECK(has_avx2() == wide);
    CHECK(has_avx512() == (vectors_in_use() == Vectors::avx512));
    CHECK(has_neon() == (vectors_in_use() == Vectors::neon));
  });
}

TEST(levels_that_cannot_be_are_refused_in_a_sentence_and_change_nothing) {
  const Vectors before = vectors_in_use();
  const std::string unknown = refusal_of("sse9");
  CHECK(has(unknown, "'sse9'") && has(unknown, "no level") && has(unknown, "baseline"));
#if defined(__aarch64__)
  const std::string absent = refusal_of("avx512");
#else
  const std::string absent = refusal_of("neon");
#endif
  CHECK(has(absent, "this processor has only baseline"));
  CHECK(vectors_in_use() == before);
}

// Volatile numbers are stored and loaded: nothing can be contracted, reordered or kept in wider registers.
TEST(loops_give_the_same_doubles_at_every_level) {
  Draws draw(1);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const std::uint32_t n = draw.size_up_to(200);
    std::vector<double> x(n), y(n), got(n);
    for (std::uint32_t i = 0; i < n; ++i) x[i] = draw.between(-3, 3), y[i] = draw.between(0, 1e6);
    volatile double product, sum = 0;
    std::vector<double> wanted(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      product = x[i] * y[i];
      sum = sum + product;
      product = product + x[i];
      wanted[i] = std::sqrt(product * product) / y[i];
    }
    at_every_level([&] {
      const double total = with_widest_vectors([&]() TW_INLINE_LOOP {
        double together = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
          together += x[i] * y[i];
          const double both = x[i] * y[i] + x[i];
          got[i] = std::sqrt(both * both) / y[i];
        }
        return together;
      });
      CHECK(total == sum);
      CHECK(got == wanted);
    });
  }
}

}  // namespace tw::tests

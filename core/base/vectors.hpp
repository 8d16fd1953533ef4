// Which vectors of the processor are in use: the one switch, TREEWRIGHT_VECTORS. A function with a form for wide
// vectors asks has_avx2(), has_avx512() or has_neon(); a plain loop is compiled for every width by
// with_widest_vectors(). Nothing is contracted or reordered (CMakeLists.txt), so all forms give the same bytes; tests
// compare them.
#pragma once

#include <atomic>       // for atomic
#include <cstddef>      // for size_t
#include <string>       // for string
#include <type_traits>  // for integral_constant
#include <vector>       // for vector

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tw {

enum class Vectors : int { baseline, avx2, avx512, neon };

// The levels that this processor has, the narrowest first.
std::vector<Vectors> levels_of_processor();
const char* name_of(Vectors level);

// Chooses by name, or the widest for an empty one. Throws BadInput for a name that is none, or one that the processor
// cannot do.
void use_vectors(const std::string& name);

namespace vectors_detail {
inline std::atomic<Vectors> in_use{Vectors::baseline};  // until the module is loaded
}
inline Vectors vectors_in_use() { return vectors_detail::in_use.load(std::memory_order_relaxed); }

#if defined(__x86_64__)
// What all processors with AVX2 have, but for FMA, which would round otherwise than two operations do.
#define TW_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
// The parts of AVX-512 that all its processors for servers have.
#define TW_AVX512 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512bw,avx512vl")))
inline bool has_avx2() { return vectors_in_use() >= Vectors::avx2; }
inline bool has_avx512() { return vectors_in_use() >= Vectors::avx512; }
inline bool has_neon() { return false; }
#else
inline bool has_avx2() { return false; }
inline bool has_avx512() { return false; }
inline bool has_neon() { return vectors_in_use() == Vectors::neon; }
#endif

// Before the body of a lambda for with_widest_vectors, and before what it calls: it must become part of each form.
#define TW_INLINE_LOOP __attribute__((always_inline))

#if defined(__x86_64__)
namespace vectors_detail {
template <class Loop>
TW_AVX512 auto run_avx512(Loop loop) {
  return loop();
}
template <class Loop>
TW_AVX2 auto run_avx2(Loop loop) {
  return loop();
}
}  // namespace vectors_detail
#endif

// loop(), compiled for every width; the one in use is run.
template <class Loop>
auto with_widest_vectors(const Loop& loop) {
#if defined(__x86_64__)
  if (has_avx512()) return vectors_detail::run_avx512(loop);
  if (has_avx2()) return vectors_detail::run_avx2(loop);
#endif
  return loop();
}

// loop(n), compiled for every width, where n is how many bytes a vector has in that form: wider ones would be taken
// apart, number by number.
template <class Loop>
auto with_vectors_of_bytes(const Loop& loop) {
  using Narrow = std::integral_constant<std::size_t, 16>;
#if defined(__x86_64__)
  using Wide = std::integral_constant<std::size_t, 32>;
  using Widest = std::integral_constant<std::size_t, 64>;
  if (has_avx512()) return vectors_detail::run_avx512([&]() TW_INLINE_LOOP { return loop(Widest{}); });
  if (has_avx2()) return vectors_detail::run_avx2([&]() TW_INLINE_LOOP { return loop(Wide{}); });
#endif
  return loop(Narrow{});
}

}  // namespace tw

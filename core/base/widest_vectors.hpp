// Runs plain loops in the widest vectors that the processor has. Every number is computed by the same operations in any
// width (nothing is contracted or reordered), so the results are the same bytes on every machine.
#pragma once

namespace tw {

// Before the body of a lambda for with_widest_vectors: it must become part of each of the functions below.
#define TW_INLINE_LOOP __attribute__((always_inline))

#if defined(__x86_64__)
namespace widest_detail {

template <class Loop>
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))) void run_avx512(const Loop& loop) {
  loop();
}
template <class Loop>
__attribute__((target("avx2"))) void run_avx2(const Loop& loop) {
  loop();
}
inline const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
inline const bool has_avx2 = __builtin_cpu_supports("avx2");

}  // namespace widest_detail
#endif

template <class Loop>
void with_widest_vectors(const Loop& loop) {
#if defined(__x86_64__)
  if (widest_detail::has_avx512) return widest_detail::run_avx512(loop);
  if (widest_detail::has_avx2) return widest_detail::run_avx2(loop);
#endif
  loop();
}

}  // namespace tw

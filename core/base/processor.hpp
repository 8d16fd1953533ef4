// What the processor can do. Both forms of a function give the same bytes; tests switch the vector form off to see it.
#pragma once

#include <atomic>  // for atomic

namespace tw {

inline std::atomic<bool> vectors_are_allowed{true};

// 16 numbers at once: the parts of AVX-512 that all its processors for servers have.
inline bool has_avx512() {
#if defined(__x86_64__)
  static const bool known = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return known && vectors_are_allowed.load(std::memory_order_relaxed);
#else
  return false;
#endif
}

}  // namespace tw

#if defined(__x86_64__)
#define TREEWRIGHT_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#endif

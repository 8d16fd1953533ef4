// Lanes: a few rows sorted by many columns at once. A row is a vector with a key in the lane of each column; a network
// of comparisons that knows nothing of the values (Batcher 1968, odd-even merge sort) sorts all lanes side by side.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for uint16_t
#include <utility>  // for index_sequence

#include "base/vectors.hpp"

namespace tw {

template <class T, int kLanes>
struct LanesOf {
  typedef T type __attribute__((vector_size(sizeof(T) * kLanes)));
};
template <class T, int kLanes>
using Lanes = typename LanesOf<T, kLanes>::type;

// From any address, whatever its alignment.
template <class V, class T>
TW_INLINE_LOOP inline V load_lanes(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V, class T>
TW_INLINE_LOOP inline void store_lanes(T* to, const V& v) {
  __builtin_memcpy(to, &v, sizeof v);
}

// The comparisons that sort kRows keys.
template <int kRows>
struct SortingNetwork {
  int size = 0;
  int low[kRows * kRows / 2 + 1] = {}, high[kRows * kRows / 2 + 1] = {};

  constexpr SortingNetwork() {
    int top = 1;
    while (top * 2 < kRows) top *= 2;
    for (int p = top; p > 0; p /= 2) {
      int q = top, r = 0, distance = p;
      while (true) {
        for (int i = 0; i + distance < kRows; ++i)
          if ((i & p) == r) low[size] = i, high[size] = i + distance, ++size;
        if (q == p) break;
        distance = q - p, q /= 2, r = p;
      }
    }
  }
};
template <int kRows>
inline constexpr SortingNetwork<kRows> kSortingNetwork{};

namespace lanes_detail {
template <class V>
TW_INLINE_LOOP inline void put_in_order(V& x, V& y) {
  const V low = x < y ? x : y;
  y = x < y ? y : x;
  x = low;
}
template <int kRows, class V, std::size_t... kAt>
TW_INLINE_LOOP inline void sort_by_network(V* keys, std::index_sequence<kAt...>) {
  (put_in_order(keys[kSortingNetwork<kRows>.low[kAt]], keys[kSortingNetwork<kRows>.high[kAt]]), ...);
}
}  // namespace lanes_detail

// Sorts keys[0], keys[1], … lane by lane, ascending. To be called inside a loop for with_widest_vectors.
template <int kRows, class V>
TW_INLINE_LOOP inline void sort_lanes(V* keys) {
  lanes_detail::sort_by_network<kRows>(keys, std::make_index_sequence<kSortingNetwork<kRows>.size>());
}

// loop.operator()<lanes>(), compiled for every width, with the lanes of 32 bits that a vector has; the one in use is
// run.
template <class Loop>
void with_lanes(const Loop& loop) {
#if defined(__x86_64__)
  if (has_avx512()) return vectors_detail::run_avx512([&]() TW_INLINE_LOOP { loop.template operator()<16>(); });
  if (has_avx2()) return vectors_detail::run_avx2([&]() TW_INLINE_LOOP { loop.template operator()<8>(); });
#endif
  loop.template operator()<4>();
}

}  // namespace tw

// HugeAllocator: for long arrays that are read here and there. The system is asked for large pages (Linux): with small
// ones most of such a read is spent on finding the page.
#pragma once

#include <cstddef>  // for size_t
#include <cstdlib>  // for aligned_alloc, free
#include <new>      // for bad_alloc
#include <vector>   // for vector

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tw {

template <class T>
struct HugeAllocator {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{1} << 21;

  HugeAllocator() = default;
  template <class U>
  HugeAllocator(const HugeAllocator<U>&) {}

  T* allocate(std::size_t n) {
    const std::size_t page = n * sizeof(T) >= 2 * kPage ? kPage : 64;
    const std::size_t bytes = (n * sizeof(T) + page - 1) / page * page;
    void* memory = std::aligned_alloc(page, bytes);
    if (!memory) throw std::bad_alloc();
#if defined(__linux__)
    // A wish: nothing depends on the answer. The last pages stay small, since a large one would hold memory for
    // nothing.
    if (page == kPage) madvise(memory, n * sizeof(T) / kPage * kPage, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  bool operator==(const HugeAllocator&) const { return true; }
};

template <class T>
using HugeVector = std::vector<T, HugeAllocator<T>>;

}  // namespace tw

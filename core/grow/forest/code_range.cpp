#include "grow/forest/code_range.hpp"

#include <algorithm>  // for max, min
#include <cstring>    // for memcpy

#include "base/vectors.hpp"

namespace tw {

CodeRange known_range(const std::uint16_t* codes, std::uint32_t n) {
  return with_widest_vectors([=]() TW_INLINE_LOOP {
    std::uint16_t least_before = 0xffff, highest = 0, least = 0xffff;
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto before = static_cast<std::uint16_t>(codes[i] - 1);  // missing becomes the largest of all
      least_before = std::min(least_before, before);
      highest = std::max(highest, codes[i]);
      least = std::min(least, codes[i]);
    }
    return CodeRange{std::uint32_t{least_before} + 1, highest, least == 0};
  });
}

CodesBeside codes_beside(const std::uint16_t* codes, std::uint32_t n, std::uint32_t cut) {
  return with_widest_vectors([=]() TW_INLINE_LOOP {
    typedef std::uint16_t Shorts __attribute__((vector_size(32)));
    const auto last = static_cast<std::uint16_t>(cut);
    Shorts lefts = {}, rights = Shorts{} - 1;
    std::uint32_t i = 0;
    for (; i + 16 <= n; i += 16) {
      Shorts code;
      std::memcpy(&code, codes + i, sizeof code);
      const Shorts above = reinterpret_cast<Shorts>(code > last);
      const Shorts left = code & ~above, right = code | ~above;
      lefts = left > lefts ? left : lefts;
      rights = right < rights ? right : rights;
    }
    CodesBeside found{0, 0xffff};
    for (int lane = 0; lane < 16; ++lane)
      found = {std::max<std::uint32_t>(found.left, lefts[lane]), std::min<std::uint32_t>(found.right, rights[lane])};
    for (; i < n; ++i) {
      if (codes[i] <= last) found.left = std::max<std::uint32_t>(found.left, codes[i]);
      if (codes[i] > last) found.right = std::min<std::uint32_t>(found.right, codes[i]);
    }
    return found;
  });
}

bool any_above_up_to(const std::uint16_t* codes, std::uint32_t n, std::uint32_t low, std::uint32_t high) {
  return with_widest_vectors([=]() TW_INLINE_LOOP {
    const auto first = static_cast<std::uint16_t>(low + 1), reach = static_cast<std::uint16_t>(high - low);
    std::uint16_t any = 0;
    for (std::uint32_t i = 0; i < n; ++i) any |= static_cast<std::uint16_t>(codes[i] - first) < reach;
    return any != 0;
  });
}

}  // namespace tw

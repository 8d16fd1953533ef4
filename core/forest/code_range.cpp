#include "forest/code_range.hpp"

#include <algorithm>  // for max, min

#include "forest/vector_forms.hpp"

namespace tw {

TW_VECTOR_FORMS CodeRange known_range(const std::uint16_t* codes, std::uint32_t n) {
  std::uint16_t least_before = 0xffff, highest = 0, least = 0xffff;
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto before = static_cast<std::uint16_t>(codes[i] - 1);  // missing becomes the largest of all
    least_before = std::min(least_before, before);
    highest = std::max(highest, codes[i]);
    least = std::min(least, codes[i]);
  }
  return {std::uint32_t{least_before} + 1, highest, least == 0};
}

TW_VECTOR_FORMS CodesBeside codes_beside(const std::uint16_t* codes, std::uint32_t n, std::uint32_t cut) {
  const auto last = static_cast<std::uint16_t>(cut);
  std::uint16_t left = 0, right = 0xffff;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint16_t code = codes[i];
    left = std::max(left, static_cast<std::uint16_t>(code <= last ? code : 0));
    right = std::min(right, static_cast<std::uint16_t>(code > last ? code : 0xffff));
  }
  return {left, right};
}

TW_VECTOR_FORMS bool any_above_up_to(const std::uint16_t* codes, std::uint32_t n, std::uint32_t low,
                                     std::uint32_t high) {
  const auto first = static_cast<std::uint16_t>(low + 1), reach = static_cast<std::uint16_t>(high - low);
  std::uint16_t any = 0;
  for (std::uint32_t i = 0; i < n; ++i) any |= static_cast<std::uint16_t>(codes[i] - first) < reach;
  return any != 0;
}

}  // namespace tw

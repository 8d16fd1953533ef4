#include "grow/lists/divide_list.hpp"

#include <algorithm>  // for copy, copy_n
#include <array>      // for array

#include "base/vectors.hpp"
#include "grow/lists/word.hpp"

namespace tw {
namespace {

template <Part kWanted>
struct Divided {
  std::uint32_t *first, *second;

  void put(std::uint32_t word, std::uint32_t goes_second) {
    if (kWanted != Part::second) *first = word;
    if (kWanted != Part::first) *second = word;
    first += 1 - goes_second, second += goes_second;
  }
};

struct Marked {
  const std::uint8_t* marks;
  std::uint32_t flip;
  std::uint32_t operator()(std::uint32_t word) const { return marks[word & 0xffffu] ^ flip; }
};

// The words from `at` on, one by one; then the second part, from the spare room to its place.
template <Part kWanted>
void finish(std::uint32_t* list, std::size_t at, std::size_t n, std::size_t n_first, const Marked& marked,
            Divided<kWanted> to, const std::uint32_t* spare) {
  for (; at < n; ++at) to.put(list[at], marked(list[at]));
  if (kWanted != Part::first) std::copy_n(spare, n - n_first, list + n_first);
}

template <Part kWanted>
void divide_plain(std::uint32_t* list, std::size_t n, std::size_t n_first, const Marked& marked, std::uint32_t* spare) {
  finish<kWanted>(list, 0, n, n_first, marked, {list, spare}, spare);
}

#if defined(__x86_64__)
TW_AVX2 inline std::uint32_t marks_of_8(const std::uint32_t* words, const std::uint8_t* marks) {
  std::uint32_t low = 0, high = 0;
  for (int i = 0; i < 4; ++i) {
    low |= static_cast<std::uint32_t>(marks[words[i] & 0xffffu]) << i;
    high |= static_cast<std::uint32_t>(marks[words[i + 4] & 0xffffu]) << i;
  }
  return low | high << 4;
}

// places[k]: the places of the zero bits of k, then anything.
constexpr auto kPlaces = [] {
  std::array<std::uint64_t, 256> places{};
  for (std::size_t k = 0; k < 256; ++k)
    for (std::uint64_t bit = 0, at = 0; bit < 8; ++bit)
      if (!(k >> bit & 1)) places[k] |= bit << 8 * at++;
  return places;
}();

TW_AVX2 inline __m256i squeeze(__m256i words, std::uint32_t without) {
  const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&kPlaces[without]));
  return _mm256_permutevar8x32_epi32(words, _mm256_cvtepu8_epi32(places));
}

// Eight words at a time: a permutation looked up in a table squeezes each side together. Writing 8 words is safe:
// `first` never runs ahead of the words already read, `spare` has room for 16 more.
template <Part kWanted>
TW_AVX2 void divide_avx2(std::uint32_t* list, std::size_t n, std::size_t n_first, const Marked& marked,
                         std::uint32_t* spare) {
  Divided<kWanted> to{list, spare};
  const std::uint32_t flip = marked.flip ? 255 : 0;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i));
    const std::uint32_t go_second = marks_of_8(list + i, marked.marks) ^ flip;
    if (kWanted != Part::second) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to.first), squeeze(words, go_second));
    if (kWanted != Part::first)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to.second), squeeze(words, 255 - go_second));
    const auto n_second = static_cast<std::uint32_t>(__builtin_popcount(go_second));
    to.first += 8 - n_second, to.second += n_second;
  }
  finish<kWanted>(list, i, n, n_first, marked, to, spare);
}

// Sixteen at a time, squeezed by the processor.
template <Part kWanted>
TW_AVX512 void divide_avx512(std::uint32_t* list, std::size_t n, std::size_t n_first, const Marked& marked,
                             std::uint32_t* spare) {
  Divided<kWanted> to{list, spare};
  const std::uint32_t flip = marked.flip ? 0xffff : 0;
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i words = _mm512_loadu_si512(list + i);
    const std::uint32_t marks = marks_of_8(list + i, marked.marks) | marks_of_8(list + i + 8, marked.marks) << 8;
    const auto go_second = static_cast<__mmask16>(marks ^ flip);
    if (kWanted != Part::second)
      _mm512_storeu_si512(to.first, _mm512_maskz_compress_epi32(static_cast<__mmask16>(~go_second), words));
    if (kWanted != Part::first) _mm512_storeu_si512(to.second, _mm512_maskz_compress_epi32(go_second, words));
    const auto n_second = static_cast<std::uint32_t>(__builtin_popcount(go_second));
    to.first += 16 - n_second, to.second += n_second;
  }
  finish<kWanted>(list, i, n, n_first, marked, to, spare);
}
#endif

template <Part kWanted>
void divide_by(std::uint32_t* list, std::size_t n, std::size_t n_first, const Marked& marked, std::uint32_t* spare) {
#if defined(__x86_64__)
  if (has_avx512()) return divide_avx512<kWanted>(list, n, n_first, marked, spare);
  if (has_avx2()) return divide_avx2<kWanted>(list, n, n_first, marked, spare);
#endif
  divide_plain<kWanted>(list, n, n_first, marked, spare);
}

}  // namespace

void divide_list(std::uint32_t* list, std::size_t n, std::size_t n_first, const std::uint8_t* marks, bool marked_first,
                 Part wanted, std::uint32_t* spare) {
  const Marked marked{marks, marked_first};
  if (wanted == Part::both) return divide_by<Part::both>(list, n, n_first, marked, spare);
  if (wanted == Part::first) return divide_by<Part::first>(list, n, n_first, marked, spare);
  divide_by<Part::second>(list, n, n_first, marked, spare);
}

void divide_list(std::uint64_t* list, std::size_t n, const std::uint32_t* bits, bool marked_first,
                 std::uint64_t* spare) {
  std::uint64_t *first = list, *second = spare;
  const std::uint32_t flip = marked_first;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = list[i];
    const std::uint32_t row = row_of(word), bit = ((bits[row >> 5] >> (row & 31)) & 1) ^ flip;
    *first = word;
    *second = word;
    first += 1 - bit;
    second += bit;
  }
  std::copy(spare, second, first);
}

}  // namespace tw

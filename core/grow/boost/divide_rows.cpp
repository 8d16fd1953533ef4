#include "grow/boost/divide_rows.hpp"

#include <algorithm>  // for copy, min, max
#include <array>      // for array
#include <bit>        // for popcount

#include "base/vectors.hpp"

namespace tw {

namespace {

constexpr std::uint32_t kChunk = 512;  // rows whose bytes, or numbers, are put together before they go on

// One bit for each of sixteen bytes: whether byte − less, going round below 0, is above last.
TW_INLINE_LOOP inline std::uint32_t bits_above(const std::uint8_t* bytes, std::uint8_t less, std::uint8_t last) {
#if defined(__x86_64__)  // SSE2 is part of every such processor
  const __m128i x = _mm_sub_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)), _mm_set1_epi8(char(less)));
  const __m128i at_most = _mm_cmpeq_epi8(_mm_subs_epu8(x, _mm_set1_epi8(char(last))), _mm_setzero_si128());
  return ~static_cast<std::uint32_t>(_mm_movemask_epi8(at_most)) & 0xffff;
#else
  std::uint32_t bits = 0;
  for (std::uint32_t k = 0; k < 16; ++k) bits |= std::uint32_t{static_cast<std::uint8_t>(bytes[k] - less) > last} << k;
  return bits;
#endif
}

// Bytes are first collected and then compared: a vector that is read just after its bytes were written has to wait.
template <class Byte>
std::uint32_t find(Byte byte_of, std::uint8_t less, std::uint8_t last, const std::uint32_t* rows, std::uint32_t n,
                   std::uint16_t* branch) {
  return with_widest_vectors([=]() TW_INLINE_LOOP {
    std::uint32_t second = 0;
    for (std::uint32_t begin = 0; begin < n; begin += kChunk) {
      const std::uint32_t size = std::min(kChunk, n - begin);
      std::uint8_t bytes[kChunk];
      for (std::uint32_t i = 0; i < size; ++i) bytes[i] = byte_of(rows[begin + i]);
      for (std::uint32_t i = size; i % 16 != 0; ++i) bytes[i] = less;  // takes branch 0
      for (std::uint32_t i = 0; i < size; i += 16) {
        const std::uint32_t bits = bits_above(bytes + i, less, last);
        branch[(begin + i) / 16] = static_cast<std::uint16_t>(bits);
        second += static_cast<std::uint32_t>(std::popcount(bits));
      }
    }
    return second;
  });
}

// Up to kChunk rows in two lists, with room for the vector that is written last.
struct Lists {
  std::uint32_t first[kChunk + 8], second[kChunk + 8];
};

// From row i on. Both lists get the row, and one of them keeps it: no jump to be guessed. in_second: how many are in
// the second list; so is what is returned.
inline std::uint32_t part_plain(const std::uint32_t* rows, std::uint32_t i, std::uint32_t n,
                                const std::uint16_t* branch, std::uint32_t in_second, Lists& to) {
  for (; i < n; ++i) {
    to.first[i - in_second] = to.second[in_second] = rows[i];
    in_second += branch[i / 16] >> (i % 16) & 1;
  }
  return in_second;
}

#if defined(__x86_64__)
// For each set of eight lanes their numbers, ascending.
constexpr auto kTaken = [] {
  std::array<std::array<std::uint8_t, 8>, 256> taken{};
  for (std::uint32_t bits = 0; bits < 256; ++bits)
    for (std::uint8_t lane = 0, n = 0; lane < 8; ++lane)
      if (bits >> lane & 1) taken[bits][n++] = lane;
  return taken;
}();

TW_AVX2 inline void put_taken(__m256i rows, std::uint32_t bits, std::uint32_t* to) {
  const __m256i lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(kTaken[bits].data())));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(rows, lanes));
}

TW_AVX2 std::uint32_t part_avx2(const std::uint32_t* rows, std::uint32_t n, const std::uint16_t* branch, Lists& to) {
  std::uint32_t in_second = 0, i = 0;
  for (; i + 8 <= n; i += 8) {
    const std::uint32_t bits = branch[i / 16] >> (i % 16) & 0xff;
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows + i));
    put_taken(eight, bits ^ 0xff, to.first + (i - in_second));
    put_taken(eight, bits, to.second + in_second);
    in_second += static_cast<std::uint32_t>(std::popcount(bits));
  }
  return part_plain(rows, i, n, branch, in_second, to);
}
#endif

std::uint32_t part(const std::uint32_t* rows, std::uint32_t n, const std::uint16_t* branch, Lists& to) {
#if defined(__x86_64__)
  if (has_avx2()) return part_avx2(rows, n, branch, to);
#endif
  return part_plain(rows, 0, n, branch, 0, to);
}

}  // namespace

// Missing is 0: taking off 1 makes it the largest number, and every other code keeps its place.
std::uint32_t find_branches(const std::uint8_t* code, CodeCut cut, const std::uint32_t* rows, std::uint32_t n,
                            std::uint16_t* branch) {
  const std::uint8_t less = cut.missing_second, last = static_cast<std::uint8_t>(cut.last - less);
  return find([=](std::uint32_t row) TW_INLINE_LOOP { return code[row]; }, less, last, rows, n, branch);
}

std::uint32_t find_branches(const std::uint8_t* code, const std::uint8_t* side, const std::uint32_t* rows,
                            std::uint32_t n, std::uint16_t* branch) {
  return find([=](std::uint32_t row) TW_INLINE_LOOP { return side[code[row]]; }, 0, 0, rows, n, branch);
}

std::uint32_t find_branches(const std::uint32_t* code, const std::uint8_t* side, const std::uint32_t* rows,
                            std::uint32_t n, std::uint16_t* branch) {
  return find([=](std::uint32_t row) TW_INLINE_LOOP { return side[code[row]]; }, 0, 0, rows, n, branch);
}

// By way of two lists of its own: vectors write beyond the last row of a branch, where rows of other blocks stand.
void move_rows(const std::uint32_t* rows, std::uint32_t n, const std::uint16_t* branch, BranchEnds to) {
  Lists lists;
  for (std::uint32_t begin = 0; begin < n; begin += kChunk) {
    const std::uint32_t size = std::min(kChunk, n - begin);
    const std::uint32_t in_second = part(rows + begin, size, branch + begin / 16, lists);
    to.first = std::copy(lists.first, lists.first + (size - in_second), to.first);
    to.second = std::copy(lists.second, lists.second + in_second, to.second);
  }
}

namespace {

constexpr std::uint32_t kBlock = 8192;

std::uint32_t find_block(const BinnedColumn& column, const BoostedNode& node, const std::uint32_t* rows,
                         std::uint32_t n, std::uint16_t* branch) {
  if (!column.is_narrow()) return find_branches(column.wide.data(), node.side.data(), rows, n, branch);
  if (column.kind == Kind::nominal) return find_branches(column.narrow, node.side.data(), rows, n, branch);
  const CodeCut cut{static_cast<std::uint8_t>(node.split.last_code), node.split.missing_second};
  return find_branches(column.narrow, cut, rows, n, branch);
}

}  // namespace

std::uint32_t RowDivider::divide(const BinnedColumn& column, const BoostedNode& node,
                                 const HugeVector<std::uint32_t>& from, HugeVector<std::uint32_t>& to) {
  const std::uint32_t begin = node.begin, end = node.end;
  branch_.resize(std::max(branch_.size(), from.size() / 16 + 1 + from.size() / kBlock));
  const std::uint32_t n_blocks = (end - begin + kBlock - 1) / kBlock;
  std::vector<std::uint32_t> second(n_blocks + 1, 0);
  workers_.run(n_blocks, [&](std::size_t block, int) {
    const std::uint32_t first = begin + static_cast<std::uint32_t>(block) * kBlock, n = std::min(kBlock, end - first);
    second[block + 1] = find_block(column, node, from.data() + first, n, branch_.data() + block * (kBlock / 16));
  });
  for (std::uint32_t block = 0; block < n_blocks; ++block) second[block + 1] += second[block];
  const std::uint32_t middle = end - second[n_blocks];
  workers_.run(n_blocks, [&](std::size_t block, int) {
    const std::uint32_t first = begin + static_cast<std::uint32_t>(block) * kBlock,
                        last = std::min(end, first + kBlock);
    move_rows(from.data() + first, last - first, branch_.data() + block * (kBlock / 16),
              {to.data() + (first - second[block]), to.data() + (middle + second[block])});
  });
  return middle;
}

}  // namespace tw

#include "boost/histogram.hpp"

#include <algorithm>  // for fill, min

namespace tw {
namespace {

constexpr std::size_t kAhead = 16;          // rows for which memory is fetched early
constexpr std::size_t kRowsAlone = 16384;  // up to so many rows one thread is faster than several

// One row: its word is added to a bin of every column, four columns at a time.
template <class Word>
inline void add_row(const std::uint8_t* bins, std::size_t d, const Word& word, Word* to) {
  std::size_t c = 0;
  for (; c + 4 <= d; c += 4, to += 4 * kBins) {
    to[bins[c]] += word;
    to[kBins + bins[c + 1]] += word;
    to[2 * kBins + bins[c + 2]] += word;
    to[3 * kBins + bins[c + 3]] += word;
  }
  for (; c < d; ++c, to += kBins) to[bins[c]] += word;
}

}  // namespace

template <class Word>
void HistogramBuilder<Word>::add_rows(const std::uint32_t* rows, const Word* words, std::size_t begin, std::size_t end,
                                      Word* to) const {
  const std::size_t d = table_.narrow_columns.size();
  const std::uint8_t* matrix = table_.matrix.data();
  if (!rows) {
    for (std::size_t i = begin; i < end; ++i) add_row(matrix + i * d, d, words[i], to);
    return;
  }
  std::size_t i = begin;
  for (; i + kAhead < end; ++i) {
    const std::uint8_t* ahead = matrix + static_cast<std::size_t>(rows[i + kAhead]) * d;
    for (std::size_t line = 0; line < d; line += 64) __builtin_prefetch(ahead + line);
    __builtin_prefetch(ahead + d - 1);
    add_row(matrix + static_cast<std::size_t>(rows[i]) * d, d, words[i], to);
  }
  for (; i < end; ++i) add_row(matrix + static_cast<std::size_t>(rows[i]) * d, d, words[i], to);
}

template <class Word>
typename HistogramBuilder<Word>::Histogram HistogramBuilder<Word>::take() {
  const std::size_t size = table_.narrow_columns.size() * kBins;
  if (spare_.empty()) return Histogram(size);
  Histogram histogram = std::move(spare_.back());
  spare_.pop_back();
  std::fill(histogram.begin(), histogram.end(), Word{});
  return histogram;
}

template <class Word>
typename HistogramBuilder<Word>::Histogram HistogramBuilder<Word>::build(const std::uint32_t* rows, const Word* words,
                                                                         std::size_t n) {
  Histogram whole = take();
  if (table_.narrow_columns.empty()) return whole;
  const std::size_t parts = n <= kRowsAlone ? 1 : static_cast<std::size_t>(workers_.size());
  std::vector<Histogram> others;
  for (std::size_t part = 1; part < parts; ++part) others.push_back(take());
  const auto fill = [&](std::size_t part, int) {
    add_rows(rows, words, n * part / parts, n * (part + 1) / parts, part ? others[part - 1].data() : whole.data());
  };
  if (parts == 1)
    fill(0, 0);
  else
    workers_.run(parts, fill);
  for (Histogram& other : others) {
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] += other[i];
    give_back(std::move(other));
  }
  return whole;
}

template <class Word>
void HistogramBuilder<Word>::subtract(Histogram& parent, const Histogram& child) {
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] -= child[i];
}

template class HistogramBuilder<PackedWord>;
template class HistogramBuilder<DoubleWord>;

}  // namespace tw

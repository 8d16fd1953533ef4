#include "grow/boost/histogram.hpp"

#include <algorithm>  // for fill, min

namespace tw {
namespace {

constexpr std::size_t kAhead = 16;          // rows for which memory is fetched early
constexpr std::size_t kPartsOfAThread = 4;  // so that a thread which is held up leaves its share to the others
constexpr std::size_t kRowsAlone = 4096;    // up to so many rows one thread is faster than several

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
    __builtin_prefetch(words + rows[i + kAhead]);
    add_row(matrix + static_cast<std::size_t>(rows[i]) * d, d, words[rows[i]], to);
  }
  for (; i < end; ++i) add_row(matrix + static_cast<std::size_t>(rows[i]) * d, d, words[rows[i]], to);
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
  if (n <= kRowsAlone || workers_.size() == 1) {
    add_rows(rows, words, 0, n, whole.data());
    return whole;
  }
  std::vector<Histogram>
      others;  // one for each thread but the first; sums are whole numbers, so who adds what is all one
  for (int worker = 1; worker < workers_.size(); ++worker) others.push_back(take());
  const std::size_t parts = kPartsOfAThread * static_cast<std::size_t>(workers_.size());
  workers_.run(parts, [&](std::size_t part, int worker) {
    Word* to = worker ? others[worker - 1].data() : whole.data();
    add_rows(rows, words, n * part / parts, n * (part + 1) / parts, to);
  });
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

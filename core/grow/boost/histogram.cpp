#include "grow/boost/histogram.hpp"

#include <algorithm>  // for fill, max

#include "base/vectors.hpp"

namespace tw {
namespace {

constexpr std::size_t kAhead = 16;          // rows for which memory is fetched early
constexpr std::size_t kPartsOfAThread = 4;  // so that a thread which is held up leaves its share to the others
constexpr std::size_t kRowsAlone = 4096;    // up to so many rows one thread is faster than several

// One row: its word is added to a bin of each of the first d columns, four columns at a time.
template <class Word>
inline void add_row(const std::uint8_t* bins, const ColumnGroup* group, std::size_t d, const Word& word,
                    Word* histogram) {
  std::size_t c = 0;
  for (; c + kTogether <= d; c += kTogether, ++group) {
    Word* to = histogram + group->at;
    to[bins[c] * kTogether] += word;
    to[bins[c + 1] * kTogether + 1] += word;
    to[bins[c + 2] * kTogether + 2] += word;
    to[bins[c + 3] * kTogether + 3] += word;
  }
  for (std::size_t lane = 0; c < d; ++c, ++lane) histogram[group->at + bins[c] * kTogether + lane] += word;
}

// (Inlined always: for the compiler a call that does nothing but fetch does nothing.)
TW_INLINE_LOOP inline void fetch(const void* from, std::size_t n_bytes) {
  const char* bytes = static_cast<const char*>(from);
  for (std::size_t line = 0; line < n_bytes; line += 64) __builtin_prefetch(bytes + line);
  __builtin_prefetch(bytes + n_bytes - 1);
}

// add(row) for each of some rows; fetch_early(row) some rows before it.
template <class Add, class Fetch>
inline void for_rows(const std::uint32_t* rows, std::size_t begin, std::size_t end, Add&& add, Fetch&& fetch_early) {
  if (!rows) {
    for (std::size_t row = begin; row < end; ++row) add(row);
    return;
  }
  std::size_t i = begin;
  for (; i + kAhead < end; ++i) {
    fetch_early(rows[i + kAhead]);
    add(rows[i]);
  }
  for (; i < end; ++i) add(rows[i]);
}

}  // namespace

template <class Word>
void HistogramBuilder<Word>::add_rows(const Rows& at, std::size_t begin, std::size_t end, Word* to) const {
  const std::size_t d = table_.narrow_columns.size();
  const std::uint8_t* matrix = table_.matrix.data();
  const ColumnGroup* groups = table_.groups.data();
  const Word* words = at.words;
  for_rows(
      at.rows, begin, end, [=](std::size_t row) { add_row(matrix + row * d, groups, d, words[row], to); },
      [=](std::size_t row) TW_INLINE_LOOP {
        fetch(matrix + row * d, d);
        __builtin_prefetch(words + row);
      });
}

template <class Word>
void HistogramBuilder<Word>::add_rows_jointly(const Rows& at, std::size_t begin, std::size_t end, Word* to,
                                              Histogram& joint) const {
  const JointColumns& sets = table_.joint;
  const std::size_t d = table_.narrow_columns.size(), alone = sets.first_place(), n_sets = sets.n_sets();
  const std::uint8_t* matrix = table_.matrix.data();
  const ColumnGroup* groups = table_.groups.data();
  const Word* words = at.words;
  joint.resize(sets.size());  // all zero: each is cleared after its use
  Word* combinations = joint.data();
  for_rows(
      at.rows, begin, end,
      [&, combinations](std::size_t row) {
        const Word word = words[row];
        const std::uint16_t* codes = sets.codes(row);
        for (std::size_t s = 0; s < n_sets; ++s) combinations[codes[s]] += word;
        add_row(matrix + row * d, groups, alone, word, to);
      },
      [&](std::size_t row) TW_INLINE_LOOP {
        if (alone > 0) fetch(matrix + row * d, alone);
        fetch(sets.codes(row), n_sets * sizeof(std::uint16_t));
        __builtin_prefetch(words + row);
      });
}

template <class Word>
typename HistogramBuilder<Word>::Histogram HistogramBuilder<Word>::take() {
  if (spare_.empty()) return Histogram(table_.histogram_size);
  Histogram histogram = std::move(spare_.back());
  spare_.pop_back();
  std::fill(histogram.begin(), histogram.end(), Word{});
  return histogram;
}

template <class Word>
typename HistogramBuilder<Word>::Histogram HistogramBuilder<Word>::build(const std::uint32_t* rows, const Word* words,
                                                                         std::size_t n) {
  Histogram whole = build_own(rows, words, n);
  constexpr std::size_t kParts = sizeof(Word) / sizeof(std::int64_t);  // a word is as many whole numbers
  table_.peers->add(std::span(reinterpret_cast<std::int64_t*>(whole.data()), whole.size() * kParts));
  return whole;
}

template <class Word>
typename HistogramBuilder<Word>::Histogram HistogramBuilder<Word>::build_own(const std::uint32_t* rows,
                                                                             const Word* words, std::size_t n) {
  Histogram whole = take();
  if (table_.narrow_columns.empty()) return whole;
  const bool jointly = table_.joint.pay_for(n), alone = n <= kRowsAlone || workers_.size() == 1;
  const auto n_workers = static_cast<std::size_t>(alone ? 1 : workers_.size());
  std::vector<Histogram> others;  // of each thread but the first; sums are whole numbers, so who adds what is all one
  for (std::size_t worker = 1; worker < n_workers; ++worker) others.push_back(take());
  joint_.resize(std::max(joint_.size(), n_workers));
  const std::size_t parts = alone ? 1 : kPartsOfAThread * n_workers;
  const auto add_part = [&](std::size_t part, int worker) {
    Word* to = worker ? others[worker - 1].data() : whole.data();
    const std::size_t begin = n * part / parts, end = n * (part + 1) / parts;
    jointly ? add_rows_jointly({rows, words}, begin, end, to, joint_[worker]) : add_rows({rows, words}, begin, end, to);
  };
  if (alone)
    add_part(0, 0);
  else
    workers_.run(parts, add_part);
  for (Histogram& other : others) {
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] += other[i];
    give_back(std::move(other));
  }
  for (std::size_t worker = 0; worker < n_workers && jointly; ++worker) {
    if (joint_[worker].empty()) continue;
    table_.joint.add_to(table_, joint_[worker].data(), whole.data());
    std::fill(joint_[worker].begin(), joint_[worker].end(), Word{});
  }
  return whole;
}

template <class Word>
void HistogramBuilder<Word>::subtract(Histogram& parent, const Histogram& child) {
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] -= child[i];
}

template class HistogramBuilder<PackedWord>;
template class HistogramBuilder<WideWord>;

}  // namespace tw

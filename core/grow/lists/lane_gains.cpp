#include "grow/lists/lane_gains.hpp"

#include "grow/lists/lanes.hpp"

namespace tw {

void LaneGains::start(std::size_t n_lanes, std::size_t stride) {
  n_lanes_ = n_lanes, largest_ = -1;
  if (stride == stride_) return;
  stride_ = stride;
  keys_.assign(kLaneRows * stride, 0);
  gains_.assign(kLaneRows * stride, 0);
  most_.assign(stride, 0);
}

namespace {

// ---------------------------------------------------------------------------------------------------- sorting

// The codes of kRows rows in order, for the columns in the lanes of V. Rows that are not there come last.
template <int kRows, class V>
TW_INLINE_LOOP inline void sort_rows(const LaneNode& node, std::size_t column, LaneGains& found) {
  V keys[kRows];
  const auto n = static_cast<std::uint32_t>(node.rows.size());
  for (std::uint32_t j = 0; j < kRows; ++j) {
    if (j < n)
      keys[j] = load_lanes<V>(node.codes.row(node.rows[j]) + column) | static_cast<std::uint16_t>(j);
    else
      keys[j] = V{} - static_cast<std::uint16_t>(1);
  }
  sort_lanes<kRows>(keys);
  for (std::uint32_t j = 0; j < kRows; ++j)
    if (j < n) store_lanes(found.keys(j) + column, keys[j]);
}

template <class V>
TW_INLINE_LOOP inline void sort_columns(const LaneNode& node, std::size_t column, LaneGains& found) {
  const std::size_t n = node.rows.size();
  if (n <= 4) return sort_rows<4, V>(node, column, found);
  if (n <= 6) return sort_rows<6, V>(node, column, found);
  if (n <= 8) return sort_rows<8, V>(node, column, found);
  if (n <= 12) return sort_rows<12, V>(node, column, found);
  if (n <= 16) return sort_rows<16, V>(node, column, found);
  if (n <= 24) return sort_rows<24, V>(node, column, found);
  sort_rows<32, V>(node, column, found);
}

// ---------------------------------------------------------------------------------------------------- looking up

// table[slot], lane by lane, for slots below 8, 16 or 32.
template <int kLanes>
struct SlotTable {
  using Ints = Lanes<std::int32_t, kLanes>;
  const std::int32_t* table;
  Ints part[4];
  bool small, middle;

  TW_INLINE_LOOP SlotTable(const std::int32_t* numbers, std::size_t n)
      : table(numbers), small(n <= kLanes), middle(n <= 2 * kLanes) {
    if constexpr (kLanes >= 8)
      for (int i = 0; i < 4 && (i + 1) * kLanes <= int(kLaneRows); ++i)
        part[i] = load_lanes<Ints>(numbers + i * kLanes);
  }
  TW_INLINE_LOOP Ints at(Ints slots) const {
    if constexpr (kLanes < 8) {
      Ints found;
      for (int i = 0; i < kLanes; ++i) found[i] = table[slots[i]];
      return found;
    } else {
      if (small) return __builtin_shuffle(part[0], slots);
      const Ints low = __builtin_shuffle(part[0], part[1], slots);
      if (kLanes >= 16 || middle) return low;
      return (slots & 2 * kLanes) != 0 ? __builtin_shuffle(part[2], part[3], slots) : low;
    }
  }
};

// What a scan along the places of some columns shares, whatever it adds up.
template <int kLanes>
struct LaneScan {
  using Half = Lanes<std::uint16_t, kLanes>;
  using Ints = Lanes<std::int32_t, kLanes>;
  using Floats = Lanes<float, kLanes>;
  std::size_t column;
  LaneGains& found;
  Floats most = Floats{} - 1;
  Half key;

  TW_INLINE_LOOP LaneScan(std::size_t c, LaneGains& f) : column(c), found(f) { key = load_lanes<Half>(f.keys(0) + c); }
  TW_INLINE_LOOP Ints slots() const {
    return __builtin_convertvector(key & static_cast<std::uint16_t>(kLaneRows - 1), Ints);
  }
  // The gain of the cut after a place; no cut between equal values. Goes on to the next place.
  TW_INLINE_LOOP void take(std::uint32_t place, bool allowed, Floats gain) {
    const Half next = load_lanes<Half>(found.keys(place + 1) + column);
    const Ints differs = __builtin_convertvector((key ^ next) >> kSlotBits, Ints);
    gain = (differs != 0) & (allowed ? Ints{} - 1 : Ints{}) ? gain : Floats{} - 1;
    store_lanes(found.gains(place) + column, gain);
    most = gain > most ? gain : most;
    key = next;
  }
  TW_INLINE_LOOP void finish(const std::int32_t* scored) {
    most = load_lanes<Ints>(scored + column) != 0 ? most : Floats{} - 1;
    store_lanes(found.most() + column, most);
    for (int width = kLanes / 2; width > 0; width /= 2) {
      Ints other;
      for (int i = 0; i < kLanes; ++i) other[i] = i ^ width;
      const Floats shuffled = __builtin_shuffle(most, other);
      most = shuffled > most ? shuffled : most;
    }
    found.raise_largest(most[0]);
  }
};

constexpr float reciprocal(std::uint32_t n) { return 1.0f / static_cast<float>(n); }

template <int kLanes>
TW_INLINE_LOOP inline void scan_numbers(const LaneNode& node, const std::int32_t* numbers, std::size_t column,
                                        LaneGains& found) {
  using Scan = LaneScan<kLanes>;
  Scan scan(column, found);
  const auto n = static_cast<std::uint32_t>(node.rows.size());
  const SlotTable<kLanes> table(numbers, n);
  typename Scan::Ints sum{};
  for (std::uint32_t p = 0; p + 1 < n; ++p) {
    sum += table.at(scan.slots());
    const auto d = __builtin_convertvector(sum, typename Scan::Floats);
    const bool allowed = p + 1 >= node.min_leaf && n - p - 1 >= node.min_leaf;
    scan.take(p, allowed, d * d * (reciprocal(p + 1) + reciprocal(n - p - 1)));
  }
  scan.finish(node.codes.scored());
}

// A row as the class scan looks it up: rows of its class << 8 | counter in the second word << 7 | place of the counter.
struct ClassTable {
  std::int32_t row[kLaneRows] = {};
  std::int32_t squares = 0, mask = 0;
  bool two_words = false;
};

template <int kLanes>
TW_INLINE_LOOP inline void scan_classes(const LaneNode& node, const ClassTable& classes, std::size_t column,
                                        LaneGains& found) {
  using Scan = LaneScan<kLanes>;
  using Ints = typename Scan::Ints;
  using Floats = typename Scan::Floats;
  Scan scan(column, found);
  const auto n = static_cast<std::uint32_t>(node.rows.size());
  const SlotTable<kLanes> table(classes.row, n);
  const Ints one = Ints{} + 1;
  Ints low{}, high{}, squares{}, products{};  // counters; Σ l_k², Σ l_k n_k
  for (std::uint32_t p = 0; p + 1 < n; ++p) {
    const Ints row = table.at(scan.slots()), shift = row & 31;
    products += row >> 8;
    Ints count = low >> shift;
    if (classes.two_words) {
      const Ints in_high = (row & 128) != 0;
      count = in_high ? high >> shift : count;
      high += (one << shift) & in_high;
      low += (one << shift) & ~in_high;
    } else {
      low += one << shift;
    }
    squares += 2 * (count & classes.mask) + 1;
    const Ints rest = classes.squares - 2 * products + squares;
    const bool allowed = p + 1 >= node.min_leaf && n - p - 1 >= node.min_leaf;
    scan.take(p, allowed,
              __builtin_convertvector(squares, Floats) * reciprocal(p + 1) +
                  __builtin_convertvector(rest, Floats) * reciprocal(n - p - 1));
  }
  scan.finish(node.codes.scored());
}

// Sorts and scans every column.
template <int kLanes, class Scan>
TW_INLINE_LOOP inline void for_all_columns(const LaneNode& node, LaneGains& found, Scan scan) {
  for (std::size_t c = 0; c < found.n_lanes(); c += 2 * kLanes) {
    sort_columns<Lanes<std::uint16_t, 2 * kLanes>>(node, c, found);
    scan(c);
    if (c + kLanes < found.n_lanes()) scan(c + kLanes);
  }
}

}  // namespace

void find_number_gains(const LaneNode& node, const std::int32_t* numbers, LaneGains& found) {
  with_lanes([&]<int kLanes>() TW_INLINE_LOOP {
    for_all_columns<kLanes>(node, found,
                            [&](std::size_t c) TW_INLINE_LOOP { scan_numbers<kLanes>(node, numbers, c, found); });
  });
}

void find_class_gains(const LaneNode& node, const std::uint32_t* classes, std::span<const std::uint32_t> totals,
                      LaneGains& found) {
  const auto n = static_cast<std::uint32_t>(node.rows.size());
  const std::uint32_t bits = n <= 16 ? 4 : 5, in_a_word = n <= 16 ? 8 : 6;
  ClassTable table;
  table.mask = (1 << bits) - 1;
  table.two_words = totals.size() > in_a_word;
  for (const std::uint32_t count : totals) table.squares += static_cast<std::int32_t>(count * count);
  for (std::uint32_t j = 0; j < n; ++j) {
    const std::uint32_t k = classes[j];
    table.row[j] = static_cast<std::int32_t>(totals[k] << 8 | (k >= in_a_word ? 128 : 0) | k % in_a_word * bits);
  }
  with_lanes([&]<int kLanes>() TW_INLINE_LOOP {
    for_all_columns<kLanes>(node, found,
                            [&](std::size_t c) TW_INLINE_LOOP { scan_classes<kLanes>(node, table, c, found); });
  });
}

}  // namespace tw

#include "grow/exact/node_payload.hpp"

#include <algorithm>  // for fill

namespace tw {
namespace {

// Two classes, every weight 1: the class is one byte, and rows and class are counted in one 64-bit word.
class ClassPayload {
 public:
  void resize(std::size_t n) { class_of_.resize(n); }
  void take(const Target& target, std::span<const std::uint32_t> rows, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) class_of_[i] = static_cast<std::uint8_t>(target.classes[rows[i]]);
  }
  PairSum at(std::size_t i) const { return {1, class_of_[i], 1}; }

  template <class Code>
  void count(const Code* codes, std::span<const std::uint32_t> rows, CountTable& table) const {
    // Four tables in turn: neighbouring rows often share a bucket, and a word must not wait for its own last store.
    static thread_local std::vector<std::uint64_t> words;
    const std::size_t size = table.size(), copies = size <= 4096 ? 4 : 1;
    words.assign(size * copies, 0);
    std::uint64_t* w[4];
    for (std::size_t c = 0; c < 4; ++c) w[c] = words.data() + (copies == 4 ? c : 0) * size;
    auto word = [&](std::size_t i) { return 1ull << 32 | class_of_[i]; };
    std::size_t i = 0;
    for (; i + 4 <= rows.size(); i += 4) {
      w[0][codes[rows[i]]] += word(i);
      w[1][codes[rows[i + 1]]] += word(i + 1);
      w[2][codes[rows[i + 2]]] += word(i + 2);
      w[3][codes[rows[i + 3]]] += word(i + 3);
    }
    for (; i < rows.size(); ++i) w[0][codes[rows[i]]] += word(i);
    for (std::size_t k = 0; k < size; ++k) {
      std::uint64_t sum = w[0][k];
      for (std::size_t c = 1; c < copies; ++c) sum += w[c][k];
      table[k] = {static_cast<std::int64_t>(sum >> 32), static_cast<std::int64_t>(sum & 0xffffffffu),
                  static_cast<std::uint32_t>(sum >> 32)};
    }
  }

 private:
  std::vector<std::uint8_t> class_of_;
};

// Numbers with every weight 1.
class NumberPayload {
 public:
  void resize(std::size_t n) { values_.resize(n); }
  void take(const Target& target, std::span<const std::uint32_t> rows, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values_[i] = target.value[rows[i]];
  }
  PairSum at(std::size_t i) const { return {1, values_[i], 1}; }

  template <class Code>
  void count(const Code* codes, std::span<const std::uint32_t> rows, CountTable& table) const {
    struct Cell {
      std::int64_t b, rows;
    };
    static thread_local std::vector<Cell> cells;
    cells.assign(table.size(), {0, 0});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Cell& cell = cells[codes[rows[i]]];
      cell.b += values_[i];
      ++cell.rows;
    }
    for (std::size_t k = 0; k < table.size(); ++k)
      table[k] = {cells[k].rows, cells[k].b, static_cast<std::uint32_t>(cells[k].rows)};
  }

 private:
  std::vector<std::int64_t> values_;
};

// Weighted rows, classes or numbers.
class WeightedPayload {
 public:
  void resize(std::size_t n) { sums_.resize(n); }
  void take(const Target& target, std::span<const std::uint32_t> rows, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) sums_[i] = {target.weight[rows[i]], target.value[rows[i]], 1};
  }
  PairSum at(std::size_t i) const { return sums_[i]; }

  template <class Code>
  void count(const Code* codes, std::span<const std::uint32_t> rows, CountTable& table) const {
    std::fill(table.begin(), table.end(), PairSum{});
    for (std::size_t i = 0; i < rows.size(); ++i) table[codes[rows[i]]] += sums_[i];
  }

 private:
  std::vector<PairSum> sums_;
};

// The loops of a payload behind one face: it is asked once a column, not once a row.
template <class Rows>
class PayloadOf final : public NodePayload {
 public:
  void resize(std::size_t n) override { rows_.resize(n); }
  void take(const Target& target, std::span<const std::uint32_t> rows, std::size_t begin, std::size_t end) override {
    rows_.take(target, rows, begin, end);
  }
  void gather(std::span<const std::uint64_t> words, std::vector<PairSum>& to) const override {
    to.resize(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) to[i] = rows_.at(static_cast<std::uint32_t>(words[i]));
  }
  void count(const Column& column, std::span<const std::uint32_t> rows, CountTable& table) const override {
    if (column.ordered() || column.width == 1)
      rows_.count(column.small_code(), rows, table);
    else if (column.width == 2)
      rows_.count(column.codes16.data(), rows, table);
    else
      rows_.count(column.codes32.data(), rows, table);
  }

 private:
  Rows rows_;
};

}  // namespace

std::unique_ptr<NodePayload> make_node_payload(const Target& target) {
  if (!target.unit_weights()) return std::make_unique<PayloadOf<WeightedPayload>>();
  if (target.is_regression()) return std::make_unique<PayloadOf<NumberPayload>>();
  return std::make_unique<PayloadOf<ClassPayload>>();
}

}  // namespace tw

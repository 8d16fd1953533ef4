// Column: one encoded column. Missing is 0 in every code below.
//
// A *coded* column has a code for each row, 1 … n_codes: the level of a nominal or ordinal column, or the rank of a
// number where there are at most 255 different ones.
// A *raw* column keeps its numbers where the user has them and adds a bucket to each row: 1 … n_buckets, runs of about
// equal weight in ascending order. Large nodes count buckets and look at the numbers of a few of them only, so nothing
// is ever sorted as a whole. Numbers are compared through a 32-bit key that never decreases with the number; where
// two different numbers can share a key (exact_keys is false), the numbers themselves decide.
#pragma once

#include <bit>      // for bit_cast
#include <cstddef>  // for size_t
#include <cstdint>  // for uint32_t
#include <vector>   // for vector

#include "table/values.hpp"

namespace tw {

// A table of at most this many rows is grown as one block; its raw columns have no buckets.
constexpr std::size_t kOneBlockRows = 16384;

enum class Kind : std::uint8_t { numeric, nominal, ordinal };

// How a number becomes its key.
enum class KeyKind : std::uint8_t {
  single,    // the bits of a float in ascending order
  distance,  // whole numbers: distance from the lowest
  upper      // the upper half of the bits of a double in ascending order
};

struct KeyMaker {
  KeyKind kind = KeyKind::single;
  double low = 0;

  std::uint32_t operator()(double x) const {  // 0 for NaN, above 0 for every number
    if (!(x == x)) return 0;
    if (kind == KeyKind::single) return of_single(static_cast<float>(x));
    if (kind == KeyKind::distance) return static_cast<std::uint32_t>(x - low) + 1;
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);  // −0 becomes +0
    return static_cast<std::uint32_t>((bits ^ ((bits >> 63) ? ~0ull : 0x8000000000000000ull)) >> 32);
  }
  static std::uint32_t of_single(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x + 0.0f);
    return bits ^ ((bits >> 31) ? 0xffffffffu : 0x80000000u);
  }
};

struct Column {
  Kind kind = Kind::numeric;
  bool is_coded = true;
  bool has_missing = false;

  // coded
  std::uint32_t n_codes = 0;
  int width = 1;  // bytes of a code: 1, 2 or 4
  std::vector<std::uint8_t> codes8;
  std::vector<std::uint16_t> codes16;
  std::vector<std::uint32_t> codes32;

  // raw
  std::uint32_t n_buckets = 0;
  std::vector<std::uint8_t> buckets;
  KeyMaker make_key;
  bool exact_keys = true;

  Values values;  // numeric: the numbers, borrowed

  bool ordered() const { return kind != Kind::nominal; }
  std::uint32_t code(std::size_t row) const {
    return width == 1 ? codes8[row] : width == 2 ? codes16[row] : codes32[row];
  }
  // Ordered columns: a small code that never decreases with the value; its number of values is small_codes() + 1.
  const std::uint8_t* small_code() const { return is_coded ? codes8.data() : buckets.data(); }
  std::uint32_t small_codes() const { return is_coded ? n_codes : n_buckets; }

  bool is_missing(std::size_t row) const {
    if (is_coded) return code(row) == 0;
    return buckets.empty() ? value(row) != value(row) : buckets[row] == 0;
  }

  // What the test `x <= t` compares: a number, or the level's code where the column is ordinal; NaN where missing.
  double value(std::size_t row) const {
    if (values.data) return values.at(row);
    const std::uint32_t c = code(row);
    return c ? static_cast<double>(c) : std::numeric_limits<double>::quiet_NaN();
  }

  // Calls f(key_of) with a function from a row to its key (codes are keys too), made for the column's own type.
  template <class F>
  void visit_keys(F&& f) const {
    if (!values.data) {  // codes; a long ordinal scale has them beside its buckets
      if (width == 1) return f([p = codes8.data()](std::size_t row) -> std::uint32_t { return p[row]; });
      if (width == 2) return f([p = codes16.data()](std::size_t row) -> std::uint32_t { return p[row]; });
      return f([p = codes32.data()](std::size_t row) -> std::uint32_t { return p[row]; });
    }
    if (is_coded) return f([p = codes8.data()](std::size_t row) -> std::uint32_t { return p[row]; });
    if (values.type == NumberType::f32 && !values.missing) {
      return f([v = values](std::size_t row) -> std::uint32_t {
        const float x = v.load<float>(row);
        return x == x ? KeyMaker::of_single(x) : 0;
      });
    }
    if (values.type == NumberType::f64 && !values.missing)
      return f([v = values, make = make_key](std::size_t row) -> std::uint32_t { return make(v.load<double>(row)); });
    return f([this](std::size_t row) -> std::uint32_t { return make_key(values.at(row)); });
  }
};

struct Table {
  std::size_t n_rows = 0;
  std::vector<Column> columns;
};

}  // namespace tw

// Values: one column of the user's numbers where they lie in memory, borrowed and never copied.
#pragma once

#include <cmath>    // for isnan
#include <cstddef>  // for ptrdiff_t, size_t
#include <cstdint>  // for int64_t
#include <cstring>  // for memcpy
#include <limits>   // for numeric_limits

namespace tw {

enum class NumberType : std::uint8_t { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 };

struct Values {
  const char* data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes from one row to the next
  NumberType type = NumberType::f64;
  const std::uint8_t* missing = nullptr;  // optional: 1 where the value is missing (integers have no NaN)

  template <class T>
  T load(std::size_t row) const {
    T value;
    std::memcpy(&value, data + static_cast<std::ptrdiff_t>(row) * stride, sizeof value);
    return value;
  }

  // Calls f with a zero of the column's own number type.
  template <class F>
  auto visit(F&& f) const {
    switch (type) {
      case NumberType::f32:
        return f(float{});
      case NumberType::f64:
        return f(double{});
      case NumberType::i8:
        return f(std::int8_t{});
      case NumberType::i16:
        return f(std::int16_t{});
      case NumberType::i32:
        return f(std::int32_t{});
      case NumberType::i64:
        return f(std::int64_t{});
      case NumberType::u8:
        return f(std::uint8_t{});
      case NumberType::u16:
        return f(std::uint16_t{});
      case NumberType::u32:
        return f(std::uint32_t{});
      default:
        return f(std::uint64_t{});
    }
  }

  // The value as a double; NaN where it is missing. Integers beyond 2^53 are rounded to the nearest double,
  // here and in prediction alike.
  double at(std::size_t row) const {
    if (missing && missing[row]) return std::numeric_limits<double>::quiet_NaN();
    return visit([&](auto zero) { return static_cast<double>(load<decltype(zero)>(row)); });
  }
};

}  // namespace tw

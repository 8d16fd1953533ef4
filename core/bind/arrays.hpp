// Between numpy arrays and the core's borrowed memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/workers.hpp"
#include "table/values.hpp"

namespace tw {

namespace nb = nanobind;
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.shape(0));
}

// A span that is empty where there is no array.
inline std::span<const double> span_or_none(const nb::object& given) {
  return given.is_none() ? std::span<const double>() : span_of(nb::cast<Doubles>(given));
}

inline NumberType number_type(nb::dlpack::dtype dtype) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(dtype.code);
  if (code == Code::Float && dtype.bits == 32) return NumberType::f32;
  if (code == Code::Float && dtype.bits == 64) return NumberType::f64;
  if (code == Code::Bool && dtype.bits == 8) return NumberType::u8;
  if (code == Code::Int) switch (dtype.bits) {
      case 8:
        return NumberType::i8;
      case 16:
        return NumberType::i16;
      case 32:
        return NumberType::i32;
      case 64:
        return NumberType::i64;
    }
  if (code == Code::UInt) switch (dtype.bits) {
      case 8:
        return NumberType::u8;
      case 16:
        return NumberType::u16;
      case 32:
        return NumberType::u32;
      case 64:
        return NumberType::u64;
    }
  throw BadInput("an array of numbers of 8 to 64 bits was expected");
}

// Column `k` of a matrix (or the one column of a vector), borrowed.
inline Values borrow(const AnyArray& array, std::size_t k = 0) {
  const auto type = number_type(array.dtype());
  const std::ptrdiff_t item = array.dtype().bits / 8;
  Values values;
  values.type = type;
  values.stride = array.stride(0) * item;
  values.data =
      static_cast<const char*>(array.data()) + (array.ndim() > 1 ? array.stride(1) * item * std::ptrdiff_t(k) : 0);
  return values;
}

// A numpy array that owns the vector's memory.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> vector) {
  auto* kept = new std::vector<T>(std::move(vector));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(kept->data(), {kept->size()}, owner);
}

// The same with any number of axes.
inline nb::ndarray<nb::numpy, double> shaped(std::vector<double> values, std::vector<std::size_t> shape) {
  auto* kept = new std::vector<double>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::ndarray<nb::numpy, double>(kept->data(), shape.size(), shape.data(), owner);
}

// True when a Python signal handler raised (Ctrl-C). Called with the GIL released.
inline bool signal_raised() {
  nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

}  // namespace tw

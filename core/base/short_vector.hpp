// ShortVector: a few numbers inside the object itself, more of them on the heap. Nodes have sums by class, and most
// tables have two or three classes: nothing then has to be asked of the heap for a node.
#pragma once

#include <algorithm>         // for copy, fill_n
#include <cstddef>           // for size_t
#include <initializer_list>  // for initializer_list
#include <span>              // for span
#include <vector>            // for vector

namespace tw {

template <class T, std::size_t Few>
class ShortVector {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return size_ <= Few ? few_ : many_.data(); }
  const T* data() const { return size_ <= Few ? few_ : many_.data(); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  operator std::span<const T>() const { return {data(), size_}; }

  void assign(std::size_t n, T value) {
    make_room(n);
    std::fill_n(data(), n, value);
  }
  void assign(const T* from, const T* to) {
    make_room(static_cast<std::size_t>(to - from));
    std::copy(from, to, data());
  }
  ShortVector& operator=(std::initializer_list<T> values) {
    assign(values.begin(), values.end());
    return *this;
  }

 private:
  void make_room(std::size_t n) {
    size_ = n;
    if (n > Few) many_.resize(n);
  }

  std::size_t size_ = 0;
  T few_[Few] = {};
  std::vector<T> many_;
};

}  // namespace tw

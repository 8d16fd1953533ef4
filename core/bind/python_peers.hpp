// Peers that Python talks to: an object with add(array) and take_largest(array), which change the array in place, and
// join(array), which gives an array. It is called on the thread of the fit alone.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

#include "base/peers.hpp"
#include "bind/arrays.hpp"

namespace tw {

class PythonPeers : public Peers {
 public:
  explicit PythonPeers(nb::object python) : python_(std::move(python)) {}
  ~PythonPeers() override {
    nb::gil_scoped_acquire gil;
    python_.reset();
  }

  bool any() const override { return python_.is_valid() && !python_.is_none(); }
  void add(std::span<std::int64_t> numbers) override { call("add", numbers); }
  void add(std::span<double> numbers) override { call("add", numbers); }
  void take_largest(std::span<double> numbers) override { call("take_largest", numbers); }

  std::vector<double> join(std::vector<double> own) override {
    if (!any()) return own;
    nb::gil_scoped_acquire gil;
    const auto all = nb::cast<Doubles>(python_.attr("join")(to_numpy(std::move(own))));
    return {all.data(), all.data() + all.shape(0)};
  }

 private:
  template <class T>
  void call(const char* name, std::span<T> numbers) {
    if (!any()) return;
    nb::gil_scoped_acquire gil;
    const nb::capsule borrowed(numbers.data(), [](void*) noexcept {});
    python_.attr(name)(nb::ndarray<nb::numpy, T>(numbers.data(), {numbers.size()}, borrowed));
  }

  nb::object python_;
};

}  // namespace tw

// A loss that the user wrote in Python: a function of (y, raw scores) that gives gradients and hessians, called once a
// round with the rows that are learnt from.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bind/arrays.hpp"
#include "grow/boost/losses.hpp"

namespace tw {

class PythonLoss : public Loss {
 public:
  PythonLoss(const Labels& labels, nb::object function)
      : Loss(labels), function_(std::move(function)), n_outputs_(labels.n_classes > 2 ? labels.n_classes : 1) {}
  ~PythonLoss() override {
    nb::gil_scoped_acquire gil;
    function_.reset();
  }

  std::uint32_t n_outputs() const override { return n_outputs_; }
  std::vector<double> start(std::span<const std::uint32_t>) const override {
    return std::vector<double>(n_outputs_, 0.0);
  }

  void prepare(std::span<const Scores> raw, std::span<const std::uint32_t> rows, Workers&) override {
    nb::gil_scoped_acquire gil;
    std::vector<double> y(rows.size()), scores(rows.size() * n_outputs_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      y[i] = labels_.y[rows[i]];
      for (std::uint32_t k = 0; k < n_outputs_; ++k) scores[i * n_outputs_ + k] = raw[k][rows[i]];
    }
    nb::object answer = function_(to_numpy(std::move(y)), shaped(to_numpy(std::move(scores))));
    if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 2)
      throw BadInput("The loss function must give two arrays: (gradient, hessian).");
    take(answer[0], rows, raw[0].size(), "gradient", gradient_);
    take(answer[1], rows, raw[0].size(), "hessian", hessian_);
    for (const auto& column : hessian_)
      for (const float h : column)
        if (h < 0) throw BadInput("The loss function gave a hessian below 0. Hessians are numbers of 0 or more.");
  }

  void gradients(std::uint32_t output, const double*, std::size_t begin, std::size_t end, float* gradient,
                 float* hessian) const override {
    std::copy(gradient_[output].begin() + begin, gradient_[output].begin() + end, gradient + begin);
    std::copy(hessian_[output].begin() + begin, hessian_[output].begin() + end, hessian + begin);
  }
  double of_row(std::span<const Scores>, std::size_t) const override { return 0; }

 private:
  nb::object shaped(nb::ndarray<nb::numpy, double> flat) const {
    nb::object array = nb::cast(flat);
    return n_outputs_ == 1 ? array : array.attr("reshape")(-1, static_cast<int>(n_outputs_));
  }

  void take(nb::handle given, std::span<const std::uint32_t> rows, std::size_t n_rows, const char* name,
            std::vector<std::vector<float>>& to) const {
    nb::module_ numpy = nb::module_::import_("numpy");
    nb::object array = numpy.attr("ascontiguousarray")(given, nb::arg("dtype") = "float64");
    const auto flat = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(array);
    const bool fits = flat.size() == rows.size() * n_outputs_ && flat.ndim() == (n_outputs_ == 1 ? 1u : 2u);
    if (!fits)
      throw BadInput(std::string("The ") + name +
                     " of the loss function has the wrong shape: give it the shape of the " + "raw scores, " +
                     std::to_string(rows.size()) +
                     (n_outputs_ > 1 ? " × " + std::to_string(n_outputs_) : std::string()) + ".");
    to.assign(n_outputs_, std::vector<float>(n_rows, 0.0f));
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::uint32_t k = 0; k < n_outputs_; ++k) {
        const double x = flat.data()[i * n_outputs_ + k];
        if (!std::isfinite(x)) throw BadInput(std::string("The ") + name + " of the loss function is not finite.");
        to[k][rows[i]] = static_cast<float>(x);
      }
  }

  nb::object function_;
  std::uint32_t n_outputs_;
  std::vector<std::vector<float>> gradient_, hessian_;
};

}  // namespace tw

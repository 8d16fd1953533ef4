// Learners that take examples one by one (core/descent): one call a pass, so that Python can stop and show progress.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>

#include "base/huge_memory.hpp"
#include "base/workers.hpp"
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "descent/examples.hpp"
#include "descent/logistic_pass.hpp"
#include "descent/perceptron.hpp"
#include "descent/stochastic.hpp"

namespace tw {
namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Classes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Order = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Examples examples_of(const Matrix& rows, const Doubles& weights, const Order& order, const Weights& learnt,
                     Workers& workers) {
  if (rows.shape(1) % kLanes != 0) throw BadInput("rows of a multiple of 8 numbers were expected");
  if (weights.shape(0) != rows.shape(0) || order.shape(0) != rows.shape(0) || learnt.shape(1) != rows.shape(1))
    throw BadInput("one weight and one visit a row were expected, and weights as long as a row");
  for (std::size_t i = 0; i < order.shape(0); ++i)
    if (order.data()[i] >= rows.shape(0)) throw BadInput("a visit to a row that is not there");
  return {rows.data(), weights.data(), rows.shape(0), rows.shape(1), workers};
}

void check_classes(const Classes& targets, std::size_t n_rows, std::size_t n_units) {
  if (targets.shape(0) != n_rows || n_units == 0) throw BadInput("one target a row was expected");
  const auto most = static_cast<std::int32_t>(n_units == 1 ? 2 : n_units);
  for (std::size_t i = 0; i < n_rows; ++i)
    if (targets.data()[i] < 0 || targets.data()[i] >= most) throw BadInput("a target that is no class");
}

// The state of a perceptron between passes; the arrays belong to it.
struct BoundPerceptron {
  std::size_t n_units, width;
  std::vector<double> weights, sums, pocket;
  bool keeps_pocket;
  PerceptronState state;

  BoundPerceptron(Weights start, bool averaged, bool with_pocket)
      : n_units(start.shape(0)), width(start.shape(1)), weights(start.data(), start.data() + n_units * width),
        sums(averaged ? n_units * width : 0), pocket(weights), keeps_pocket(with_pocket) {
    state.pocket_errors = std::numeric_limits<double>::infinity();
  }

  nb::tuple learn(Matrix rows, Classes targets, Doubles row_weights, Order order, double rate, bool tell) {
    const Weights own(weights.data(), {n_units, width});
    Workers alone(1, signal_raised);
    const Examples examples = examples_of(rows, row_weights, order, own, alone);
    check_classes(targets, examples.n_rows, n_units);
    state.weights = weights.data();
    state.sums = sums.empty() ? nullptr : sums.data();
    state.pocket = keeps_pocket ? pocket.data() : nullptr;
    std::vector<std::uint32_t> mistaken(tell ? examples.n_rows : 0);
    std::int64_t mistakes = 0;
    {
      nb::gil_scoped_release release;
      mistakes = perceptron_pass(examples, targets.data(), order.data(), n_units, rate, state,
                                 tell ? mistaken.data() : nullptr);
    }
    mistaken.resize(tell ? static_cast<std::size_t>(mistakes) : 0);
    return nb::make_tuple(mistakes, to_numpy(std::move(mistaken)));
  }

  double errors(Matrix rows, Classes targets, Doubles row_weights) const {
    if (rows.shape(1) != width || row_weights.shape(0) != rows.shape(0)) throw BadInput("rows of another width");
    check_classes(targets, rows.shape(0), n_units);
    Workers alone(1, signal_raised);
    nb::gil_scoped_release release;
    return perceptron_errors({rows.data(), row_weights.data(), rows.shape(0), width, alone}, targets.data(), n_units,
                             weights.data(), std::numeric_limits<double>::infinity());
  }
};

DescentState descent_state(Weights& weights, nb::object sums, const Doubles& shrunk, nb::dict rules) {
  if (shrunk.shape(0) != weights.shape(1)) throw BadInput("one penalty a weight was expected");
  DescentState state;
  state.weights = weights.data();
  if (!sums.is_none()) {
    auto given = nb::cast<Weights>(sums);
    if (given.shape(0) != weights.shape(0) || given.shape(1) != weights.shape(1))
      throw BadInput("sums of the shape of the weights were expected");
    state.sums = given.data();
  }
  state.shrunk = shrunk.data();
  state.rate = nb::cast<double>(rules["rate"]);
  state.penalty = nb::cast<double>(rules["penalty"]);
  state.seen = nb::cast<std::int64_t>(rules["seen"]);
  return state;
}

double one_unit(Matrix rows, Doubles targets, Doubles row_weights, Order order, Weights weights, nb::object sums,
                Doubles shrunk, nb::dict rules) {
  Workers alone(1, signal_raised);
  const Examples examples = examples_of(rows, row_weights, order, weights, alone);
  if (weights.shape(0) != 1 || targets.shape(0) != examples.n_rows) throw BadInput("one target a row was expected");
  DescentState state = descent_state(weights, sums, shrunk, rules);
  const auto named = nb::cast<std::string>(rules["unit"]);
  const Unit unit = named == "log_loss"          ? Unit::log_loss
                    : named == "squared_sigmoid" ? Unit::squared_sigmoid
                                                 : Unit::squared_linear;
  nb::gil_scoped_release release;
  return descend(examples, targets.data(), order.data(), unit, state);
}

double softmax_units(Matrix rows, Classes targets, Doubles row_weights, Order order, Weights weights, nb::object sums,
                     Doubles shrunk, nb::dict rules) {
  Workers alone(1, signal_raised);
  const Examples examples = examples_of(rows, row_weights, order, weights, alone);
  if (weights.shape(0) < 2) throw BadInput("two units or more were expected");
  check_classes(targets, examples.n_rows, weights.shape(0));
  DescentState state = descent_state(weights, sums, shrunk, rules);
  nb::gil_scoped_release release;
  return descend_softmax(examples, targets.data(), order.data(), weights.shape(0), state);
}

nb::ndarray<nb::numpy, std::uint64_t> words_of(Matrix rows, Classes targets, std::uint64_t seed) {
  if (targets.shape(0) != rows.shape(0)) throw BadInput("one target a row was expected");
  return to_numpy(row_words(rows.data(), rows.shape(0), rows.shape(1), targets.data(), seed));
}

using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

const double* optional_column(const nb::object& given, std::size_t n) {
  if (given.is_none()) return nullptr;
  const auto values = nb::cast<Doubles>(given);
  if (values.shape(0) != n) throw BadInput("one number a column was expected");
  return values.data();
}

// Rows that begin where a cache line does, so that no vector lies across two, in large pages: they are read here and
// there.
nb::ndarray<nb::numpy, double> gathered(Matrix matrix, Places order, nb::object centre, nb::object scale,
                                        bool constant) {
  const std::size_t p = matrix.shape(1), n = order.shape(0);
  for (std::size_t i = 0; i < n; ++i)
    if (order.data()[i] < 0 || order.data()[i] >= static_cast<std::int64_t>(matrix.shape(0)))
      throw BadInput("a row that is not there");
  const std::size_t width = std::max((p + constant + kLanes - 1) / kLanes, std::size_t{1}) * kLanes;
  const RowForm form{optional_column(centre, p), optional_column(scale, p), constant};
  auto* kept = HugeAllocator<double>().allocate(std::max(n * width, std::size_t{1}));
  nb::capsule owner(kept, [](void* q) noexcept { HugeAllocator<double>().deallocate(static_cast<double*>(q), 0); });
  {
    nb::gil_scoped_release release;
    gather_rows(matrix.data(), p, order.data(), n, form, width, kept);
  }
  return nb::ndarray<nb::numpy, double>(kept, {n, width}, owner);
}

nb::ndarray<nb::numpy, double> soft(Matrix hessian, Doubles gradient, Doubles start, Doubles corners, double tolerance,
                                    std::size_t max_sweeps) {
  const std::size_t n = hessian.shape(0);
  if (hessian.shape(1) != n || gradient.shape(0) != n || start.shape(0) != n || corners.shape(0) != n)
    throw BadInput("a square matrix and vectors of its size were expected");
  Workers alone(1, signal_raised);
  nb::gil_scoped_release release;
  auto solved =
      soft_descent(hessian.data(), gradient.data(), start.data(), corners.data(), n, tolerance, max_sweeps, alone);
  nb::gil_scoped_acquire again;
  return to_numpy(std::move(solved));
}

nb::tuple logistic_slopes(Matrix matrix, Classes codes, nb::object weights, nb::object centre, nb::object scale,
                          bool constant, Doubles coefficients, bool with_hessian) {
  const std::size_t n = matrix.shape(0), p = matrix.shape(1);
  check_classes(codes, n, 1);
  const LogisticRows rows{matrix.data(),
                          n,
                          p,
                          codes.data(),
                          optional_column(weights, n),
                          optional_column(centre, p),
                          optional_column(scale, p),
                          constant};
  if (coefficients.shape(0) != rows.width()) throw BadInput("one coefficient a column was expected");
  Workers alone(1, signal_raised);
  LogisticSlopes slopes;
  {
    nb::gil_scoped_release release;
    slopes = logistic_pass(rows, coefficients.data(), with_hessian, alone);
  }
  return nb::make_tuple(slopes.value, to_numpy(std::move(slopes.gradient)), to_numpy(std::move(slopes.hessian)));
}

nb::ndarray<nb::numpy, double> matrix_of(const std::vector<double>& from, std::size_t rows, std::size_t width) {
  auto* kept = new std::vector<double>(from);
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::ndarray<nb::numpy, double>(kept->data(), {rows, width}, owner);
}

}  // namespace

void bind_descent(nb::module_& m) {
  using B = BoundPerceptron;
  const auto whole = nb::rv_policy::automatic;  // a copy that owns itself
  nb::class_<B>(m, "PerceptronWeights")
      .def(nb::init<Weights, bool, bool>(), nb::arg("start"), nb::arg("averaged"), nb::arg("pocket"))
      .def("learn", &B::learn, nb::arg("rows"), nb::arg("targets"), nb::arg("weights"), nb::arg("order"),
           nb::arg("rate"), nb::arg("tell"))
      .def("errors", &B::errors, nb::arg("rows"), nb::arg("targets"), nb::arg("weights"))
      .def_prop_ro("seen", [](const B& b) { return b.state.seen; })
      .def_prop_ro("pocket_errors", [](const B& b) { return b.state.pocket_errors; })
      .def_prop_ro(
          "weights", [](const B& b) { return matrix_of(b.weights, b.n_units, b.width); }, whole)
      .def_prop_ro(
          "sums", [](const B& b) { return matrix_of(b.sums, b.sums.empty() ? 0 : b.n_units, b.width); }, whole)
      .def_prop_ro("pocket", [](const B& b) { return matrix_of(b.pocket, b.n_units, b.width); }, whole);
  m.def("descend", &one_unit, nb::arg("rows"), nb::arg("targets"), nb::arg("row_weights"), nb::arg("order"),
        nb::arg("weights"), nb::arg("sums").none(), nb::arg("shrunk"), nb::arg("rules"));
  m.def("descend_softmax", &softmax_units, nb::arg("rows"), nb::arg("targets"), nb::arg("row_weights"),
        nb::arg("order"), nb::arg("weights"), nb::arg("sums").none(), nb::arg("shrunk"), nb::arg("rules"));
  m.def("gathered_rows", &gathered, nb::arg("matrix"), nb::arg("order"), nb::arg("centre").none(),
        nb::arg("scale").none(), nb::arg("constant"));
  m.def("row_words", &words_of, nb::arg("rows"), nb::arg("targets"), nb::arg("seed"));
  m.def(
      "shuffled",
      [](std::size_t n, std::uint64_t seed, std::uint64_t pass) {
        if (n > 0xFFFFFFFFull) throw BadInput("more rows than 32 bits can count");
        return to_numpy(shuffled(n, seed, pass));
      },
      nb::arg("n"), nb::arg("seed"), nb::arg("pass_number"));
  m.def("logistic_slopes", &logistic_slopes, nb::arg("matrix"), nb::arg("codes"), nb::arg("weights").none(),
        nb::arg("centre").none(), nb::arg("scale").none(), nb::arg("constant"), nb::arg("coefficients"),
        nb::arg("with_hessian"));
  m.def("soft_descent", &soft, nb::arg("hessian"), nb::arg("gradient"), nb::arg("start"), nb::arg("corners"),
        nb::arg("tolerance"), nb::arg("max_sweeps"));
}

}  // namespace tw

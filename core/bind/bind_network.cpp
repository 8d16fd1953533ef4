// Training of small dense networks (core/network): one call goes through some of the rows, so that Python can stop.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>  // for copy_n
#include <cstddef>    // for ptrdiff_t
#include <string>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "network/product.hpp"
#include "network/trainer.hpp"

namespace tw {
namespace {

template <class T>
using Grid = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using List = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Numbers = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Bend bend_named(const std::string& name) {
  if (name == "sigmoid") return Bend::sigmoid;
  if (name == "tanh") return Bend::tanh;
  if (name == "relu") return Bend::relu;
  if (name == "linear") return Bend::linear;
  throw BadInput("no activation of that name");
}

NetworkShape shape_of(const nb::dict& plan) {
  NetworkShape shape;
  shape.sizes = nb::cast<std::vector<std::size_t>>(plan["sizes"]);
  for (const auto& name : nb::cast<std::vector<std::string>>(plan["hidden"])) shape.hidden.push_back(bend_named(name));
  const auto ending = nb::cast<std::string>(plan["ending"]);
  shape.ending = ending == "sigmoid_log"   ? Ending::sigmoid_log
                 : ending == "softmax_log" ? Ending::softmax_log
                                           : Ending::squared;
  shape.output = bend_named(nb::cast<std::string>(plan["output"]));
  if (shape.sizes.size() < 2 || shape.hidden.size() + 2 != shape.sizes.size())
    throw BadInput("one activation a hidden layer was expected");
  return shape;
}

StepRules step_rules(const nb::dict& plan) {
  StepRules rules;
  const auto way = nb::cast<std::string>(plan["way"]);
  rules.way = way == "adam" ? Way::adam : way == "nesterov" ? Way::nesterov : Way::momentum;
  const auto number = [&](const char* name) { return nb::cast<double>(plan[name]); };
  rules.rate = number("rate");
  rules.momentum = number("momentum");
  rules.beta_1 = number("beta_1");
  rules.beta_2 = number("beta_2");
  rules.epsilon = number("epsilon");
  rules.alpha = number("alpha");
  rules.steps = nb::cast<std::int64_t>(plan["steps"]);
  return rules;
}

std::size_t numbers_of(const NetworkShape& shape) {
  std::size_t n = 0;
  for (std::size_t k = 0; k + 1 < shape.sizes.size(); ++k) n += (shape.sizes[k] + 1) * shape.sizes[k + 1];
  return n;
}

template <class T>
void check_lessons(const NetworkShape& shape, const Lessons<T>& lessons, std::size_t n_rows, bool fits) {
  if (!fits || lessons.batch_size == 0) throw BadInput("one target and one weight a row were expected");
  if ((lessons.classes != nullptr) == (lessons.targets != nullptr)) throw BadInput("targets or classes were expected");
  if (shape.ending == Ending::softmax_log && !lessons.classes) throw BadInput("softmax takes classes");
  for (std::size_t i = 0; i < lessons.n_visits; ++i)
    if (lessons.order[i] >= n_rows) throw BadInput("a visit to a row that is not there");
  if (lessons.classes)
    for (std::size_t i = 0; i < n_rows; ++i)
      if (lessons.classes[i] < 0 || lessons.classes[i] >= static_cast<std::int64_t>(shape.sizes.back()))
        throw BadInput("a target that is no class");
}

// The arrays of a call, kept alive while it runs.
template <class T>
struct Given {
  Grid<T> rows, targets;
  List<std::int64_t> classes;
  List<T> weights;
  List<std::uint32_t> order;
  bool has_weights;

  Given(Grid<T> rows_given, const nb::object& wanted, const nb::object& weights_given, List<std::uint32_t> order_given)
      : rows(rows_given), order(order_given), has_weights(!weights_given.is_none()) {
    if (!nb::try_cast(wanted, targets)) classes = nb::cast<List<std::int64_t>>(wanted);
    if (has_weights) weights = nb::cast<List<T>>(weights_given);
  }

  Lessons<T> lessons(std::size_t batch_size) const {
    return {rows.data(),
            targets.is_valid() ? targets.data() : nullptr,
            classes.is_valid() ? classes.data() : nullptr,
            has_weights ? weights.data() : nullptr,
            order.data(),
            order.shape(0),
            batch_size};
  }

  bool fits(const NetworkShape& shape) const {
    const std::size_t n = rows.shape(0);
    const bool targets_fit =
        targets.is_valid() ? targets.shape(0) == n && targets.shape(1) == shape.sizes.back() : classes.shape(0) == n;
    return rows.shape(1) == shape.sizes[0] && targets_fit && (!has_weights || weights.shape(0) == n);
  }
};

template <class T>
nb::tuple train(Numbers<T> numbers, Numbers<T> first, Numbers<T> second, Grid<T> rows, nb::object targets,
                nb::object weights, List<std::uint32_t> order, nb::dict plan) {
  const NetworkShape shape = shape_of(plan);
  const std::size_t n_numbers = numbers_of(shape);
  if (numbers.shape(0) != n_numbers || first.shape(0) != n_numbers || second.shape(0) != n_numbers)
    throw BadInput("the numbers of such layers were expected");
  const Given<T> given(rows, targets, weights, order);
  const Lessons<T> lessons = given.lessons(nb::cast<std::size_t>(plan["batch_size"]));
  check_lessons(shape, lessons, rows.shape(0), given.fits(shape));
  Trainer<T> trainer(shape, step_rules(plan), lessons.batch_size);
  Learnt learnt;
  {
    nb::gil_scoped_release release;
    trainer.read(numbers.data(), first.data(), second.data());
    learnt = trainer.learn(lessons);
    trainer.write(numbers.data(), first.data(), second.data());
  }
  return nb::make_tuple(learnt.loss, learnt.first, trainer.rules.steps);
}

template <class T>
void bind_train(nb::module_& m) {
  m.def("train_network", &train<T>, nb::arg("numbers").noconvert(), nb::arg("first").noconvert(),
        nb::arg("second").noconvert(), nb::arg("rows").noconvert(), nb::arg("targets"), nb::arg("weights").none(),
        nb::arg("order"), nb::arg("plan"));
}

// rows × weights. A row's sums are added one after the other, so that they do not depend on how many rows are asked.
template <class T>
nb::ndarray<nb::numpy, T> row_products(Grid<T> rows, Grid<T> weights) {
  const std::size_t n = rows.shape(0), inner = rows.shape(1), wide = weights.shape(1), width = padded<T>(wide);
  if (weights.shape(0) != inner) throw BadInput("as many rows of weights as columns were expected");
  std::vector<T> right(inner * width, T{0}), to(n * width), made(n * wide);
  {
    nb::gil_scoped_release release;
    for (std::size_t s = 0; s < inner; ++s)
      std::copy_n(weights.data() + s * wide, wide, right.begin() + static_cast<std::ptrdiff_t>(s * width));
    multiply(Product<T>{rows.data(), n, inner, 1, inner, right.data(), nullptr, to.data(), width});
    for (std::size_t r = 0; r < n; ++r)
      std::copy_n(to.begin() + static_cast<std::ptrdiff_t>(r * width), wide,
                  made.begin() + static_cast<std::ptrdiff_t>(r * wide));
  }
  auto* kept = new std::vector<T>(std::move(made));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(kept->data(), {n, wide}, owner);
}

template <class T>
void bind_products(nb::module_& m) {
  m.def("row_products", &row_products<T>, nb::arg("rows").noconvert(), nb::arg("weights").noconvert());
}

}  // namespace

void bind_network(nb::module_& m) {
  bind_products<double>(m);
  bind_products<float>(m);
  bind_train<double>(m);
  bind_train<float>(m);
}

}  // namespace tw

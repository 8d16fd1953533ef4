// Random words by number and the order of rows that they are drawn from, for what Python draws itself; tails of
// distributions; links from sums to answers.

#include "base/counted_random.hpp"
#include "base/links.hpp"
#include "base/tails.hpp"
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_data.hpp"
#include "table/row_order.hpp"

namespace tw {

namespace {

nb::ndarray<nb::numpy, std::uint64_t> drawn_words(std::uint64_t seed, std::uint64_t purpose, std::uint64_t tree,
                                                  std::size_t n) {
  const std::uint64_t stream = stream_key({seed, purpose, tree});
  std::vector<std::uint64_t> words(n);
  for (std::size_t i = 0; i < n; ++i) words[i] = drawn(stream, i);
  return to_numpy(std::move(words));
}

nb::ndarray<nb::numpy, std::uint32_t> order_of_rows(const BoundTable& bound, const BoundTarget& target, int threads,
                                                    nb::object weights) {
  const std::span<const double> unrounded = span_or_none(weights);
  if (!unrounded.empty() && unrounded.size() != bound.table.n_rows) throw BadInput("one weight a row was expected");
  std::vector<std::uint32_t> rows;
  {
    nb::gil_scoped_release release;
    Workers workers(bound.table.n_rows * bound.table.columns.size() < 50'000 ? 1 : threads, signal_raised);
    rows = rows_by_content(bound.table, target.target, workers, unrounded);
  }
  return to_numpy(std::move(rows));
}

}  // namespace

void bind_draws(nb::module_& m) {
  m.def("drawn_words", &drawn_words, nb::arg("seed"), nb::arg("purpose"), nb::arg("tree"), nb::arg("n"),
        "The first n words of the stream with this key.");
  m.def("rows_by_content", &order_of_rows, nb::arg("table"), nb::arg("target"), nb::arg("threads"),
        nb::arg("weights").none() = nb::none());
}

// The tails of distributions, one number in and one out: for the tests and for whoever shows a p-value.

void bind_tails(nanobind::module_& m) {
  namespace nb = nanobind;
  m.def("log_chi_square_tail", &log_chi_square_tail, nb::arg("statistic"), nb::arg("df"));
  m.def("log_f_tail", &log_f_tail, nb::arg("statistic"), nb::arg("df_between"), nb::arg("df_within"));
}

// From sums to answers (base/links.hpp), number by number and row by row.

namespace {

using ScoreRows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <double (*Link)(double)>
nb::ndarray<nb::numpy, double> of_each(const Doubles& numbers) {
  std::vector<double> answers(numbers.shape(0));
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = Link(numbers.data()[i]);
  }
  return to_numpy(std::move(answers));
}

nb::ndarray<nb::numpy, double> softmax_of_rows(const ScoreRows& scores) {
  const std::size_t n_rows = scores.shape(0), n = scores.shape(1);
  std::vector<double> shares(n_rows * n);
  {
    nb::gil_scoped_release release;
    for (std::size_t row = 0; row < n_rows; ++row) softmax(scores.data() + row * n, n, shares.data() + row * n);
  }
  return shaped(std::move(shares), {n_rows, n});
}

}  // namespace

void bind_links(nb::module_& m) {
  m.def("powers_of_e", &of_each<power_of_e>, nb::arg("numbers"));
  m.def("sigmoids", &of_each<sigmoid>, nb::arg("numbers"));
  m.def("softmax", &softmax_of_rows, nb::arg("scores"));
}

}  // namespace tw

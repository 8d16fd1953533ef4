// Rows through a _core.Ensemble: sums of what the trees say, the nodes where rows end, and the door for one row.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>  // for string

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_data.hpp"
#include "bind/row_reader.hpp"
#include "ensemble/add_answers.hpp"

namespace tw {
namespace {

using AnyDoubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

void check_frame(const Ensemble& ensemble, Trees trees, const Frame& frame) {
  if (frame.columns.size() != static_cast<std::size_t>(ensemble.n_columns))
    throw BadInput("a table with another number of columns than the ensemble");
  if (trees.first > trees.last || trees.last > ensemble.trees.size()) throw BadInput("there are no such trees");
}

int threads_for(std::size_t n_rows, std::size_t n_trees, int threads) {
  return n_rows * (n_trees + 1) < 200'000 ? 1 : threads;
}

// start: one number an output, or rows × outputs. stages: 0, or the number of trees of a stage.
nb::ndarray<nb::numpy, double> add(const Ensemble& ensemble, const std::string& name, nb::handle rows, AnyDoubles start,
                                   std::size_t first, std::size_t last, std::size_t per_stage, int threads) {
  std::vector<nb::object> kept;
  const Frame frame = frame_of_rows(rows, kept);
  const Answer answer = answer_named(name);
  const Trees trees{first, last};
  check_frame(ensemble, trees, frame);
  const std::size_t n_outputs = start.shape(start.ndim() - 1), n_rows = frame.n_rows;
  check_outputs(ensemble, answer, n_outputs);
  if (start.ndim() == 2 && start.shape(0) != n_rows) throw BadInput("one start a row was expected");
  std::vector<double> sums(n_rows * n_outputs), stages;
  const std::size_t n_stages = per_stage == 0 ? 0 : (last - first) / per_stage;
  stages.resize(n_stages * sums.size());
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = start.data()[start.ndim() == 2 ? i : i % n_outputs];
    Workers workers(threads_for(n_rows, last - first, threads), signal_raised);
    const AnswerSums to{sums.data(), n_outputs, per_stage ? stages.data() : nullptr, per_stage};
    add_answers(ensemble, answer, trees, frame, to, workers);
  }
  if (per_stage) return shaped(std::move(stages), {n_stages, n_rows, n_outputs});
  return shaped(std::move(sums), {n_rows, n_outputs});
}

nb::ndarray<nb::numpy, std::int32_t> nodes_of(const Ensemble& ensemble, nb::handle rows, int threads) {
  std::vector<nb::object> kept;
  const Frame frame = frame_of_rows(rows, kept);
  const Trees trees{0, ensemble.trees.size()};
  check_frame(ensemble, trees, frame);
  auto* nodes = new std::vector<std::int32_t>(frame.n_rows * trees.last);
  nb::capsule owner(nodes, [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
  {
    nb::gil_scoped_release release;
    Workers workers(threads_for(frame.n_rows, trees.last, threads), signal_raised);
    find_nodes(ensemble, trees, frame, nodes->data(), workers);
  }
  return nb::ndarray<nb::numpy, std::int32_t>(nodes->data(), {frame.n_rows, trees.last}, owner);
}

class EnsembleDoor {
 public:
  EnsembleDoor(const Ensemble& ensemble, const std::string& answer, std::vector<double> start, nb::list names,
               nb::list levels)
      : reader_(std::move(names), std::move(levels)), start_(std::move(start)), row_(ensemble, answer_named(answer)) {
    reader_.check_columns(ensemble.n_columns);
    check_outputs(ensemble, answer_named(answer), start_.size());
    values_.resize(row_.columns().size());
  }

  nb::list answer(nb::handle given) {
    sums_ = start_;
    reader_.read(given, [&](auto&& value_of) {
      for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = value_of(row_.columns()[i]);
    });
    row_.add(values_, sums_.size(), sums_.data());
    nb::list list;
    for (const double sum : sums_) list.append(sum);
    return list;
  }

 private:
  RowReader reader_;
  std::vector<double> start_, sums_, values_;
  OneRowSums row_;
};

}  // namespace

void bind_ensemble_predict(nb::module_& m) {
  m.def("ensemble_sums", &add, nb::arg("ensemble"), nb::arg("answer"), nb::arg("rows"), nb::arg("start"),
        nb::arg("first"), nb::arg("last"), nb::arg("per_stage"), nb::arg("threads"));
  m.def("ensemble_nodes", &nodes_of, nb::arg("ensemble"), nb::arg("rows"), nb::arg("threads"));
  nb::class_<EnsembleDoor>(m, "OneRowOfEnsemble", "Answers one row at a time with the sums over all trees.")
      .def(nb::init<const Ensemble&, const std::string&, std::vector<double>, nb::list, nb::list>(),
           nb::arg("ensemble"), nb::arg("answer"), nb::arg("start"), nb::arg("names"), nb::arg("levels"),
           nb::keep_alive<1, 2>())
      .def("__call__", &EnsembleDoor::answer, nb::arg("values"));
}

}  // namespace tw

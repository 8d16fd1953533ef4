// _core.Explained: what the trees of a model say, and how much each column has to do with it.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>  // for count, max
#include <string>     // for string

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/bound_data.hpp"
#include "explain/background_values.hpp"
#include "explain/explained_tree.hpp"
#include "explain/shap_values.hpp"

namespace tw {
namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

ExplainedTree explained_tree(const Tree& tree, const Matrix& answers, std::size_t first_output, double factor) {
  ExplainedTree made;
  made.tree = std::shared_ptr<const Tree>(std::shared_ptr<const Tree>(), &tree);  // Python keeps it alive
  made.answers.assign(answers.data(), answers.data() + answers.size());
  made.n_answers = answers.shape(1), made.first_output = first_output, made.factor = factor;
  if (!tree.equation_start.empty()) made.answers = answers_without_columns(tree);
  for (double& answer : made.answers) answer *= factor;
  return made;
}

class Explained {
 public:
  // trees: [(tree, what its nodes answer: nodes × numbers, the output that the first number belongs to, a factor)]
  Explained(nb::list trees, std::size_t n_columns, std::size_t n_outputs) : kept_(trees) {
    std::vector<ExplainedTree> made;
    constexpr auto sum = static_cast<std::uint8_t>(TestKind::hyperplane);
    for (nb::handle item : trees) {
      nb::tuple entry = nb::cast<nb::tuple>(item);
      const auto& tree = nb::cast<const Tree&>(entry[0]);
      const auto answers = nb::cast<Matrix>(entry[1]);
      const auto n_sums = static_cast<std::size_t>(std::count(tree.kind.begin(), tree.kind.end(), sum));
      trees_.most_sums = std::max(trees_.most_sums, n_sums);
      const auto first = nb::cast<std::size_t>(entry[2]);
      if (static_cast<std::size_t>(tree.n_columns) != n_columns || answers.shape(0) != tree.size() ||
          answers.shape(1) == 0 || first + answers.shape(1) > n_outputs)
        throw BadInput("a tree and its answers do not fit the others");
      if (!tree.equation_start.empty() && answers.shape(1) != 1) throw BadInput("an equation gives one number");
      made.push_back(explained_tree(tree, answers, first, nb::cast<double>(entry[3])));
    }
    trees_.n_trees = made.size(), trees_.n_columns = n_columns, trees_.n_outputs = n_outputs;
    trees_.tree = [made = std::move(made)](std::size_t i) { return made[i]; };
  }

  Explained(nb::object ensemble, const std::string& answer, std::size_t n_outputs, double factor) : kept_(ensemble) {
    const auto& trees = nb::cast<const Ensemble&>(ensemble);
    check_outputs(trees, answer_named(answer), n_outputs);
    trees_ = explained(trees, answer_named(answer), n_outputs, factor);
  }

  nb::ndarray<nb::numpy, double> expected() const {
    std::vector<double> found;
    {
      nb::gil_scoped_release release;
      found = expected_answers(trees_);
    }
    return to_numpy(std::move(found));
  }

  nb::ndarray<nb::numpy, double> values(nb::handle rows, int threads) const {
    std::vector<nb::object> kept;
    const Frame frame = frame_of_rows(rows, kept);
    if (frame.columns.size() != trees_.n_columns)
      throw BadInput("a table with another number of columns than the model");
    std::vector<double> found(frame.n_rows * trees_.n_columns * trees_.n_outputs);
    {
      nb::gil_scoped_release release;
      Workers workers(frame.n_rows < 256 ? 1 : threads, signal_raised);
      shap_values(trees_, frame, found.data(), workers);
    }
    return shaped(std::move(found), {frame.n_rows, trees_.n_columns, trees_.n_outputs});
  }

  nb::ndarray<nb::numpy, double> against(nb::handle rows, nb::handle background, int threads) const {
    std::vector<nb::object> kept;
    const Frame frame = frame_of_rows(rows, kept), others = frame_of_rows(background, kept);
    if (frame.columns.size() != trees_.n_columns || others.columns.size() != trees_.n_columns)
      throw BadInput("a table with another number of columns than the model");
    if (others.n_rows == 0) throw BadInput("the background has no rows");
    std::vector<double> found(frame.n_rows * trees_.n_columns * trees_.n_outputs);
    {
      nb::gil_scoped_release release;
      Workers workers(frame.n_rows < 256 ? 1 : threads, signal_raised);
      background_values(trees_, frame, others, found.data(), workers);
    }
    return shaped(std::move(found), {frame.n_rows, trees_.n_columns, trees_.n_outputs});
  }

 private:
  nb::object kept_;
  ExplainedTrees trees_;
};

}  // namespace

void bind_explain(nb::module_& m) {
  nb::class_<Explained>(m, "Explained", "The trees of a model with what their nodes answer.")
      .def(nb::init<nb::list, std::size_t, std::size_t>(), nb::arg("trees"), nb::arg("n_columns"), nb::arg("n_outputs"))
      .def(nb::init<nb::object, const std::string&, std::size_t, double>(), nb::arg("ensemble"), nb::arg("answer"),
           nb::arg("n_outputs"), nb::arg("factor"))
      .def("expected", &Explained::expected)
      .def("shap_values", &Explained::values, nb::arg("rows"), nb::arg("threads"))
      .def("background_values", &Explained::against, nb::arg("rows"), nb::arg("background"), nb::arg("threads"));
}

}  // namespace tw

// The lists of a stored tree that say where rows go, turned into terms and surrogates. Like check_tree.cpp it believes
// nothing: every column, level and branch is checked before anybody walks by it.
#include <cmath>  // for isfinite, isnan

#include "base/error.hpp"
#include "tree/tree.hpp"

namespace tw {
namespace {

// Reads the fields of one list by name.
class ListReader {
 public:
  ListReader(const NodeList& list, std::size_t n_nodes) : list_(list) {
    if (list.start.size() != n_nodes + 1 || list.start.front() != 0) fail("start");
    for (std::size_t i = 0; i < n_nodes; ++i)
      if (list.start[i + 1] < list.start[i]) fail("start");
    for (const auto& [name, numbers] : list.fields)
      if (numbers.size() != static_cast<std::size_t>(list.start.back())) fail(name);
  }
  const std::vector<double>& numbers(const char* field) const {
    const std::vector<double>* found = list_.field(field);
    if (!found) fail(field);
    return *found;
  }
  // A whole number from 0 up to, not including, `end`.
  std::uint32_t whole(const std::vector<double>& numbers, std::size_t at, double end, const char* field) const {
    const double x = numbers[at];
    if (!(x >= 0 && x < end && x == std::floor(x))) fail(field);
    return static_cast<std::uint32_t>(x);
  }
  [[noreturn]] void fail(const std::string& field) const {
    throw BadInput("array '" + list_.name + "_" + field + "' is absent or wrong");
  }

 private:
  const NodeList& list_;
};

constexpr double kLevels = 4294967296.0;

// A number of a `start`, which ascends from 0, as a place in an array.
std::size_t place(std::int64_t start) { return static_cast<std::size_t>(start); }

std::vector<Term> read_terms(const Tree& tree, const NodeList& list) {
  const ListReader read(list, tree.size());
  std::vector<Term> terms;
  terms.reserve(list.fields.empty() ? 0 : list.fields[0].second.size());
  const auto &column = read.numbers("column"), &level = read.numbers("level"), &weight = read.numbers("weight"),
             &filler = read.numbers("filler"), &share = read.numbers("share");
  for (std::size_t k = 0; k < column.size(); ++k) {
    Term term;
    term.column = static_cast<std::int32_t>(read.whole(column, k, tree.n_columns, "column"));
    term.level = read.whole(level, k, kLevels, "level");
    term.weight = weight[k], term.filler = filler[k], term.share = share[k];
    if (!std::isfinite(term.weight)) read.fail("weight");
    if (!std::isfinite(term.filler)) read.fail("filler");
    if (!(term.share >= 0 && term.share <= 1)) read.fail("share");
    terms.push_back(term);
  }
  return terms;
}

// An equation has an intercept in every node, and may have a range that its answers stay in.
void check_equations(const Tree& tree) {
  const auto need_finite = [&](const char* name) {
    const std::vector<double>* numbers = tree.extra(name);
    if (!numbers || numbers->size() != tree.size())
      throw BadInput(std::string("array '") + name + "' is absent or wrong");
    for (const double x : *numbers)
      if (!std::isfinite(x)) throw BadInput(std::string("array '") + name + "' is wrong");
    return numbers;
  };
  if (tree.n_classes > 0) throw BadInput("equations do not belong to a tree of classes");
  need_finite("intercept");
  if (!tree.extra("lowest") && !tree.extra("highest")) return;
  const std::vector<double>&low = *need_finite("lowest"), &high = *need_finite("highest");
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (low[i] > high[i]) throw BadInput("array 'lowest' is above array 'highest' at node " + std::to_string(i));
}

void read_surrogates(Tree& tree, const NodeList& list) {
  const ListReader read(list, tree.size());
  const auto &column = read.numbers("column"), &threshold = read.numbers("threshold"), &flip = read.numbers("flip"),
             &agreement = read.numbers("agreement"), &adjusted = read.numbers("adjusted");
  tree.surrogate_start = list.start;
  tree.surrogates.reserve(column.size());
  for (std::size_t node = 0; node < tree.size(); ++node) {
    for (std::size_t k = place(list.start[node]); k < place(list.start[node + 1]); ++k) {
      if (tree.n_children[node] < 2) read.fail("start");
      Surrogate surrogate;
      surrogate.column = static_cast<std::int32_t>(read.whole(column, k, tree.n_columns, "column"));
      surrogate.threshold = threshold[k];
      surrogate.flip = read.whole(flip, k, 2, "flip") == 1;
      surrogate.agreement = agreement[k], surrogate.adjusted = adjusted[k];
      tree.surrogates.push_back(std::move(surrogate));
    }
  }
}

// Entries (which of the node's surrogates, level, branch), ascending.
void read_surrogate_levels(Tree& tree, const NodeList& list) {
  const ListReader read(list, tree.size());
  const auto &which = read.numbers("which"), &level = read.numbers("level"), &branch = read.numbers("branch");
  for (std::size_t node = 0; node < tree.size(); ++node) {
    const auto first = place(tree.surrogate_start[node]), n = place(tree.surrogate_start[node + 1]) - first;
    for (std::size_t k = place(list.start[node]); k < place(list.start[node + 1]); ++k) {
      auto& levels = tree.surrogates[first + read.whole(which, k, static_cast<double>(n), "which")].levels;
      const std::uint32_t code = read.whole(level, k, kLevels, "level");
      if (code == 0 || (!levels.empty() && levels.back().first >= code)) read.fail("level");
      levels.emplace_back(code, static_cast<std::uint16_t>(read.whole(branch, k, tree.n_children[node], "branch")));
    }
  }
}

// The best splits of other columns, to be shown only: a cut, or levels (which of the node's candidates, level, branch).
void check_candidates(const Tree& tree, const NodeList& list, const NodeList* by_level) {
  const ListReader read(list, tree.size());
  const auto &column = read.numbers("column"), &threshold = read.numbers("threshold");
  read.numbers("improvement");
  if (!tree.extra("improvement")) throw BadInput("array 'improvement' is absent, and there are candidates");
  std::vector<std::uint32_t> last_level(column.size(), 0);
  if (by_level) {
    const ListReader levels(*by_level, tree.size());
    const auto &which = levels.numbers("which"), &level = levels.numbers("level"), &branch = levels.numbers("branch");
    for (std::size_t node = 0; node < tree.size(); ++node) {
      const auto first = place(list.start[node]), n = place(list.start[node + 1]) - first;
      for (std::size_t k = place(by_level->start[node]); k < place(by_level->start[node + 1]); ++k) {
        std::uint32_t& before = last_level[first + levels.whole(which, k, static_cast<double>(n), "which")];
        const std::uint32_t code = levels.whole(level, k, kLevels, "level");
        if (code <= before) levels.fail("level");
        before = code;
        levels.whole(branch, k, 2, "branch");
      }
    }
  }
  for (std::size_t node = 0; node < tree.size(); ++node)
    if (list.start[node + 1] > list.start[node] && tree.n_children[node] < 2) read.fail("start");
  for (std::size_t k = 0; k < column.size(); ++k) {
    read.whole(column, k, tree.n_columns, "column");
    if (std::isnan(threshold[k]) != (last_level[k] > 0)) read.fail("threshold");
  }
}

// Upper bounds of all branches but the last, ascending.
void read_intervals(Tree& tree, const NodeList& list) {
  const ListReader read(list, tree.size());
  tree.interval_start = list.start;
  tree.interval_uppers = read.numbers("upper");
  for (std::size_t node = 0; node < tree.size(); ++node)
    for (std::size_t k = place(list.start[node]); k < place(list.start[node + 1]); ++k)
      if (!std::isfinite(tree.interval_uppers[k]) ||
          (k > place(list.start[node]) && tree.interval_uppers[k] <= tree.interval_uppers[k - 1]))
        read.fail("upper");
}

}  // namespace

void Tree::read_lists() {
  terms.clear(), surrogates.clear(), term_start.clear(), surrogate_start.clear();
  interval_start.clear(), interval_uppers.clear();
  equation_terms.clear(), equation_start.clear();
  if (const NodeList* found = list("interval")) read_intervals(*this, *found);
  if (const NodeList* found = list("term")) terms = read_terms(*this, *found), term_start = found->start;
  if (const NodeList* found = list("equation")) {
    equation_terms = read_terms(*this, *found), equation_start = found->start;
    check_equations(*this);
  }
  if (const NodeList* found = list("surrogate")) read_surrogates(*this, *found);
  if (const NodeList* found = list("surrogate_level")) {
    if (surrogate_start.empty()) throw BadInput("array 'surrogate_start' is absent");
    read_surrogate_levels(*this, *found);
  }
  if (const NodeList* found = list("candidate"))
    check_candidates(*this, *found, list("candidate_level"));
  else if (list("candidate_level"))
    throw BadInput("array 'candidate_start' is absent");
  for (const Surrogate& surrogate : surrogates)
    if (std::isnan(surrogate.threshold) == surrogate.levels.empty())
      throw BadInput("array 'surrogate_threshold' is wrong: a surrogate cuts numbers or sorts levels");
}

}  // namespace tw

#include "model_tree/equation_term.hpp"

#include <algorithm>  // for lower_bound, sort, unique

#include "predict/walk.hpp"

namespace tw {
namespace {

// The levels that take branch 1; those that the node never saw go where missing values go.
std::vector<bool> levels_of_branch_1(const Tree& tree, std::size_t node, std::uint32_t n_levels) {
  std::vector<bool> member(n_levels + 1, false);
  const bool ordinal = tree.kind[node] == static_cast<std::uint8_t>(TestKind::threshold);
  for (std::uint32_t code = 1; code <= n_levels; ++code) {
    std::int32_t branch = ordinal ? code > tree.threshold[node] : branch_of_level(tree, node, code);
    if (branch < 0) branch = tree.missing_branch[node];
    member[code] = branch == 1;
  }
  if (member[1])
    for (std::uint32_t code = 1; code <= n_levels; ++code) member[code] = !member[code];
  return member;
}

// False where the test gives no term: the indicator would be the same for all levels, or there are too many of them.
bool make_term(const Tree& tree, std::size_t node, const Table& table, EquationTerm& term) {
  term.column = tree.column[node];
  term.member.clear();
  const Column& column = table.columns[term.column];
  if (column.kind == Kind::numeric) return true;
  if (column.n_codes == 0 || column.n_codes > kMostLevels) return false;
  term.member = levels_of_branch_1(tree, node, column.n_codes);
  return std::find(term.member.begin(), term.member.end(), true) != term.member.end();
}

}  // namespace

EquationTerms find_terms(const Tree& tree, const Table& table) {
  EquationTerms terms;
  EquationTerm term;
  std::vector<std::pair<EquationTerm, std::size_t>> found;
  for (std::size_t node = 0; node < tree.size(); ++node)
    if (tree.n_children[node] > 0 && make_term(tree, node, table, term)) found.emplace_back(term, node);
  for (const auto& [made, node] : found) terms.all.push_back(made);
  std::sort(terms.all.begin(), terms.all.end());
  terms.all.erase(std::unique(terms.all.begin(), terms.all.end()), terms.all.end());
  terms.of_node.assign(tree.size(), -1);
  for (const auto& [made, node] : found)
    terms.of_node[node] =
        static_cast<std::int32_t>(std::lower_bound(terms.all.begin(), terms.all.end(), made) - terms.all.begin());
  return terms;
}

}  // namespace tw

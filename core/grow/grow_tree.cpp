#include "grow/grow_tree.hpp"

#include "base/error.hpp"
#include "grow/exact/grow_binary.hpp"
#include "grow/tables/grow_from_tables.hpp"
#include "grow/tables/make_splitter.hpp"

namespace tw {

Tree grow_tree(const Table& table, const Target& target, std::span<const std::uint32_t> rows, const Recipe& recipe,
               Workers& workers) {
  if (rows.empty()) throw BadInput("no row has a weight above zero");
  if (recipe.splitter.empty()) return grow_binary(table, target, rows, recipe, workers);
  return grow_from_tables(table, target, rows, recipe, *make_splitter(recipe), workers);
}

}  // namespace tw

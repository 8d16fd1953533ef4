#include "grow/splitter/make_splitter.hpp"

#include "base/error.hpp"
#include "grow/splitter/branch_per_level.hpp"
#include "grow/splitter/oblique/oblique.hpp"

namespace tw {

std::unique_ptr<Splitter> make_splitter(const Recipe& recipe) {
  if (recipe.splitter == "branch_per_level") return std::make_unique<BranchPerLevel>(recipe.options);
  if (recipe.splitter == "oblique") return std::make_unique<Oblique>(recipe);
  throw BadInput("unknown splitter '" + recipe.splitter + "'");
}

}  // namespace tw

#include "grow/tables/make_splitter.hpp"

#include "base/error.hpp"
#include "grow/tables/binary_cuts.hpp"
#include "grow/tables/branch_per_level.hpp"
#include "grow/tables/c45/c45_splitter.hpp"
#include "grow/tables/chaid/chaid_splitter.hpp"
#include "grow/tables/conditional/conditional_splitter.hpp"
#include "grow/tables/oblique/oblique.hpp"

namespace tw {

std::unique_ptr<Splitter> make_splitter(const Recipe& recipe) {
  if (recipe.splitter == "binary_cuts") return std::make_unique<BinaryCuts>(recipe);
  if (recipe.splitter == "branch_per_level") return std::make_unique<BranchPerLevel>(recipe.options);
  if (recipe.splitter == "gain_ratio") return std::make_unique<GainRatio>(recipe.options);
  if (recipe.splitter == "conditional") return std::make_unique<Conditional>(recipe);
  if (recipe.splitter == "merged_categories") return std::make_unique<MergedCategories>(recipe);
  if (recipe.splitter == "oblique") return std::make_unique<Oblique>(recipe);
  throw BadInput("unknown splitter '" + recipe.splitter + "'");
}

}  // namespace tw

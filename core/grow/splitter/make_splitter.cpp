#include "grow/splitter/make_splitter.hpp"

#include "base/error.hpp"
#include "grow/splitter/binary_cuts.hpp"
#include "grow/splitter/branch_per_level.hpp"
#include "grow/splitter/conditional.hpp"
#include "grow/splitter/gain_ratio.hpp"
#include "grow/splitter/merged_categories.hpp"
#include "grow/splitter/oblique/oblique.hpp"

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

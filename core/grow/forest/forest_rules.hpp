// ForestRules: the choices that make a forest, as plain data.
#pragma once

#include <cstdint>  // for uint64_t
#include <vector>   // for vector

#include "grow/recipe.hpp"

namespace tw {

enum class Sampling : std::uint8_t {
  all_rows,             // every tree sees every row
  with_replacement,     // by chance some more than once
  without_replacement,  // different ones
  balanced              // as many draws of every class as the smallest one has rows, with replacement
};

enum class Voting : std::uint8_t { mean, vote };

struct ForestRules {
  Recipe recipe;  // criterion and stop rules
  std::uint64_t seed = 0;
  std::uint32_t n_trees = 100, first_tree = 0;  // trees first_tree … n_trees − 1 are grown
  std::uint32_t max_features = 1;               // columns a node looks at
  bool random_cuts = false;                     // one random cut a column (extra trees)
  Sampling sampling = Sampling::with_replacement;
  std::uint64_t draws = 0;            // how many; 0: the share below
  double share_of_draws = 1;          // of all there are
  std::vector<std::uint32_t> groups;  // of each row, from 0 on: whole groups are drawn; empty: rows are
  std::vector<double> class_weights;  // what the weights of each class are multiplied by; empty: 1
  bool balance_classes = false;       // each tree weighs its classes so that they count the same
  bool keep_nodes = false;            // tells where every row ends in every tree
  bool out_of_bag = false;            // adds up the answers of the trees that did not see a row
  Voting voting = Voting::mean;
  std::uint32_t block_bytes = 256 * 1024;  // rows of a subtree that fits are copied next to each other
};

// What the random words of a forest are for: part of the key of every stream.
enum class Purpose : std::uint64_t { bootstrap = 1, growth = 2, permutation = 3 };

}  // namespace tw

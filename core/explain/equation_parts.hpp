// The equations of a tree as players of the game.
//
// The equation of a node is one player. Known, it answers as the model does; else it answers with what it gives for a
// row without any value. What it earns is parted among its columns by what each adds beyond that. Where the answer is
// kept in a range, every part shrinks alike.
#pragma once

#include <vector>  // for vector

#include "explain/game_tree.hpp"
#include "predict/equation_values.hpp"

namespace tw {

// What each node answers to a row without any value.
std::vector<double> answers_without_columns(const Tree& tree);

// What a row adds to it at a node, column by column; gives the sum.
double equation_parts(const Tree& tree, std::size_t node, const std::vector<double>& row, std::vector<Part>& parts);

}  // namespace tw

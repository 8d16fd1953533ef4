// What follows from the nodes of a grown tree: gains and majority classes.
#pragma once

#include "tree/tree.hpp"

namespace tw {

// gain = how much lower the mean impurity of the branches is. Rows that stop at the node gain nothing.
void add_gains(Tree& tree);

// The class with most weight; among equals the one that wins at the nearest ancestor with a strict winner among them,
// else the first. A node that no row reached answers as its parent.
void add_predictions(Tree& tree);

// The same, but the first of equals: what Weka's J48 and C4.5 answer.
void answer_first_class(Tree& tree);

}  // namespace tw

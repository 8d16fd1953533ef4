// What the trees of an ensemble say about rows, added up tree by tree in their order, so that the sums of a row do not
// depend on the number of threads.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int32_t
#include <vector>   // for vector

#include "base/workers.hpp"
#include "ensemble/ensemble.hpp"
#include "predict/frame.hpp"

namespace tw {

enum class Answer {
  values,  // tree i adds the value of the leaf to output i % n_outputs
  shares,  // every tree adds the class shares of the leaf; n_outputs = n_classes
  votes,   // every tree adds 1 to the class of the leaf
};

struct Trees {
  std::size_t first = 0, last = 0;  // without last
};

// sums: rows × n_outputs, row-major, added to. stages: null, or room for one copy of `sums` after every `per_stage`
// trees.
struct AnswerSums {
  double* sums;
  std::size_t n_outputs;
  double* stages = nullptr;
  std::size_t per_stage = 1;
};

void add_answers(const Ensemble& ensemble, Answer answer, Trees trees, const Frame& frame, const AnswerSums& to,
                 Workers& workers);

// nodes[row · n + t] = the node, in preorder, where the row ends in tree trees.first + t of n.
void find_nodes(const Ensemble& ensemble, Trees trees, const Frame& frame, std::int32_t* nodes, Workers& workers);

// The same sums for one row, without threads. value_of(column) is asked once for every column that some tree asks for.
class OneRowSums {
 public:
  OneRowSums(const Ensemble& ensemble, Answer answer);

  // The columns that are asked for, in the order in which `values` takes them.
  const std::vector<std::int32_t>& columns() const { return columns_; }
  void add(const std::vector<double>& values, std::size_t n_outputs, double* sums);

 private:
  const Ensemble& ensemble_;
  Answer answer_;
  std::vector<std::int32_t> columns_;
  std::vector<double> row_;  // by column
  std::vector<std::uint32_t> leaves_;
};

}  // namespace tw

// Trains a small dense network, batch after batch. Layers stand padded to whole vectors; a batch goes through all of
// them without leaving the cache.
#pragma once

#include <cstdint>  // for int64_t, uint32_t
#include <vector>

#include "network/network.hpp"

namespace tw {

template <class T>
struct Lessons {
  const T* rows;                // n × inputs
  const T* targets;             // n × outputs; null where classes are given
  const std::int64_t* classes;  // one a row
  const T* weights;             // one a row; null: all 1
  const std::uint32_t* order;   // the rows to learn from, in this order
  std::size_t n_visits, batch_size;
};

struct Learnt {
  double loss = 0;   // of all rows before the steps of their batches, with the price of weights
  double first = 0;  // the mean loss of the first batch
};

template <class T>
class Trainer {
 public:
  Trainer(const NetworkShape& shape, const StepRules& rules, std::size_t batch_size);

  // All weights layer by layer, then all biases; `first` and `second` are what the steps remember, in the same order.
  void read(const T* numbers, const T* first, const T* second);
  void write(T* numbers, T* first, T* second) const;

  Learnt learn(const Lessons<T>& lessons);

  StepRules rules;

 private:
  struct Layer {
    std::size_t n_in, n_out, width;  // width: n_out in whole vectors
    std::size_t weights, biases;     // where they begin
  };
  template <class Copy>
  void each_part(Copy copy) const;
  void gather(const Lessons<T>& lessons, std::size_t start, std::size_t n);
  void forward(std::size_t n);
  double end(const Lessons<T>& lessons, std::size_t start, std::size_t n);
  void back(std::size_t n);
  void turn_over(const Layer& layer);

  NetworkShape shape_;
  std::vector<Layer> layers_;
  std::size_t n_weights_ = 0;  // padded; biases come after them
  std::vector<T> numbers_, slopes_, first_, second_, inputs_, turned_, ones_;
  std::vector<std::vector<T>> outputs_, deltas_;  // of each layer after the inputs
};

}  // namespace tw

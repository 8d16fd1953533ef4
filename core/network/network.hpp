// What a small dense network is, and how it is trained: plain words for the functions of this folder.
#pragma once

#include <cstddef>  // for size_t
#include <cstdint>  // for int64_t
#include <vector>

namespace tw {

enum class Bend { sigmoid, tanh, relu, linear };

// The end of a network: outputs and loss.
enum class Ending {
  sigmoid_log,  // every output the chance of a yes
  softmax_log,  // one output a class
  squared,      // half the squared distance, after the output's own bend
};

struct NetworkShape {
  std::vector<std::size_t> sizes;  // of all layers, inputs first
  std::vector<Bend> hidden;        // one for each hidden layer
  Ending ending = Ending::squared;
  Bend output = Bend::linear;  // for squared loss
};

enum class Way { momentum, nesterov, adam };

struct StepRules {
  Way way = Way::momentum;
  double rate = 0, momentum = 0, beta_1 = 0, beta_2 = 0, epsilon = 0;
  double alpha = 0;  // the price of weights, divided by the rows of a batch
  std::int64_t steps = 0;
};

// Numbers of a vector of 64 bytes. Layers are padded to whole vectors with zeros.
template <class T>
constexpr std::size_t kWide = 64 / sizeof(T);

template <class T>
constexpr std::size_t padded(std::size_t n) {
  return (n + kWide<T> - 1) / kWide<T> * kWide<T>;
}

}  // namespace tw

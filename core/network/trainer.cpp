#include "network/trainer.hpp"

#include <algorithm>  // for copy_n, fill, fill_n, max, min

#include "network/product.hpp"
#include "network/units.hpp"

namespace tw {

template <class T>
Trainer<T>::Trainer(const NetworkShape& shape, const StepRules& step_rules, std::size_t batch_size)
    : rules(step_rules), shape_(shape) {
  std::size_t largest = 0, end = 0;
  for (std::size_t k = 0; k + 1 < shape.sizes.size(); ++k) {
    const std::size_t n_in = shape.sizes[k], n_out = shape.sizes[k + 1], width = padded<T>(n_out);
    layers_.push_back({n_in, n_out, width, end, 0});
    end += n_in * width;
    largest = std::max(largest, n_out * padded<T>(n_in));
    outputs_.emplace_back(batch_size * width);
    deltas_.emplace_back(batch_size * width);
  }
  n_weights_ = end;
  for (Layer& layer : layers_) {
    layer.biases = end;
    end += layer.width;
  }
  numbers_.resize(end);
  slopes_.resize(end);
  first_.resize(end);
  second_.resize(end);
  inputs_.resize(batch_size * shape.sizes[0]);
  turned_.resize(largest);
  ones_.assign(batch_size, T(1));
}

// Calls copy(place here, place in the dense arrays, length) for every run of numbers.
template <class T>
template <class Copy>
void Trainer<T>::each_part(Copy copy) const {
  std::size_t dense = 0;
  for (const Layer& layer : layers_)
    for (std::size_t i = 0; i < layer.n_in; ++i, dense += layer.n_out)
      copy(layer.weights + i * layer.width, dense, layer.n_out);
  for (const Layer& layer : layers_) {
    copy(layer.biases, dense, layer.n_out);
    dense += layer.n_out;
  }
}

template <class T>
void Trainer<T>::read(const T* numbers, const T* first, const T* second) {
  each_part([&](std::size_t here, std::size_t there, std::size_t n) {
    std::copy_n(numbers + there, n, numbers_.data() + here);
    std::copy_n(first + there, n, first_.data() + here);
    std::copy_n(second + there, n, second_.data() + here);
  });
}

template <class T>
void Trainer<T>::write(T* numbers, T* first, T* second) const {
  each_part([&](std::size_t here, std::size_t there, std::size_t n) {
    std::copy_n(numbers_.data() + here, n, numbers + there);
    std::copy_n(first_.data() + here, n, first + there);
    std::copy_n(second_.data() + here, n, second + there);
  });
}

template <class T>
Learnt Trainer<T>::learn(const Lessons<T>& lessons) {
  Learnt learnt;
  for (std::size_t start = 0; start < lessons.n_visits; start += lessons.batch_size) {
    const std::size_t n = std::min(lessons.batch_size, lessons.n_visits - start);
    gather(lessons, start, n);
    forward(n);
    double loss = end(lessons, start, n);
    back(n);
    const double alpha = rules.alpha;
    if (alpha > 0)
      loss += 0.5 * alpha * add_price(alpha / static_cast<double>(n), numbers_.data(), slopes_.data(), n_weights_);
    if (start == 0) learnt.first = loss / static_cast<double>(n);
    learnt.loss += loss;
    take_step(rules, {numbers_.data(), slopes_.data(), first_.data(), second_.data(), numbers_.size()});
  }
  return learnt;
}

template <class T>
void Trainer<T>::gather(const Lessons<T>& lessons, std::size_t start, std::size_t n) {
  const std::size_t width = shape_.sizes[0];
  for (std::size_t r = 0; r < n; ++r)
    std::copy_n(lessons.rows + lessons.order[start + r] * width, width, inputs_.data() + r * width);
}

template <class T>
void Trainer<T>::forward(std::size_t n) {
  const T* from = inputs_.data();
  std::size_t step = shape_.sizes[0];
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    const Layer& layer = layers_[k];
    T* to = outputs_[k].data();
    multiply(Product<T>{from, n, step, 1, layer.n_in, numbers_.data() + layer.weights, numbers_.data() + layer.biases,
                        to, layer.width});
    if (k < shape_.hidden.size()) bend(shape_.hidden[k], to, n * layer.width);
    from = to;
    step = layer.width;
  }
}

template <class T>
double Trainer<T>::end(const Lessons<T>& lessons, std::size_t start, std::size_t n) {
  const Layer& last = layers_.back();
  double loss = 0;
  for (std::size_t r = 0; r < n; ++r) {
    const std::size_t row = lessons.order[start + r];
    T* sums = outputs_.back().data() + r * last.width;
    const Wanted<T> wanted{lessons.targets ? lessons.targets + row * last.n_out : nullptr,
                           lessons.classes ? static_cast<std::size_t>(lessons.classes[row]) : 0};
    const double weight = lessons.weights ? static_cast<double>(lessons.weights[row]) : 1.0;
    loss += end_row(shape_, sums, wanted, weight, 1.0 / static_cast<double>(n));
    std::fill(sums + last.n_out, sums + last.width, T(0));
  }
  return loss;
}

// Padded outputs (0, or a half of a sigmoid) have no weights to go through: only the first n_in of a layer are looked
// at.
template <class T>
void Trainer<T>::back(std::size_t n) {
  const T* delta = outputs_.back().data();
  for (std::size_t k = layers_.size(); k-- > 0;) {
    const Layer& layer = layers_[k];
    const T* from = k ? outputs_[k - 1].data() : inputs_.data();
    const std::size_t step = k ? layers_[k - 1].width : shape_.sizes[0];
    multiply(Product<T>{from, layer.n_in, 1, step, n, delta, nullptr, slopes_.data() + layer.weights, layer.width});
    multiply(Product<T>{ones_.data(), 1, 0, 1, n, delta, nullptr, slopes_.data() + layer.biases, layer.width});
    if (!k) return;
    turn_over(layer);
    T* below = deltas_[k - 1].data();
    multiply(Product<T>{delta, n, layer.width, 1, layer.n_out, turned_.data(), nullptr, below, step});
    times_slope(shape_.hidden[k - 1], below, from, n * step);
    delta = below;
  }
}

template <class T>
void Trainer<T>::turn_over(const Layer& layer) {
  const std::size_t width = padded<T>(layer.n_in);
  const T* weights = numbers_.data() + layer.weights;
  for (std::size_t j = 0; j < layer.n_out; ++j) {
    T* to = turned_.data() + j * width;
    for (std::size_t i = 0; i < layer.n_in; ++i) to[i] = weights[i * layer.width + j];
    std::fill(to + layer.n_in, to + width, T(0));
  }
}

template class Trainer<double>;
template class Trainer<float>;

}  // namespace tw

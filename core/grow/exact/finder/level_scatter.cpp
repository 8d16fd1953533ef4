#include "grow/exact/finder/level_scatter.hpp"

#include <algorithm>  // for fill_n, min
#include <cmath>      // for pow, sqrt

#include "base/vectors.hpp"

namespace tw {
namespace {

constexpr std::size_t kMostWide = 64;  // matrices beyond that would take longer than they save
constexpr int kSquarings = 3;
constexpr double kRounding = 1e-4;  // more than single precision loses

// to = Σ x x', over the vectors x of `size` numbers one behind the other in `from`.
TW_INLINE_LOOP inline void add_products(const float* from, std::size_t n, std::size_t size, float* to) {
  for (std::size_t i = 0; i < size * size; ++i) to[i] = 0;
  for (std::size_t p = 0; p < n; ++p, from += size)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) to[i * size + j] += from[i] * from[j];
}

// The sums go column by column, so that they are lanes.
TW_INLINE_LOOP inline float norm_of(const float* matrix, std::size_t size) {
  float sums[kMostWide] = {}, sum = 0;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) sums[j] += matrix[i * size + j] * matrix[i * size + j];
  for (std::size_t j = 0; j < size; ++j) sum += sums[j];
  return std::sqrt(sum);
}

}  // namespace

double LevelScatter::most(const LevelTable& levels, ConstCounts missing, ConstCounts totals, double enough) {
  centre(levels, missing, totals);
  const std::size_t size = std::min(n_rows_, n_classes_);
  if (size > kMostWide) return enough;
  turn_if_wide();
  matrix_.resize(size * size), squared_.resize(size * size);
  double most = 0;
  with_widest_vectors([&]() TW_INLINE_LOOP {
    add_products(rows_.data(), std::max(n_rows_, n_classes_), size, matrix_.data());
    float length = norm_of(matrix_.data(), size);
    most = length * (1 + kRounding);
    double root = 1;
    for (int squaring = 0; squaring < kSquarings && most >= enough && length > 0; ++squaring) {
      for (std::size_t i = 0; i < size * size; ++i) matrix_[i] /= length;
      add_products(matrix_.data(), size, size, squared_.data());  // it is symmetric: its rows are its columns
      matrix_.swap(squared_);
      length = norm_of(matrix_.data(), size);
      root /= 2;
      most *= std::pow(static_cast<double>(length), root);
    }
  });
  return most;
}

// Rows v_j / sqrt(n_j), the missing rows as one more level.
void LevelScatter::centre(const LevelTable& levels, ConstCounts missing, ConstCounts totals) {
  n_classes_ = totals.size(), n_rows_ = 0;
  rows_.resize((levels.n_levels + 1) * n_classes_);
  shares_.resize(n_classes_);
  const auto all = static_cast<double>(total_of(totals));
  for (std::size_t k = 0; k < n_classes_; ++k) shares_[k] = static_cast<double>(totals[k]) / all;
  for (std::size_t l = 0; l < levels.n_levels; ++l) add_row(levels.level(l));
  add_row(missing);
}

void LevelScatter::add_row(ConstCounts counts) {
  const auto weight = static_cast<double>(total_of(counts));
  if (weight <= 0) return;
  const double per_root = 1 / std::sqrt(weight);
  float* row = rows_.data() + n_rows_++ * n_classes_;
  for (std::size_t k = 0; k < n_classes_; ++k)
    row[k] = static_cast<float>((static_cast<double>(counts[k]) - weight * shares_[k]) * per_root);
}

// Products of rows with rows have the same eigenvalues as those of classes with classes, but for zeros: the smaller
// matrix is taken.
void LevelScatter::turn_if_wide() {
  if (n_rows_ >= n_classes_) return;
  matrix_.resize(n_rows_ * n_classes_);
  for (std::size_t l = 0; l < n_rows_; ++l)
    for (std::size_t k = 0; k < n_classes_; ++k) matrix_[k * n_rows_ + l] = rows_[l * n_classes_ + k];
  rows_.swap(matrix_);
}

}  // namespace tw

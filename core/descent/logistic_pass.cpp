#include "descent/logistic_pass.hpp"

#include <algorithm>  // for copy, max, min
#include <cmath>      // for fabs, log, log1p

#include "base/exponential.hpp"
#include "base/vectors.hpp"
#include "descent/examples.hpp"

namespace tw {
namespace {

constexpr std::size_t kBlock = 64;  // rows: with 24 columns they fill half of the first cache
constexpr std::size_t kAtOnce = 4;  // columns whose products are summed side by side
// Between two looks for Ctrl-C, a hundredth of their time on narrow tables and a tenth of a second on very wide ones.
constexpr std::size_t kColumnsUnheard = 64 * kAtOnce, kRowsUnheard = 16 * kBlock;

struct Block {
  std::size_t n = 0, width;                           // rows in it; numbers a row, a multiple of kLanes
  std::vector<double> rows, scaled;                   // kBlock × width; the second times their curve
  double sum[kBlock], by_sum[kBlock], curve[kBlock];  // of each row; the two derivatives of its loss by its sum
  double small[kBlock];                               // e^-|sum|
};

__attribute__((always_inline)) inline void fill(Block& block, const LogisticRows& rows, std::size_t start) {
  const std::size_t p = rows.n_columns, first = rows.constant;
  block.n = std::min(kBlock, rows.n_rows - start);
  for (std::size_t i = 0; i < block.n; ++i) {
    const double* from = rows.matrix + (start + i) * p;
    double* to = block.rows.data() + i * block.width + first;
    if (rows.centre)
      for (std::size_t j = 0; j < p; ++j) to[j] = from[j] - rows.centre[j];
    else
      std::copy(from, from + p, to);
    if (rows.scale)
      for (std::size_t j = 0; j < p; ++j) to[j] /= rows.scale[j];
  }
}

__attribute__((always_inline)) inline void derive(Block& block, const LogisticRows& rows, std::size_t start) {
  for (std::size_t i = 0; i < block.n; ++i) {
    const double z = block.sum[i], small = exponential(-std::fabs(z));
    const double p = (z >= 0 ? 1.0 : small) / (1.0 + small);
    block.small[i] = small;
    block.by_sum[i] = p - static_cast<double>(rows.codes[start + i]);
    block.curve[i] = small / ((1.0 + small) * (1.0 + small));
  }
  if (!rows.weights) return;
  for (std::size_t i = 0; i < block.n; ++i) {
    block.by_sum[i] *= rows.weights[start + i];
    block.curve[i] *= rows.weights[start + i];
  }
}

// Σ log(1 + e^-|z|) + max(z, 0) − y z. Without weights one logarithm of the product serves all rows of the block.
double loss_of(const Block& block, const LogisticRows& rows, std::size_t start) {
  double linear = 0, product = 1, logs = 0;
  for (std::size_t i = 0; i < block.n; ++i) {
    const double z = block.sum[i], weight = rows.weights ? rows.weights[start + i] : 1.0;
    linear += weight * (std::max(z, 0.0) - static_cast<double>(rows.codes[start + i]) * z);
    if (rows.weights)
      logs += weight * std::log1p(block.small[i]);
    else
      product *= 1.0 + block.small[i];
  }
  return linear + logs + std::log(product);
}

__attribute__((always_inline)) inline void add_products(Block& block, double* hessian, Workers& workers) {
  const std::size_t width = block.width;
  for (std::size_t i = 0; i < block.n; ++i)
    for (std::size_t j = 0; j < width; ++j) block.scaled[i * width + j] = block.curve[i] * block.rows[i * width + j];
  for (std::size_t a = 0; a < width; a += kAtOnce) {
    if (a % kColumnsUnheard == 0) workers.checkpoint();
    for (std::size_t b = a / kLanes * kLanes; b < width; b += kLanes) {
      double sums[kAtOnce][kLanes] = {};
      for (std::size_t i = 0; i < block.n; ++i) {
        const double* row = block.rows.data() + i * width + b;
        const double* scaled = block.scaled.data() + i * width + a;
        for (std::size_t k = 0; k < kAtOnce; ++k)
          for (std::size_t l = 0; l < kLanes; ++l) sums[k][l] += scaled[k] * row[l];
      }
      for (std::size_t k = 0; k < kAtOnce; ++k)
        for (std::size_t l = 0; l < kLanes; ++l) hessian[(a + k) * width + b + l] += sums[k][l];
    }
  }
}

// The upper half, without the padding, to both halves.
std::vector<double> whole(const std::vector<double>& padded, std::size_t padded_width, std::size_t width) {
  std::vector<double> full(width * width);
  for (std::size_t a = 0; a < width; ++a)
    for (std::size_t b = a; b < width; ++b) full[a * width + b] = full[b * width + a] = padded[a * padded_width + b];
  return full;
}

}  // namespace

LogisticSlopes logistic_pass(const LogisticRows& rows, const double* coefficients, bool with_hessian,
                             Workers& workers) {
  return with_widest_vectors([&]() TW_INLINE_LOOP {
    Block block;
    const std::size_t width = block.width = (rows.width() + kLanes - 1) / kLanes * kLanes;
    block.rows.assign(kBlock * width, 0.0);
    block.scaled.assign(with_hessian ? kBlock * width : 0, 0.0);
    if (rows.constant)
      for (std::size_t i = 0; i < kBlock; ++i) block.rows[i * width] = 1.0;
    std::vector<double> weights(width, 0.0), gradient(width, 0.0), products(with_hessian ? width * width : 0);
    std::copy(coefficients, coefficients + rows.width(), weights.begin());
    LogisticSlopes slopes;
    for (std::size_t start = 0; start < rows.n_rows; start += kBlock) {
      if (start % kRowsUnheard == 0) workers.checkpoint();
      fill(block, rows, start);
      for (std::size_t i = 0; i < block.n; ++i)
        block.sum[i] = dot(block.rows.data() + i * width, weights.data(), width);
      derive(block, rows, start);
      slopes.value += loss_of(block, rows, start);
      for (std::size_t i = 0; i < block.n; ++i)
        add_scaled(gradient.data(), block.by_sum[i], block.rows.data() + i * width, width);
      if (with_hessian) add_products(block, products.data(), workers);
    }
    slopes.gradient.assign(gradient.begin(), gradient.begin() + static_cast<std::ptrdiff_t>(rows.width()));
    if (with_hessian) slopes.hessian = whole(products, width, rows.width());
    return slopes;
  });
}

}  // namespace tw

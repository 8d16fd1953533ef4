#include "grow/conditional/deviations.hpp"

namespace tw {
namespace {

// Three classes and more: one part for each class.
void take_classes(const ColumnCounts& counts, bool with_missing, Deviations& to) {
  const std::size_t K = counts.n_classes;
  to.parts = K;
  to.inverse.assign(K, 0), to.spread.assign(K, 0), to.d.resize(to.size * K);
  std::vector<double> share(K);
  std::size_t present = 0;
  for (std::size_t k = 0; k < K; ++k) {
    const std::int64_t n_k = counts.known.classes[k] + (with_missing ? counts.missing.classes[k] : 0);
    share[k] = double(n_k) / to.total;
    if (n_k == 0) continue;
    ++present;
    to.inverse[k] = 1 / share[k], to.spread[k] = share[k] * (1 - share[k]);
  }
  to.rank = present > 0 ? double(present) - 1 : 0;
  for (std::size_t i = 0; i < to.size; ++i) {
    const std::int64_t* classes = i < counts.size() ? counts.classes_of(i).data() : counts.missing.classes.data();
    for (std::size_t k = 0; k < K; ++k) to.d[i * K + k] = double(classes[k]) - to.weight[i] * share[k];
  }
}

// The weight, mean and spread of one number a row.
struct Scale {
  double mean = 0, spread = 0;
  std::vector<double> sums;  // Σ w·y of each value
};

// Two classes (0 and 1) or the steps of an ordinal target.
Scale scale_of_classes(const ColumnCounts& counts, std::span<const double> scores, bool with_missing,
                       const Deviations& to) {
  const std::size_t K = counts.n_classes;
  Scale scale;
  auto total_of = [&](std::size_t k) {
    return double(counts.known.classes[k] + (with_missing ? counts.missing.classes[k] : 0));
  };
  for (std::size_t k = 0; k < K; ++k) scale.mean += scores[k] * total_of(k);
  scale.mean /= to.total;
  for (std::size_t k = 0; k < K; ++k) {
    const double away = scores[k] - scale.mean;
    scale.spread += total_of(k) * away * away;
  }
  scale.sums.assign(to.size, 0);
  for (std::size_t i = 0; i < to.size; ++i) {
    const std::int64_t* classes = i < counts.size() ? counts.classes_of(i).data() : counts.missing.classes.data();
    for (std::size_t k = 0; k < K; ++k) scale.sums[i] += scores[k] * double(classes[k]);
  }
  return scale;
}

Scale scale_of_numbers(const ColumnCounts& counts, bool with_missing, const Deviations& to) {
  NumberSum all = counts.known.numbers;
  if (with_missing) all += counts.missing.numbers;
  Scale scale{all.mean(), all.spread(), std::vector<double>(to.size)};
  for (std::size_t i = 0; i < to.size; ++i)
    scale.sums[i] = double((i < counts.size() ? counts.numbers[i] : counts.missing.numbers).first);
  return scale;
}

void take_scale(const Scale& scale, Deviations& to) {
  const double v = scale.spread / to.total;
  to.parts = 1, to.rank = v > 0 ? 1 : 0;
  to.spread.assign(1, v), to.inverse.assign(1, v > 0 ? 1 / v : 0);
  to.d.resize(to.size);
  for (std::size_t i = 0; i < to.size; ++i) to.d[i] = scale.sums[i] - to.weight[i] * scale.mean;
}

bool has_two_classes(const ColumnCounts& counts, bool with_missing) {
  int present = 0;
  for (std::size_t k = 0; k < counts.n_classes; ++k)
    present += counts.known.classes[k] > 0 || (with_missing && counts.missing.classes[k] > 0);
  return present > 1;
}

}  // namespace

void take_deviations(const ColumnCounts& counts, double unit, std::span<const double> class_scores, bool with_missing,
                     Deviations& to) {
  static constexpr double kTwoClasses[] = {0, 1};
  with_missing &= counts.missing.weight > 0;
  to.size = counts.size() + with_missing;
  to.weight.assign(counts.weight.begin(), counts.weight.end());
  if (with_missing) to.weight.push_back(double(counts.missing.weight));
  to.total = double(counts.known.weight + (with_missing ? counts.missing.weight : 0));
  to.n = to.total * unit;
  to.rank = 0;
  if (to.size < 2 || to.total <= 0) return;
  if (counts.n_classes && !has_two_classes(counts, with_missing)) return;
  if (counts.n_classes == 2 && class_scores.empty()) class_scores = kTwoClasses;
  if (!counts.n_classes)
    take_scale(scale_of_numbers(counts, with_missing, to), to);
  else if (class_scores.empty())
    take_classes(counts, with_missing, to);
  else
    take_scale(scale_of_classes(counts, class_scores, with_missing, to), to);
}

}  // namespace tw

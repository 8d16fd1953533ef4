#include "model_tree/node_moments.hpp"

#include <algorithm>  // for min

namespace tw {
namespace {

constexpr std::size_t kBlock = 256;      // rows whose numbers are read at once, so that they stay in the cache
constexpr std::size_t kChunk = 1 << 15;  // rows that one thread takes

double indicator(const EquationTerm& term, double code) {
  return std::isnan(code) ? code : term.member[std::size_t(code)];
}

template <class Number>
__int128 sum_of_products(const Number* x, const std::int64_t* y, std::size_t n) {
  __int128 sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<__int128>(x[i]) * y[i];
  return sum;
}

}  // namespace

struct Design::Sums {
  explicit Sums(std::size_t n) : first(n, 0), middle(n, 0), rest(n, 0), products(n * n, 0) {}
  __int128 weight = 0;
  std::vector<__int128> first;       // Σ w z
  std::vector<std::int64_t> middle;  // the mean, rounded
  std::vector<__int128> rest;        // Σ w (z − middle)
  std::vector<__int128> products;    // Σ w (z − middle)(z' − middle'), upper half

  void merge(const Sums& other) {
    weight += other.weight;
    for (std::size_t j = 0; j < first.size(); ++j) first[j] += other.first[j], rest[j] += other.rest[j];
    for (std::size_t k = 0; k < products.size(); ++k) products[k] += other.products[k];
  }
};

Design::Design(const Table& table, const Target& target, const std::vector<EquationTerm>& terms)
    : table_(table), target_(target), terms_(terms) {
  const int bits = fixed_bits(target);
  for (const EquationTerm& term : terms) {
    const Column& column = table.columns[term.column];
    if (term.is_number())
      values_.push_back(make_fixed_values(target, bits, [&](std::uint32_t row) { return column.value(row); }));
    else
      values_.push_back(
          make_fixed_values(target, bits, [&](std::uint32_t row) { return indicator(term, column.value(row)); }));
  }
  target_values_ = make_fixed_values(target, bits, [&](std::uint32_t row) { return target.numbers[row]; });
}

// The numbers of a term; −1 stands for the target.
void Design::read(std::span<const std::uint32_t> rows, std::int32_t term, std::int64_t* to) const {
  const FixedValues& values = term < 0 ? target_values_ : values_[term];
  if (term < 0) {
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = values.of(target_.numbers[rows[i]]);
    return;
  }
  const Column& column = table_.columns[terms_[term].column];
  if (terms_[term].is_number()) {
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = values.of(column.value(rows[i]));
    return;
  }
  const std::int64_t zero = values.of(0), one = values.of(1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t code = column.code(rows[i]);
    to[i] = code == 0 ? values.fill : terms_[term].member[code] ? one : zero;
  }
}

void Design::add_first(std::span<const std::uint32_t> rows, const std::vector<std::int32_t>& terms, Sums& sums) const {
  std::vector<std::int64_t> z(kBlock);
  for (std::size_t begin = 0; begin < rows.size(); begin += kBlock) {
    const auto block = rows.subspan(begin, std::min(kBlock, rows.size() - begin));
    for (auto row : block) sums.weight += target_.weight_of(row);
    for (std::size_t j = 0; j < terms.size(); ++j) {
      read(block, terms[j], z.data());
      for (std::size_t i = 0; i < block.size(); ++i)
        sums.first[j] += static_cast<__int128>(target_.weight_of(block[i])) * z[i];
    }
  }
}

void Design::add_products(std::span<const std::uint32_t> rows, const std::vector<std::int32_t>& terms,
                          Sums& sums) const {
  const std::size_t n = terms.size();
  std::vector<std::int64_t> z(kBlock * n);
  std::vector<__int128> weighted(kBlock);
  for (std::size_t begin = 0; begin < rows.size(); begin += kBlock) {
    const auto block = rows.subspan(begin, std::min(kBlock, rows.size() - begin));
    for (std::size_t j = 0; j < n; ++j) {
      std::int64_t* to = z.data() + j * kBlock;
      read(block, terms[j], to);
      for (std::size_t i = 0; i < block.size(); ++i) to[i] -= sums.middle[j];
    }
    for (std::size_t j = 0; j < n; ++j) {
      const std::int64_t* zj = z.data() + j * kBlock;
      for (std::size_t i = 0; i < block.size(); ++i) {
        weighted[i] = static_cast<__int128>(target_.weight_of(block[i])) * zj[i];
        sums.rest[j] += weighted[i];
      }
      for (std::size_t k = j; k < n; ++k) {
        const std::int64_t* zk = z.data() + k * kBlock;
        sums.products[j * n + k] += target_.unit_weights() ? sum_of_products(zj, zk, block.size())
                                                           : sum_of_products(weighted.data(), zk, block.size());
      }
    }
  }
}

// Calls add(rows of a chunk, sums of the chunk) for every chunk and merges what it has summed up.
template <class Add>
void Design::in_chunks(std::span<const std::uint32_t> rows, Sums& sums, Workers* workers, Add add) const {
  if (!workers || rows.size() <= kChunk) return add(rows, sums);
  const std::size_t n_chunks = (rows.size() + kChunk - 1) / kChunk;
  std::vector<Sums> parts(n_chunks, Sums(sums.first.size()));
  workers->run(n_chunks, [&](std::size_t c, int) {
    parts[c].middle = sums.middle;
    add(rows.subspan(c * kChunk, std::min(kChunk, rows.size() - c * kChunk)), parts[c]);
  });
  for (const Sums& part : parts) sums.merge(part);
}

NodeMoments Design::moments(std::span<const std::uint32_t> rows, const std::vector<std::int32_t>& terms,
                            Workers* workers) const {
  std::vector<std::int32_t> all = terms;
  all.push_back(-1);
  const std::size_t n = all.size();
  Sums sums(n);
  in_chunks(rows, sums, workers, [&](auto part, Sums& to) { add_first(part, all, to); });
  for (std::size_t j = 0; j < n; ++j) sums.middle[j] = static_cast<std::int64_t>(sums.first[j] / sums.weight);
  in_chunks(rows, sums, workers, [&](auto part, Sums& to) { add_products(part, all, to); });
  NodeMoments moments;
  moments.n = terms.size();
  moments.weight = static_cast<double>(sums.weight);
  moments.mean.resize(n);
  moments.spread.resize(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    const double rest = static_cast<double>(sums.rest[j]) / moments.weight;  // what rounding left of the mean
    moments.mean[j] = static_cast<double>(sums.middle[j]) + rest;
    for (std::size_t k = j; k < n; ++k)
      moments.spread[j * n + k] = moments.spread[k * n + j] =
          static_cast<double>(sums.products[j * n + k]) - rest * static_cast<double>(sums.rest[k]);
  }
  return moments;
}

}  // namespace tw

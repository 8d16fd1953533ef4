// The steps are those of encode_columns.cpp, one for all columns after the other. What every peer finds by itself is
// found on all threads; what they tell each other is told in the order of the columns.
#include "encode/encode_among_peers.hpp"

#include <algorithm>  // for max, sort, unique
#include <cmath>      // for floor
#include <limits>     // for numeric_limits

#include "base/error.hpp"
#include "encode/bucket_finder.hpp"
#include "encode/encode_columns.hpp"
#include "encode/key_quantiles.hpp"

namespace tw {
namespace {

// Calls f(row, number) for all rows; NaN where there is none.
template <class F>
void for_numbers(const Values& values, std::size_t n_rows, F&& f) {
  values.visit([&](auto zero) {
    for (std::size_t row = 0; row < n_rows; ++row) {
      const bool missing = values.missing && values.missing[row];
      f(row,
        missing ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(values.load<decltype(zero)>(row)));
    }
  });
}

// What decides which key a column gets (choose_key in encode_columns.cpp).
struct KeyFacts {
  std::int64_t known = 0, whole = 0, single = 0;
  double least_negated = -std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  void see(double x) {
    known += x == x;
    whole += x == std::floor(x);
    single += static_cast<double>(static_cast<float>(x)) == x;
    least_negated = -x > least_negated ? -x : least_negated;
    largest = x > largest ? x : largest;
  }

  void add_those_of(Peers& peers) {
    std::int64_t counts[] = {known, whole, single};
    double ends[] = {least_negated, largest};
    peers.add(counts), peers.take_largest(ends);
    known = counts[0], whole = counts[1], single = counts[2], least_negated = ends[0], largest = ends[1];
  }

  void choose(Column& column) const {
    if (single == known) return;
    if (whole == known && largest + least_negated < 4294967000.0) {
      column.make_key = {KeyKind::distance, -least_negated};
    } else {
      column.make_key = {KeyKind::upper, 0};
      column.exact_keys = false;
    }
  }
};

class EncodingAmongPeers {
 public:
  EncodingAmongPeers(const std::vector<Values>& sources, std::size_t n_rows, Workers& workers, Peers& peers)
      : n_rows_(n_rows), workers_(workers), peers_(peers), columns_(sources.size()), few_(sources.size()),
        fits_(sources.size(), 1), facts_(sources.size()) {
    for (std::size_t c = 0; c < sources.size(); ++c) columns_[c].values = sources[c];
  }

  std::vector<Column> run() {
    if (n_rows_ == 0) throw BadInput("a peer without rows");
    on_all_threads(&EncodingAmongPeers::look_for_few);
    in_order(&EncodingAmongPeers::join_few);
    on_all_threads(&EncodingAmongPeers::code_or_look);
    in_order(&EncodingAmongPeers::cut);
    return std::move(columns_);
  }

 private:
  using Step = void (EncodingAmongPeers::*)(std::size_t);

  void on_all_threads(Step step) {
    workers_.run(columns_.size(), [&](std::size_t c, int) { (this->*step)(c); });
  }
  void in_order(Step step) {
    for (std::size_t c = 0; c < columns_.size(); ++c) (this->*step)(c);
  }

  void look_for_few(std::size_t c) {
    const Values& values = columns_[c].values;
    for (std::size_t row = 0; row < n_rows_ && fits_[c]; ++row) fits_[c] = few_[c].place(values.at(row)) >= 0;
  }

  // Ascending numbers have their ranks as places.
  void join_few(std::size_t c) {
    columns_[c].is_coded = false;
    if (peers_.largest(!fits_[c]) > 0) return;
    std::vector<double> numbers = peers_.join(few_[c].numbers());
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (numbers.size() > FewValues::kMost) return;
    few_[c] = FewValues();
    for (const double x : numbers) few_[c].place(x);
    columns_[c].is_coded = true;
    columns_[c].n_codes = static_cast<std::uint32_t>(numbers.size());
  }

  void code_or_look(std::size_t c) {
    Column& column = columns_[c];
    if (column.is_coded) {
      column.codes8.resize(n_rows_);
      for_numbers(column.values, n_rows_,
                  [&](std::size_t row, double x) { column.codes8[row] = static_cast<std::uint8_t>(few_[c].place(x)); });
    } else if (!fits_single(column.values.type)) {
      for_numbers(column.values, n_rows_, [&](std::size_t, double x) { facts_[c].see(x); });
    }
  }

  void cut(std::size_t c) {
    Column& column = columns_[c];
    if (column.is_coded) return;
    if (!fits_single(column.values.type)) facts_[c].add_those_of(peers_), facts_[c].choose(column);
    std::vector<std::uint32_t> known;
    known.reserve(n_rows_);
    column.visit_keys([&](auto key_of) {
      for (std::size_t row = 0; row < n_rows_; ++row)
        if (const std::uint32_t key = key_of(row)) known.push_back(key);
    });
    const BucketFinder finder(KeyQuantiles::find(known, BucketFinder::kMaxBuckets, peers_));
    column.n_buckets = finder.n_buckets();
    column.buckets.resize(n_rows_);
    column.visit_keys([&](auto key_of) {
      for (std::size_t row = 0; row < n_rows_; ++row) column.buckets[row] = finder.find(key_of(row));
    });
  }

  std::size_t n_rows_;
  Workers& workers_;
  Peers& peers_;
  std::vector<Column> columns_;
  std::vector<FewValues> few_;
  std::vector<std::uint8_t> fits_;
  std::vector<KeyFacts> facts_;
};

}  // namespace

std::vector<Column> encode_numbers_among(const std::vector<Values>& sources, std::size_t n_rows, Workers& workers,
                                         Peers& peers) {
  return EncodingAmongPeers(sources, n_rows, workers, peers).run();
}

}  // namespace tw

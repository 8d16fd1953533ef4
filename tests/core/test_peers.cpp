// Rows that several hold, each in a thread of its own, give the columns and the trees of all rows in one place.
#include <atomic>   // for atomic
#include <barrier>  // for barrier
#include <cmath>    // for nan
#include <mutex>    // for mutex
#include <thread>   // for jthread

#include "base/peers.hpp"
#include "check.hpp"
#include "draws.hpp"
#include "encode/encode_among_peers.hpp"
#include "encode/encode_columns.hpp"
#include "grow/boost/booster.hpp"

namespace tw::tests {
namespace {

// What threads tell each other: each adds what it has, waits for the others, and takes the whole.
class Meeting {
 public:
  explicit Meeting(std::ptrdiff_t n) : barrier_(n) {}

  template <class T, class Together>
  void meet(std::span<T> own, std::vector<T>& whole, Together together) {
    barrier_.arrive_and_wait();  // all have taken what was before
    {
      const std::lock_guard lock(mutex_);
      if (n_added_++ == 0)
        whole.assign(own.begin(), own.end());
      else
        for (std::size_t i = 0; i < own.size(); ++i) whole[i] = together(whole[i], own[i]);
    }
    barrier_.arrive_and_wait();
    std::copy(whole.begin(), whole.end(), own.begin());
    n_added_ = 0;
  }

  std::mutex& mutex() { return mutex_; }
  std::barrier<>& barrier() { return barrier_; }
  std::vector<std::int64_t> integers;
  std::vector<double> numbers, joined;

 private:
  std::barrier<> barrier_;
  std::mutex mutex_;
  std::atomic<int> n_added_{0};
};

class Thread : public Peers {
 public:
  explicit Thread(Meeting& meeting) : meeting_(meeting) {}
  bool any() const override { return true; }
  void add(std::span<std::int64_t> own) override {
    meeting_.meet(own, meeting_.integers, [](auto a, auto b) { return a + b; });
  }
  void add(std::span<double> own) override {
    meeting_.meet(own, meeting_.numbers, [](auto a, auto b) { return a + b; });
  }
  void take_largest(std::span<double> own) override {
    meeting_.meet(own, meeting_.numbers, [](auto a, auto b) { return a < b ? b : a; });
  }
  std::vector<double> join(std::vector<double> own) override {
    meeting_.barrier().arrive_and_wait();
    {
      const std::lock_guard lock(meeting_.mutex());
      meeting_.joined.insert(meeting_.joined.end(), own.begin(), own.end());
    }
    meeting_.barrier().arrive_and_wait();
    std::vector<double> all = meeting_.joined;
    meeting_.barrier().arrive_and_wait();
    const std::lock_guard lock(meeting_.mutex());
    meeting_.joined.clear();
    return all;
  }

 private:
  Meeting& meeting_;
};

struct Rows {
  std::vector<std::vector<double>> columns;
  std::vector<double> y;

  Rows of(std::size_t part, std::size_t n_parts) const {
    Rows own;
    own.columns.resize(columns.size());
    for (std::size_t row = 0; row < y.size(); ++row) {
      if ((row % 3 == 0 ? row % n_parts : 0) != part) continue;  // one has far more than the others
      for (std::size_t c = 0; c < columns.size(); ++c) own.columns[c].push_back(columns[c][row]);
      own.y.push_back(y[row]);
    }
    return own;
  }
};

Rows draw_rows(Draws& draw, std::size_t n) {
  Rows rows;
  rows.columns.resize(4);
  for (std::size_t row = 0; row < n; ++row) {
    const double x = draw.between(0, 1);
    rows.columns[0].push_back(x);
    rows.columns[1].push_back(draw.coin(5) ? std::nan("") : static_cast<float>(draw.between(0, 1)));
    rows.columns[2].push_back(static_cast<double>(draw.below(7)));
    rows.columns[3].push_back(static_cast<double>(draw.below(3000)) * 1e6);
    rows.y.push_back(x * rows.columns[2].back() + draw.between(0, 1));
  }
  return rows;
}

Boosted boost_rows(const Rows& rows, Peers& peers) {
  Workers workers(1);
  std::vector<Values> values;
  for (const auto& column : rows.columns) {
    values.emplace_back();
    values.back().data = reinterpret_cast<const char*>(column.data());
    values.back().stride = sizeof(double);
  }
  Table table;
  table.n_rows = rows.y.size();
  table.columns = peers.any() ? encode_numbers_among(values, table.n_rows, workers, peers)
                              : encode_numbers(values, table.n_rows, table.n_rows, workers);
  std::vector<std::uint32_t> all(table.n_rows);
  for (std::uint32_t row = 0; row < all.size(); ++row) all[row] = row;
  BoostTask task;
  task.table = &table;
  task.labels = {rows.y, {}, 0, &peers};
  task.rows = all;
  BoostRules rules;
  rules.n_estimators = 5, rules.max_leaf_nodes = 12;
  Progress progress;
  return boost(std::move(task), rules, workers, progress);
}

bool are_same(const Boosted& a, const Boosted& b) {
  bool same = a.start == b.start && a.trees.size() == b.trees.size();
  for (std::size_t i = 0; same && i < a.trees.size(); ++i) {
    const SmallTree &x = a.trees[i], &y = b.trees[i];
    same = x.test == y.test && x.column == y.column && x.value == y.value && x.n_rows == y.n_rows && x.gain == y.gain;
  }
  return same;
}

}  // namespace

TEST(peers_grow_the_trees_of_all_rows_in_one_place) {
  Draws draw(23);
  const Rows rows = draw_rows(draw, kOneBlockRows + 3000);
  const Boosted wanted = boost_rows(rows, Peers::none());
  CHECK(wanted.trees.size() == 5 && wanted.trees[0].value.size() == 12);
  for (const std::size_t n : {1u, 2u, 5u}) {
    Meeting meeting(static_cast<std::ptrdiff_t>(n));
    std::vector<Boosted> found(n);
    {
      std::vector<std::jthread> threads;
      for (std::size_t part = 0; part < n; ++part)
        threads.emplace_back([&, part] {
          Thread peers(meeting);
          found[part] = boost_rows(rows.of(part, n), peers);
        });
    }
    for (const Boosted& each : found) CHECK(are_same(each, wanted));
  }
}

}  // namespace tw::tests

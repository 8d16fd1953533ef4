#include "grow/boost/booster.hpp"

#include <algorithm>  // for clamp, max, min, sort
#include <bit>        // for bit_cast
#include <cmath>      // for floor, round
#include <optional>   // for optional
#include <stdexcept>  // for overflow_error

#include "base/counted_random.hpp"
#include "base/fixed_sum.hpp"
#include "grow/boost/tree_grower.hpp"
#include "table/row_order.hpp"

namespace tw {
namespace {

constexpr std::size_t kBlock = 8192;
enum Purpose : std::uint64_t { kRows = 11, kTrees = 12 };

RowWeights weigh_rows(std::span<const double> weights, std::size_t n_rows, Peers& peers) {
  double sum = 0;
  bool whole = true;
  for (const double weight : weights) whole = whole && weight == std::floor(weight), sum += weight;
  peers.add(std::span(&sum, 1));  // of interest where it is whole
  whole = peers.largest(!whole) == 0 && sum < 0x1p31;
  const auto n_all = static_cast<double>(peers.sum(static_cast<std::int64_t>(n_rows)));
  return {weights, whole, whole && !weights.empty() ? sum : n_all};
}

std::size_t leaf_of(const std::vector<BoostedNode>& nodes, const BinnedTable& table, std::size_t row) {
  std::size_t at = 0;
  while (!nodes[at].is_leaf())
    at = nodes[at].child[nodes[at].branch_of(table.columns[nodes[at].split.column].code(row))];
  return at;
}

}  // namespace

Booster::Booster(BoostTask task, const BoostRules& rules, Workers& workers)
    : task_(std::move(task)), rules_(rules), workers_(workers),
      loss_(task_.own_loss ? std::move(task_.own_loss) : make_loss(rules.loss, task_.labels, rules.alpha)),
      table_(bin_columns(*task_.table, task_.rows, task_.held_out, rules.max_bins, workers, *task_.labels.peers)),
      by_content_(order_rows()), level_codes_(table_, task_.rows, deal_rows()),
      weights_(weigh_rows(task_.labels.weight, task_.rows.size(), *task_.labels.peers)),
      choice_(rules, static_cast<std::int32_t>(task_.table->columns.size())), packed_(table_, rules, choice_, workers),
      wide_(table_, rules, choice_, workers) {
  lay_out_rows(table_, workers);
  result_.start = loss_->start(task_.rows);
  for (const double start : result_.start) raw_.emplace_back(table_.n_rows, start);
  first_gradients_.assign(raw_.size(), 0.0);
  gradients_.gradient.resize(table_.n_rows), gradients_.hessian.resize(table_.n_rows);
}

Boosted Booster::run(Progress& progress) {
  progress.total = rules_.n_estimators;
  if (rules_.patience > 0) result_.losses.push_back(judge());
  for (std::int64_t round = 0; round < rules_.n_estimators; ++round) {
    workers_.checkpoint();
    if (!grow_round(round)) {
      if (rules_.patience > 0 && round > 0) break;                         // the best round was before
      throw std::overflow_error("the gradients grew beyond all numbers");  // an OverflowError in Python
    }
    progress.done = round + 1;
    if (rules_.patience == 0) continue;
    result_.losses.push_back(judge());
    progress.score = result_.losses.back();
    if (has_stalled()) break;
  }
  if (rules_.patience > 0) {  // the rounds after the best one are forgotten
    const auto best = std::min_element(result_.losses.begin() + 1, result_.losses.end()) - result_.losses.begin();
    result_.trees.resize(static_cast<std::size_t>(best) * raw_.size());
  }
  return std::move(result_);
}

bool Booster::grow_round(std::int64_t round) {
  sample_ = task_.rows;
  if (rules_.subsample < 1) sample_ = drawn_rows_ = draw_rows(round);
  others_.clear();
  if (sample_.size() < table_.n_rows) {
    std::vector<std::uint8_t> drawn_row(table_.n_rows, 0);
    for (const std::uint32_t row : sample_) drawn_row[row] = 1;
    for (const auto rows : {task_.rows, task_.held_out})
      for (const std::uint32_t row : rows)
        if (!drawn_row[row]) drawn_row[row] = 1, others_.push_back(row);  // a row may be in both, each with a weight
  }
  loss_->prepare(raw_, task_.rows, workers_);
  std::vector<SmallTree> trees;
  for (std::uint32_t output = 0; output < raw_.size(); ++output) {
    find_gradients(output);
    std::optional<Units> units = choose_units(gradients_, weights_, first_gradients_[output], workers_, *table_.peers);
    if (!units) return false;
    if (charges_levels()) units->noise = noise_of(gradients_, weights_, workers_, *table_.peers);
    trees.push_back(units->packed ? grow_tree(packed_, *units, output, round)
                                  : grow_tree(wide_, *units, output, round));
  }
  for (SmallTree& tree : trees) result_.trees.push_back(std::move(tree));
  return true;
}

// Only columns of levels pay for the noise that they can sort.
bool Booster::charges_levels() const {
  if (rules_.level_charge == 0) return false;
  for (const BinnedColumn& column : table_.columns)
    if (column.kind == Kind::nominal) return true;
  return false;
}

// Without replacement, in the order of what is in the rows: each is taken with the chance that is still needed. A row
// of weight 2 is two rows of weight 1, of which one or both may be taken.
std::vector<std::uint32_t> Booster::draw_rows(std::int64_t round) {
  const std::uint64_t key = stream_key({rules_.seed, kRows, static_cast<std::uint64_t>(round)});
  const bool units = !weights_.weight.empty() && weights_.whole;
  const auto copies = [&](std::uint32_t row) { return units ? static_cast<std::size_t>(weights_.weight[row]) : 1; };
  std::size_t left = 0, at = 0;
  for (const std::uint32_t row : by_content_) left += copies(row);
  std::size_t needed = std::max<std::size_t>(1, std::llround(rules_.subsample * double(left)));
  drawn_weight_.assign(units ? table_.n_rows : 0, 0.0);
  std::vector<std::uint32_t> sample;
  for (const std::uint32_t row : by_content_) {
    std::size_t taken = 0;
    for (std::size_t copy = copies(row); copy > 0; --copy, ++at, --left)
      if (unit_number(drawn(key, at)) * double(left) < double(needed)) ++taken, --needed;
    if (taken) sample.push_back(row);
    if (units) drawn_weight_[row] = double(taken);
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

// What is drawn depends on what is in the rows, not on where they stand in the table.
std::vector<std::uint32_t> Booster::order_rows() const {
  bool wide = false;
  for (const BinnedColumn& column : table_.columns)
    wide = wide || (!column.is_narrow() && column.kind == Kind::nominal);
  if (!wide && rules_.subsample >= 1) return {};
  Target target;
  target.numbers = task_.labels.y.data();
  target.rows.assign(task_.rows.begin(), task_.rows.end());
  if (!task_.labels.weight.empty()) {  // equal rows stand by their weight
    target.weight.resize(table_.n_rows);
    for (const std::uint32_t row : task_.rows)
      target.weight[row] = std::bit_cast<std::int64_t>(task_.labels.weight[row]);  // in the order of the numbers
  }
  return rows_by_content(*task_.table, target, workers_);
}

// The part of each row, for the order of levels; kParts where a row is not learnt from. Equal rows are neighbours, so
// that they stand in one part (but for the two at its ends).
std::vector<std::uint8_t> Booster::deal_rows() const {
  std::vector<std::uint8_t> part(table_.n_rows, LevelCodes::kParts);
  for (std::size_t i = 0; i < by_content_.size(); ++i)
    part[by_content_[i]] = static_cast<std::uint8_t>(i * LevelCodes::kParts / by_content_.size());
  return part;
}

void Booster::find_gradients(std::uint32_t output) {
  workers_.run((table_.n_rows + kBlock - 1) / kBlock, [&](std::size_t block, int) {
    const std::size_t begin = block * kBlock, end = std::min(table_.n_rows, begin + kBlock);
    loss_->gradients(output, raw_[output].data(), begin, end, gradients_.gradient.data(), gradients_.hessian.data());
  });
}

template <class Word>
SmallTree Booster::grow_tree(BoostedTreeGrower<Word>& grower, const Units& units, std::uint32_t output,
                             std::int64_t round) {
  if (level_codes_.is_needed(output)) {
    HugeVector<WideWord> words;  // all rows, whatever the tree is grown from
    if (round == 0) make_words(gradients_, weights_, units, task_.rows, words, workers_);
    level_codes_.code(output, words, units, workers_);
  }
  const RowWeights weights = drawn_weight_.empty() ? weights_ : RowWeights{drawn_weight_, true, weights_.count};
  WordTotals totals = make_words(gradients_, weights, units, sample_, grower.words(), workers_);
  totals.add_those_of(*table_.peers);
  const FixedRules fixed = fix_rules(rules_, units, totals);
  grower.grow(fixed, sample_, totals.sum, stream_key({rules_.seed, kTrees, static_cast<std::uint64_t>(round), output}),
              loss_->largest_step());
  answer_leaves(grower, fixed, output);
  add_to_others(grower.nodes(), output);
  return write_small_tree(grower.nodes(), table_, fixed);
}

// Values of the leaves, and what they add to the scores of their rows.
template <class Word>
void Booster::answer_leaves(BoostedTreeGrower<Word>& grower, const FixedRules& fixed, std::uint32_t output) {
  auto& nodes = grower.nodes();
  double* raw = raw_[output].data();
  workers_.run(nodes.size(), [&](std::size_t number, int) {
    BoostedNode& node = nodes[number];
    if (!node.is_leaf()) return;
    const auto rows = grower.rows_of(node);
    const double value = loss_->refines() ? loss_->leaf_value(rows, raw) : fixed.newton(node.sum) * fixed.value_unit();
    node.value = rules_.learning_rate * std::clamp(value, node.low, node.high);
    for (const std::uint32_t row : rows) raw[row] += node.value;
  });
}

void Booster::add_to_others(const std::vector<BoostedNode>& nodes, std::uint32_t output) {
  double* raw = raw_[output].data();
  workers_.run((others_.size() + kBlock - 1) / kBlock, [&](std::size_t block, int) {
    const std::size_t begin = block * kBlock, end = std::min(others_.size(), begin + kBlock);
    for (std::size_t i = begin; i < end; ++i) raw[others_[i]] += nodes[leaf_of(nodes, table_, others_[i])].value;
  });
}

// The mean loss of the rows that judge: held out, or else those that are learnt from.
double Booster::judge() const {
  const bool own = task_.held_out.empty();
  const auto rows = own ? task_.rows : task_.held_out;
  const auto weight = own ? task_.labels.weight : task_.held_out_weight;
  const std::size_t n_blocks = (rows.size() + kBlock - 1) / kBlock;
  const auto weight_of = [&](std::size_t i) { return weight.empty() ? 1.0 : weight[rows[i]]; };
  std::vector<double> losses(rows.size());
  workers_.run(n_blocks, [&](std::size_t block, int) {
    for (std::size_t i = block * kBlock; i < std::min(rows.size(), (block + 1) * kBlock); ++i)
      losses[i] = weight_of(i) * loss_->of_row(raw_, rows[i]);
  });
  return sum_in_any_order(rows.size(), [&](std::size_t i) { return losses[i]; }) /
         sum_in_any_order(rows.size(), weight_of);
}

// No round of the last `patience` was better than all before them by more than the tolerance.
bool Booster::has_stalled() const {
  const auto& losses = result_.losses;
  const auto patience = static_cast<std::size_t>(rules_.patience);
  if (losses.size() <= patience) return false;
  const auto recent = losses.end() - static_cast<std::ptrdiff_t>(patience);
  return *std::min_element(recent, losses.end()) >= *std::min_element(losses.begin(), recent) - rules_.tolerance;
}

Boosted boost(BoostTask task, const BoostRules& rules, Workers& workers, Progress& progress) {
  return Booster(std::move(task), rules, workers).run(progress);
}

}  // namespace tw

#include "ensemble/blended_trees.hpp"

#include <algorithm>  // for fill, replace_copy, sort, stable_sort, unique
#include <cmath>      // for isnan

#include "base/vectors.hpp"
#include "ensemble/small_tree.hpp"

namespace tw {
namespace {

constexpr std::size_t kLine = 64;  // bytes of a line of the cache
constexpr std::uint32_t kNone = 0xffffffffu;

// The different thresholds of each column, in order.
std::vector<std::vector<double>> cuts_of(std::span<const SmallTree> trees, std::size_t n_columns) {
  std::vector<std::vector<double>> cuts(n_columns);
  for (const SmallTree& tree : trees)
    for (std::size_t i = 0; i < tree.column.size(); ++i)
      if (!std::isnan(tree.threshold[i])) cuts[tree.column[i]].push_back(tree.threshold[i]);
  for (std::vector<double>& of_column : cuts) {
    std::sort(of_column.begin(), of_column.end());
    of_column.erase(std::unique(of_column.begin(), of_column.end()), of_column.end());
  }
  return cuts;
}

}  // namespace

void BlendingRoom::fit(const Size& size) {
  size_ = size;
  const std::size_t n_bytes = (2 * size.columns + size.level_tests) * kBlendedRows;
  room_.resize(n_bytes + size.slots * kBlendedRows + kLine);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(room_.data()) % kLine;
  bytes_ = room_.data() + (kLine - beyond) % kLine;
  slots_ = reinterpret_cast<std::uint8_t*>(bytes_ + n_bytes);
  levels_.resize(size.level_columns * kBlendedRows);
  compared.resize(2 * size.columns + size.level_tests);
  for (std::size_t i = 0; i < size.level_tests; ++i) compared[2 * size.columns + i] = answers(i);
}

bool BlendedTrees::fit(std::span<const SmallTree> trees, std::size_t n_columns) {
  for (const std::vector<double>& cuts : cuts_of(trees, n_columns))
    if (cuts.size() > ByteCoder::kMostCuts) return false;
  return true;
}

// Makes the passes of one tree after the other.
class BlendedTrees::Compiler {
 public:
  Compiler(BlendedTrees& to, std::vector<std::uint32_t> coder_of)
      : to_(to), coder_of_(std::move(coder_of)), level_column_of_(coder_of_.size(), kNone) {}

  void add(const SmallTree& tree) {
    Program program{to_.passes_.size(), to_.runs_.size(), 0, to_.level_tests_.size(), 0, 0};
    read(tree);
    join_passes();
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (!nodes_[i].is_leaf && !nodes_[i].joined) order.push_back(i);
    // Children first; passes of one kind in a row, so that the processor foresees what comes.
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return nodes_[a].height != nodes_[b].height ? nodes_[a].height < nodes_[b].height
                                                  : nodes_[a].kind < nodes_[b].kind;
    });
    n_slots_ = 0;
    for (const std::uint32_t i : order) emit(nodes_[i], program);
    program.answer = nodes_[0].place;
    program.n_level_tests = to_.level_tests_.size() - program.first_level_test;
    to_.size_.slots = std::max(to_.size_.slots, n_slots_);
    to_.size_.level_tests = std::max(to_.size_.level_tests, program.n_level_tests);
    to_.programs_.push_back(program);
  }

 private:
  struct Node {
    bool is_leaf, joined = false;  // joined: with the pass of its parent
    Kind kind = two_leaves;
    std::int8_t largest_left = 0;
    std::uint16_t place = 0;  // the number of the leaf; the slot of the answer
    std::uint32_t compared = 0, left = 0, right = 0, height = 0;
  };

  void read(const SmallTree& tree) {
    const auto second = second_children(tree.test);
    nodes_.clear();
    std::size_t inner = 0;
    std::uint32_t by_levels = 0;
    std::uint16_t leaf = 0;
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
      Node& node = nodes_.emplace_back();
      node.is_leaf = is_leaf(tree.test[i]);
      if (node.is_leaf) {
        node.place = leaf++;
        continue;
      }
      const bool missing_right = missing_takes_second(tree.test[i]);
      const auto column = static_cast<std::size_t>(tree.column[inner]);
      if (kind_of(tree.test[i]) == TestKind::levels)
        node.compared = static_cast<std::uint32_t>(2 * to_.coders_.size()) + by_levels,
        add_level_test(column, to_.sets_.add(tree, by_levels++, missing_right));
      else
        node.compared = 2 * coder_of_[column] + missing_right,
        node.largest_left = to_.coders_[coder_of_[column]].largest_first(tree.threshold[inner]);
      node.left = i + 1, node.right = second[i];
      ++inner;
    }
  }

  void add_level_test(std::size_t column, std::uint32_t set) {
    if (level_column_of_[column] == kNone) {
      level_column_of_[column] = static_cast<std::uint32_t>(to_.level_columns_.size());
      to_.level_columns_.push_back(static_cast<std::int32_t>(column));
    }
    to_.level_tests_.push_back({level_column_of_[column], set});
  }

  // From the last node to the first: children come before their parents.
  void join_passes() {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      Node& node = nodes_[i];
      if (node.is_leaf) continue;
      Node &left = nodes_[node.left], &right = nodes_[node.right];
      node.height = 1 + std::max(left.height, right.height);
      node.kind = left.is_leaf ? right.is_leaf ? two_leaves : left_leaf : right.is_leaf ? right_leaf : two_slots;
      if (node.kind != two_slots || left.kind != right.kind) continue;
      if (left.kind != two_leaves && left.kind != two_slots) continue;
      node.kind = left.kind == two_leaves ? four_leaves : four_slots;
      left.joined = right.joined = true;
    }
  }

  void emit(Node& node, Program& program) {
    const Node &left = nodes_[node.left], &right = nodes_[node.right];
    Pass pass{{node.largest_left}, {node.compared}, 0, {left.place, right.place}};
    if (left.joined) {
      pass.largest_left[1] = left.largest_left, pass.largest_left[2] = right.largest_left;
      pass.compared[1] = left.compared, pass.compared[2] = right.compared;
      pass.operand[0] = nodes_[left.left].place, pass.operand[1] = nodes_[left.right].place;
      pass.operand[2] = nodes_[right.left].place, pass.operand[3] = nodes_[right.right].place;
    }
    const bool new_slot = node.kind == two_leaves || node.kind == four_leaves;
    pass.slot = node.place = new_slot                 ? static_cast<std::uint16_t>(n_slots_++)
                             : node.kind == left_leaf ? pass.operand[1]
                                                      : pass.operand[0];
    if (program.n_runs == 0 || to_.runs_.back().kind != node.kind)
      to_.runs_.push_back({node.kind, 0}), ++program.n_runs;
    ++to_.runs_.back().n_passes;
    to_.passes_.push_back(pass);
  }

  BlendedTrees& to_;
  std::vector<std::uint32_t> coder_of_, level_column_of_;  // by column
  std::vector<Node> nodes_;                                // of the tree at hand, in preorder
  std::size_t n_slots_ = 0;
};

BlendedTrees::BlendedTrees(std::span<const SmallTree> trees, std::size_t n_columns) {
  const auto cuts = cuts_of(trees, n_columns);
  std::vector<std::uint32_t> coder_of(n_columns, 0);
  for (std::size_t c = 0; c < n_columns; ++c) {
    if (cuts[c].empty()) continue;
    coder_of[c] = static_cast<std::uint32_t>(coders_.size());
    coders_.emplace_back(static_cast<std::int32_t>(c), cuts[c]);
  }
  Compiler compiler(*this, std::move(coder_of));
  for (const SmallTree& tree : trees) compiler.add(tree);
  size_.columns = coders_.size(), size_.level_columns = level_columns_.size();
}

std::size_t BlendedTrees::bytes() const {
  std::size_t sum = passes_.size() * sizeof(Pass) + runs_.size() * sizeof(Run) + programs_.size() * sizeof(Program) +
                    level_tests_.size() * sizeof(LevelTest) + sets_.bytes();
  for (const ByteCoder& coder : coders_) sum += coder.bytes();
  return sum;
}

void BlendedTrees::code(const Frame& frame, std::size_t first, std::size_t n, BlendingRoom& room) const {
  room.fit(size_);
  for (std::size_t c = 0; c < coders_.size(); ++c) {
    std::int8_t *codes = room.codes(c), *missing_above = room.missing_above(c);
    const bool any_missing = coders_[c].code_rows(frame.columns[coders_[c].column()], first, n, codes);
    room.compared[2 * c] = codes;
    room.compared[2 * c + 1] = any_missing ? missing_above : codes;
    if (any_missing)
      std::replace_copy(codes, codes + kBlendedRows, missing_above, ByteCoder::kMissing, std::int8_t{127});
  }
  for (std::size_t c = 0; c < level_columns_.size(); ++c) {
    const FrameColumn& values = frame.columns[level_columns_[c]];
    for (std::size_t i = 0; i < n; ++i) room.levels(c)[i] = level_of(values.at(first + i));
  }
}

namespace {

// What is blended: the leaves below a child that was blended before, or one leaf for all rows.
struct Slot {
  const std::uint8_t* leaves;
  std::uint8_t operator[](std::size_t i) const { return leaves[i]; }
};
struct Leaf {
  std::uint8_t number;
  std::uint8_t operator[](std::size_t) const { return number; }
};

// A test of the rows of the block.
struct BlockTest {
  const std::int8_t* codes;
  std::int8_t largest_left;
  bool goes_right(std::size_t i) const { return codes[i] > largest_left; }
};

template <class Left, class Right>
TW_INLINE_LOOP inline void blend(BlockTest test, Left left, Right right, std::uint8_t* to) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < kBlendedRows; ++i) {
    const std::uint8_t a = left[i], b = right[i];  // read in any case: only then the loop becomes vectors
    to[i] = test.goes_right(i) ? b : a;
  }
}

template <class Below>
TW_INLINE_LOOP inline void blend_three(const BlockTest test[3], const Below below[4], std::uint8_t* to) {
  const BlockTest top = test[0], left = test[1], right = test[2];
  const Below a = below[0], b = below[1], c = below[2], d = below[3];
#pragma GCC ivdep
  for (std::size_t i = 0; i < kBlendedRows; ++i) {
    const std::uint8_t ai = a[i], bi = b[i], ci = c[i], di = d[i];
    const std::uint8_t on_left = left.goes_right(i) ? bi : ai, on_right = right.goes_right(i) ? di : ci;
    to[i] = top.goes_right(i) ? on_right : on_left;
  }
}

}  // namespace

template <BlendedTrees::Kind kKind>
TW_INLINE_LOOP inline void BlendedTrees::run(const Pass* pass, std::size_t n, BlendingRoom& room) {
  const auto slot = [&](std::uint16_t operand) { return Slot{room.slot(operand)}; };
  const auto leaf = [](std::uint16_t operand) { return Leaf{static_cast<std::uint8_t>(operand)}; };
  for (const Pass* end = pass + n; pass < end; ++pass) {
    std::uint8_t* to = room.slot(pass->slot);
    const std::uint16_t* of = pass->operand;
    const BlockTest test{room.compared[pass->compared[0]], pass->largest_left[0]};
    if constexpr (kKind == two_leaves) blend(test, leaf(of[0]), leaf(of[1]), to);
    if constexpr (kKind == left_leaf) blend(test, leaf(of[0]), slot(of[1]), to);
    if constexpr (kKind == right_leaf) blend(test, slot(of[0]), leaf(of[1]), to);
    if constexpr (kKind == two_slots) blend(test, slot(of[0]), slot(of[1]), to);
    if constexpr (kKind == four_leaves || kKind == four_slots) {
      const BlockTest tests[3]{test,
                               {room.compared[pass->compared[1]], pass->largest_left[1]},
                               {room.compared[pass->compared[2]], pass->largest_left[2]}};
      const auto below = [&](int i) {
        if constexpr (kKind == four_leaves)
          return leaf(of[i]);
        else
          return slot(of[i]);
      };
      const decltype(below(0)) four[4]{below(0), below(1), below(2), below(3)};
      blend_three(tests, four, to);
    }
  }
}

const std::uint8_t* BlendedTrees::leaves(std::size_t tree, BlendingRoom& room) const {
  const Program& program = programs_[tree];
  if (program.n_runs == 0) std::fill(room.slot(0), room.slot(1), std::uint8_t{0});  // one leaf alone
  for (std::size_t i = 0; i < program.n_level_tests; ++i) {
    const LevelTest& test = level_tests_[program.first_level_test + i];
    sets_.go_right(test.set, room.levels(test.column), kBlendedRows, room.answers(i));
  }
  with_widest_vectors([&]() TW_INLINE_LOOP {
    const Pass* pass = passes_.data() + program.first_pass;
    for (const Run *at = runs_.data() + program.first_run, *end = at + program.n_runs; at < end; ++at) {
      switch (at->kind) {
        case two_leaves:
          run<two_leaves>(pass, at->n_passes, room);
          break;
        case left_leaf:
          run<left_leaf>(pass, at->n_passes, room);
          break;
        case right_leaf:
          run<right_leaf>(pass, at->n_passes, room);
          break;
        case two_slots:
          run<two_slots>(pass, at->n_passes, room);
          break;
        case four_leaves:
          run<four_leaves>(pass, at->n_passes, room);
          break;
        default:
          run<four_slots>(pass, at->n_passes, room);
      }
      pass += at->n_passes;
    }
  });
  return room.slot(program.answer);
}

}  // namespace tw

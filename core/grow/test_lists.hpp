// The lists beside the nodes that describe their tests, while a tree is written: surrogates and competitors.
#pragma once

#include <initializer_list>  // for initializer_list
#include <utility>           // for move
#include <vector>            // for vector

#include "grow/growing_node.hpp"
#include "tree/tree.hpp"

namespace tw {

// A NodeList that is filled node by node.
class ListWriter {
 public:
  ListWriter(const char* name, std::initializer_list<const char*> fields) {
    list_.name = name;
    list_.start.push_back(0);
    for (const char* field : fields) list_.fields.emplace_back(field, std::vector<double>());
  }

  void add(std::initializer_list<double> numbers) {
    std::size_t f = 0;
    for (const double number : numbers) list_.fields[f++].second.push_back(number);
  }
  void end_node() { list_.start.push_back(static_cast<std::int64_t>(list_.fields[0].second.size())); }
  std::int64_t entries_of_node() const {
    return static_cast<std::int64_t>(list_.fields[0].second.size()) - list_.start.back();
  }
  // A list without entries is not stored.
  void move_into(Tree& tree) {
    if (list_.start.back() > 0) tree.lists.push_back(std::move(list_));
  }

 private:
  NodeList list_;
};

class SurrogateLists {
 public:
  void add(const Surrogate& s) {
    const auto which = double(tests_.entries_of_node());
    tests_.add({double(s.column), s.threshold, double(s.flip), s.agreement, s.adjusted});
    for (const auto& [code, branch] : s.levels) levels_.add({which, double(code), double(branch)});
  }
  void end_node() { tests_.end_node(), levels_.end_node(); }
  void move_into(Tree& tree) { tests_.move_into(tree), levels_.move_into(tree); }

 private:
  ListWriter tests_{"surrogate", {"column", "threshold", "flip", "agreement", "adjusted"}};
  ListWriter levels_{"surrogate_level", {"which", "level", "branch"}};
};

class CompetitorLists {
 public:
  void add(const Competitor& c) {
    const auto which = double(tests_.entries_of_node());
    tests_.add({double(c.column), c.threshold, c.improvement});
    for (const LevelBranch& level : c.levels) levels_.add({which, double(level.code), double(level.branch)});
  }
  void end_node() { tests_.end_node(), levels_.end_node(); }
  void move_into(Tree& tree) { tests_.move_into(tree), levels_.move_into(tree); }

 private:
  ListWriter tests_{"candidate", {"column", "threshold", "improvement"}};
  ListWriter levels_{"candidate_level", {"which", "level", "branch"}};
};

}  // namespace tw

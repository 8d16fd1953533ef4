// Cells: what a test knows about groups of rows. One cell a category at first; cells add up when groups merge.
// The kinds of target (nominal, ordinal, numeric) differ in what a cell holds and in how cells are compared.
#pragma once

#include <cstdint>  // for uint32_t
#include <span>     // for span

#include "grow/chaid/answer.hpp"

namespace tw::chaid {

using Slot = std::uint32_t;  // a cell's place

class Cells {
 public:
  virtual ~Cells() = default;

  virtual void clear(Slot slot) = 0;
  virtual void add(Slot to, Slot from) = 0;
  virtual double weight(Slot slot) const = 0;
  // By what the levels of a wide column are put in order before they are divided in two.
  virtual double rate(Slot slot) const = 0;

  // Is the target distributed alike in these groups?
  virtual Answer compare(std::span<const Slot> slots) const = 0;

  // The same of two groups, without the p-value: statistics come cheap, tails do not. finish() adds it.
  virtual Answer pair_statistic(Slot a, Slot b) const = 0;
  virtual void finish(Answer& answer) const = 0;

  Answer compare_pair(Slot a, Slot b) const {
    Answer answer = pair_statistic(a, b);
    finish(answer);
    return answer;
  }
};

}  // namespace tw::chaid

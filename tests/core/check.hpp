// TEST(name) { CHECK(condition); } and no framework. Every failed check is told; main.cpp runs all tests.
#pragma once

#include <cstdio>  // for fprintf
#include <vector>  // for vector

#include "base/vectors.hpp"

namespace tw::tests {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}

struct Listed {
  Listed(const char* name, void (*run)()) { all_tests().push_back({name, run}); }
};

inline long n_checks = 0, n_failed = 0;
constexpr long kMostTold = 20;  // failures; the others are counted

inline void check(bool holds, const char* what, const char* file, int line) {
  ++n_checks;
  if (!holds && ++n_failed <= kMostTold)
    std::fprintf(stderr, "%s:%d: with vectors '%s' this does not hold: %s\n", file, line, name_of(vectors_in_use()),
                 what);
}

}  // namespace tw::tests

#define CHECK(condition) ::tw::tests::check(static_cast<bool>(condition), #condition, __FILE__, __LINE__)
#define TEST(name)                                       \
  static void name();                                    \
  static const ::tw::tests::Listed name##_(#name, name); \
  static void name()

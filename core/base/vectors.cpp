#include "base/vectors.hpp"

#include <algorithm>  // for find

#include "base/error.hpp"

namespace tw {
namespace {

constexpr Vectors kAll[] = {Vectors::baseline, Vectors::avx2, Vectors::avx512, Vectors::neon};

bool processor_has(Vectors level) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (level == Vectors::avx2) return avx2;
  if (level == Vectors::avx512) return avx2 && avx512;
#elif defined(__aarch64__)
  if (level == Vectors::neon) return true;
#endif
  return level == Vectors::baseline;
}

std::string listed(const std::vector<Vectors>& levels) {
  std::string text;
  for (const Vectors level : levels) text += (text.empty() ? "" : ", ") + std::string(name_of(level));
  return text;
}

Vectors level_named(const std::string& name) {
  for (const Vectors level : kAll)
    if (name == name_of(level)) return level;
  throw BadInput("TREEWRIGHT_VECTORS is '" + name + "', which is no level of vectors. This processor has " +
                 listed(levels_of_processor()) + "; without the variable the last of these is used.");
}

}  // namespace

const char* name_of(Vectors level) {
  constexpr const char* kNames[] = {"baseline", "avx2", "avx512", "neon"};
  return kNames[static_cast<int>(level)];
}

std::vector<Vectors> levels_of_processor() {
  std::vector<Vectors> levels;
  for (const Vectors level : kAll)
    if (processor_has(level)) levels.push_back(level);
  return levels;
}

void use_vectors(const std::string& name) {
  const std::vector<Vectors> levels = levels_of_processor();
  const Vectors level = name.empty() ? levels.back() : level_named(name);
  if (std::find(levels.begin(), levels.end(), level) == levels.end())
    throw BadInput("TREEWRIGHT_VECTORS is '" + name + "', but this processor has only " + listed(levels) +
                   ". Unset it, or choose one of these.");
  vectors_detail::in_use = level;
}

}  // namespace tw

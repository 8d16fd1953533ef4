// Runs every test. With a path behind it: writes the checksums of grown models there as well, to be compared with those
// of another processor.
#include <cstdio>  // for fopen, fprintf

#include "check.hpp"
#include "models.hpp"

int main(int n_arguments, char** arguments) {
  using namespace tw::tests;
  tw::use_vectors("");
  for (const Test& test : all_tests()) {
    const long failed = n_failed;
    test.run();
    if (n_failed > failed) std::fprintf(stderr, "FAILED: %s\n", test.name);
  }
  const char* path = n_arguments > 1 ? arguments[1] : nullptr;
  std::FILE* file = path ? std::fopen(path, "w") : nullptr;
  if (path && !file) return std::fprintf(stderr, "%s cannot be written\n", path), 2;
  for (const auto& [name, sum] : checksums_of_models())
    if (file) std::fprintf(file, "%016llx %s\n", static_cast<unsigned long long>(sum), name.c_str());
  if (file && std::fclose(file) != 0) return std::fprintf(stderr, "%s cannot be written\n", path), 2;
  std::printf("%zu tests at the levels", all_tests().size());
  for (const tw::Vectors level : tw::levels_of_processor()) std::printf(" %s", name_of(level));
  std::printf(": %ld checks, %ld failed\n", n_checks, n_failed);
  return n_failed > 0;
}

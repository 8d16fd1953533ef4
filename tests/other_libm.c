// Another mathematical library, to be loaded before the usual one: half of all results are off by one unit in the last
// place, as those of another system may be. Whole numbers stay what they are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static double nudged(double x, double y) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const unsigned chance = (unsigned)((bits * 0x9E3779B97F4A7C15u) >> 62);
  if (!isfinite(y) || y == rint(y) || chance > 1) return y;
  const int kept = errno;  // a tiny result is none of the caller's errors
  const double next = nextafter(y, chance ? INFINITY : -INFINITY);
  errno = kept;
  return next;
}

#define OF_ONE(name)                                                                   \
  double name(double x) {                                                              \
    static double (*usual)(double);                                                    \
    if (!usual) usual = (double (*)(double))dlsym(RTLD_NEXT, #name);                    \
    return nudged(x, usual(x));                                                        \
  }
OF_ONE(exp) OF_ONE(expm1) OF_ONE(log) OF_ONE(log1p) OF_ONE(log2) OF_ONE(log10)
OF_ONE(sin) OF_ONE(cos) OF_ONE(tanh) OF_ONE(erf) OF_ONE(erfc) OF_ONE(lgamma)

double pow(double x, double y) {
  static double (*usual)(double, double);
  if (!usual) usual = (double (*)(double, double))dlsym(RTLD_NEXT, "pow");
  return nudged(x + 3 * y, usual(x, y));
}

static int largest(const double *numbers, int n) {
  int best = 0, i;
  for (i = 1; i < n; ++i)
    if (numbers[i] > numbers[best]) best = i;
  return best;
}

/* e to the power of x = k ln 2 + r by the steps of the model: the library's exp may have other last bits. */
static double power_of_e(double x) {
  static const double parts[] = {1.0 / 87178291200.0, 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0,
                                 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0,
                                 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 1.0 / 2.0};
  double k, high, low, r, rest, small, above, rounded, series = 0.0;
  int i;
  if (isnan(x) || x > 709.782712893384) return isnan(x) ? x : (double)INFINITY;
  if (x < -745.1332191019412) return 0.0;
  k = floor(x * 1.4426950408889634 + 0.5);
  high = x - k * 6.93147180369123816490e-1; /* the first digits of ln 2: the product is exact */
  low = k * 1.90821492927058770002e-10;     /* the next ones */
  r = high - low, rest = (high - r) - low;
  for (i = 0; i < 13; ++i) series = series * r + parts[i];
  small = rest + r * r * series, above = r + small, rounded = 1.0 + above;
  return ldexp(rounded + ((above - (rounded - 1.0)) + (small - (above - r))), (int)k);
}

static double sigmoid(double x) { return x < -700.0 ? power_of_e(x) : 1.0 / (1.0 + power_of_e(-x)); }

static void softmax(double *numbers, int n) {
  const double most = numbers[largest(numbers, n)];
  double total = 0.0;
  int i;
  for (i = 0; i < n; ++i) total += numbers[i] = power_of_e(numbers[i] - most);
  for (i = 0; i < n; ++i) numbers[i] /= total;
}


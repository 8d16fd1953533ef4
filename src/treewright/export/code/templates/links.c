static int largest(const double *numbers, int n) {
  int best = 0, i;
  for (i = 1; i < n; ++i)
    if (numbers[i] > numbers[best]) best = i;
  return best;
}

static void softmax(double *numbers, int n) {
  const double most = numbers[largest(numbers, n)];
  double total = 0.0;
  int i;
  for (i = 0; i < n; ++i) total += numbers[i] = exp(numbers[i] - most);
  for (i = 0; i < n; ++i) numbers[i] /= total;
}


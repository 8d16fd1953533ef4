/* Probabilities that were corrected after training. */
static double line_at(int function, double x) {
  const int first = correction_start[function], last = correction_start[function + 1] - 1;
  int low = first, high = last + 1, at;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (correction_given[middle] <= x) low = middle + 1;
    else high = middle;
  }
  at = low - 1;
  if (at < first) return correction_answer[first];
  if (at == last || correction_given[at] == x) return correction_answer[at];
  return (correction_answer[at + 1] - correction_answer[at]) / (correction_given[at + 1] - correction_given[at]) *
             (x - correction_given[at]) +
         correction_answer[at];
}

static void correct_shares(double *answers) {
  double each[N_ANSWERS], whole = 0.0;
  int i;
  if (CORRECTION == 1) {
    for (i = 0; i < N_ANSWERS; ++i) {
      const double mixed = KEPT * answers[i] + correction_added[CORRECTION == 1 ? i : 0];
      answers[i] = SLOPE * log(mixed < 1e-12 ? 1e-12 : mixed) + correction_bias[CORRECTION == 1 ? i : 0];
    }
    softmax(answers, N_ANSWERS);
  }
  if (CORRECTION != 2) return;
  if (N_FUNCTIONS == 1) {
    const double second = line_at(0, answers[N_ANSWERS - 1]);
    answers[0] = 1.0 - second, answers[N_ANSWERS - 1] = second;
    return;
  }
  for (i = 0; i < N_ANSWERS; ++i) whole += each[i] = line_at(N_FUNCTIONS == 1 ? 0 : i, answers[i]);
  for (i = 0; i < N_ANSWERS && whole > 0.0; ++i) answers[i] = each[i] / whole;
}


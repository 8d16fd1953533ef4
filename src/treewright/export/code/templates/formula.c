/* The formula: inputs are made of cells; units add inputs and earlier units up, term after term. */
enum { LINEAR, RELU, TANH, SIGMOID, EXPIT, SQUARE, EXP, SIN, COS, SMOOTH_CLIP, CURVE, BELLS };

/* Numbers far out are drawn in, within 3. */
static double smooth_clip(double x) {
  const double third = x / 3.0;
  if (x > 1e8) return 3.0;
  return x < -1e8 ? -3.0 : x / sqrt(1.0 + third * third);
}

/* A curve of polynomials, each from its cut up to the next. */
static double along(int at, double x) {
  int piece = unit_pieces[at + 1] - 1, number;
  double total = 0.0, power = 1.0, gap;
  while (piece > unit_pieces[at] && piece_cut[piece] > x) --piece;
  gap = x - piece_origin[piece];
  for (number = piece_numbers[piece]; number < piece_numbers[piece + 1]; ++number) {
    total += piece_number[number] * power;
    power *= gap;
  }
  return total;
}

static double term_of(int at, int bell, double x) {
  const double gap = (x - bell_place[bell]) / unit_width[at];
  return bell_log[bell] - 0.5 * (gap * gap);
}

/* The logarithm of a sum of bells. */
static double over(int at, double x) {
  double highest = -(double)INFINITY, total = 0.0;
  int bell;
  for (bell = unit_bells[at]; bell < unit_bells[at + 1]; ++bell)
    if (term_of(at, bell, x) > highest) highest = term_of(at, bell, x);
  for (bell = unit_bells[at]; bell < unit_bells[at + 1]; ++bell) total += power_of_e(term_of(at, bell, x) - highest);
  return highest + log(total);
}

static double shaped(int at, double x) {
  switch (unit_shape[at]) {
    case RELU: return x > 0.0 ? x : 0.0;
    case TANH: return tanh(x);
    case SIGMOID: return 0.5 * tanh(0.5 * x) + 0.5;
    case EXPIT: return sigmoid(x);
    case SQUARE: return x * x;
    case EXP: return power_of_e(x);
    case SIN: return sin(x);
    case COS: return cos(x);
    case SMOOTH_CLIP: return smooth_clip(x);
    case CURVE: return along(at, x);
    case BELLS: return over(at, x);
    default: return x;
  }
}

static double input_of(int at, double x) {
  if (input_level[at] < 0) x = isnan(x) ? 1.0 : 0.0;
  else if (isnan(x)) x = input_fill[at];
  else if (input_level[at] > 0) x = x == (double)input_level[at] ? 1.0 : 0.0;
  x = (x - input_center[at]) / input_scale[at];
  if (x < -input_reach[at]) return -input_reach[at];
  return x > input_reach[at] ? input_reach[at] : x;
}

static double unit_of(int at, const double *x, const double *values) {
  double total = 0.0;
  int term;
  if (unit_gate[at] >= 0 && isnan(x[unit_gate[at]])) return 0.0;
  for (term = unit_start[at]; term < unit_start[at + 1]; ++term)
    if (values[term_source[term]] != 0.0) total += term_weight[term] * values[term_source[term]];
  total = shaped(at, total);
  if (unit_times[at] >= 0) total *= values[unit_times[at]];
  return total / unit_divisor[at];
}

static void encode(const $row *row, double *x);

void ${name}_scores(const $row *row, double *scores) {
  double x[N_COLUMNS], values[N_INPUTS + N_UNITS], highest, least;
  int i;
  encode(row, x);
  for (i = 0; i < N_INPUTS; ++i) values[i] = input_of(i, input_column[i] >= 0 ? x[input_column[i]] : (double)NAN);
  for (i = 0; i < N_UNITS; ++i) values[N_INPUTS + i] = unit_of(i, x, values);
  for (i = 0; i < N_SCORES; ++i) scores[i] = values[outputs[i]];
  if (LINK != LINK_BAYES) return;
  highest = scores[largest(scores, N_SCORES)], least = highest - 1e-12 * fabs(highest);
  for (i = 0; i < N_SCORES; ++i)
    if (scores[i] >= least) scores[i] = highest;
}

static void shares(double *numbers, int n) {
  double total = 0.0;
  int i;
  for (i = 0; i < n; ++i) total += numbers[i];
  for (i = 0; i < n; ++i) numbers[i] = total > 0.0 ? numbers[i] / total : 1.0 / n;
}

/* From the scores to what the model answers. */
static void finish(const double *scores, double *answers) {
  const int is_lost = LINK == LINK_BAYES && !(scores[largest(scores, N_SCORES)] > -(double)INFINITY);
  int i;
  if (LINK == LINK_LOGISTIC || LINK == LINK_LOGISTIC_PAIR) {
    const double second = sigmoid(scores[0]);
    answers[0] = LINK == LINK_LOGISTIC ? 1.0 - second : sigmoid(-scores[0]), answers[N_ANSWERS - 1] = second;
    return;
  }
  for (i = 0; i < N_SCORES; ++i)
    answers[i] = is_lost ? fallback[i] : LINK == LINK_EXPIT_SHARES ? sigmoid(scores[i]) : scores[i];
  if (LINK == LINK_SOFTMAX || LINK == LINK_BAYES) softmax(answers, N_SCORES);
  if (LINK == LINK_EXPIT_SHARES) shares(answers, N_SCORES);
}

int ${name}_predict(const $row *row, double *answers) {
  double scores[N_SCORES];
  int label = 0;
  ${name}_scores(row, scores);
  finish(scores, answers);
  if (LABEL_BY == 2) label = scores[0] > 0.0;
  if (LABEL_BY >= 3) label = largest(answers, N_ANSWERS);
  if (LABEL_BY == 3 && scores[largest(scores, N_SCORES)] > -(double)INFINITY) label = largest(scores, N_SCORES);
  correct_shares(answers);
  return label;
}

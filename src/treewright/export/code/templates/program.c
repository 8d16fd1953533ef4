/* The interpreter: a node is a list of rules, asked in order; a rule whose value is missing fails. */
enum { LINK_NODE, LINK_MEAN, LINK_IDENTITY, LINK_LOGISTIC, LINK_SOFTMAX, LINK_EXP, LINK_SAMME, LINK_MEDIAN };
enum { BELOW, ABOVE, MEMBER, KNOWN, SUM_BELOW, SUM_ABOVE };

static double add_term(double total, double *unknown, int term, double x) {
  if (isnan(x)) {
    *unknown += term_share[term];
    return total + term_filler[term];
  }
  if (term_level[term] == 0) return total + term_weight[term] * x;
  return total + (x == (double)term_level[term] ? term_weight[term] : 0.0);
}

static int sum_holds(int sum, int below, const double *x) {
  double total = 0.0, unknown = 0.0;
  int term;
  for (term = sum_start[sum]; term < sum_start[sum + 1]; ++term)
    total = add_term(total, &unknown, term, x[term_column[term]]);
  return unknown <= 0.5 && (total <= sum_cut[sum]) == below;
}

static int is_member(int set, double x) {
  int low = set_start[set], high = set_start[set + 1];
  if (isnan(x)) return 0;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if ((double)set_code[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low < set_start[set + 1] && (double)set_code[low] == x;
}

static int rule_holds(int rule, const double *x) {
  const double number = rule_number[rule];
  switch (rule_kind[rule]) {
    case BELOW: return x[rule_column[rule]] <= number;
    case ABOVE: return x[rule_column[rule]] > number;
    case MEMBER: return is_member((int)number, x[rule_column[rule]]);
    case KNOWN: return !isnan(x[rule_column[rule]]);
    default: return sum_holds((int)number, rule_kind[rule] == SUM_BELOW, x);
  }
}

/* The next node; -1 where the row ends, less where it goes down several branches. */
static int next_node(int node, const double *x) {
  int rule;
  for (rule = rule_start[node]; rule < rule_start[node + 1]; ++rule)
    if (rule_holds(rule, x)) return rule_child[rule];
  return fallback[node];
}

static double node_number(int node, int output, const double *x) {
  const int equation = equation_of[node];
  double total, unknown = 0.0;
  int term;
  if (equation < 0) return answer[answer_of[node] * WIDTH + output];
  total = equation_intercept[equation];
  for (term = equation_start[equation]; term < equation_start[equation + 1]; ++term)
    total = add_term(total, &unknown, term, isfinite(x[term_column[term]]) ? x[term_column[term]] : (double)NAN);
  if (isnan(total)) total = answer[answer_of[node]];
  if (total < equation_lowest[equation]) total = equation_lowest[equation];
  return total > equation_highest[equation] ? equation_highest[equation] : total;
}

/* Adds what a tree says to `numbers`; gives the node in which the row ends, or -1 where it ends in several. */
static int ask_tree(int tree, const double *x, double *numbers) {
  int waiting_node[MOST_WAITING], waiting = 0, ends = 0, last = 0, output;
  double waiting_share[MOST_WAITING];
  waiting_node[waiting] = root[tree], waiting_share[waiting++] = 1.0;
  for (output = 0; output < WIDTH; ++output) numbers[output] = 0.0;
  while (waiting > 0) {
    int node = waiting_node[--waiting], after;
    const double share = waiting_share[waiting];
    while ((after = next_node(node, x)) >= 0) node = after;
    if (after < -1) {
      const int list = -2 - after;
      int piece;
      for (piece = piece_start[list + 1]; piece-- > piece_start[list];)
        waiting_node[waiting] = piece_child[piece], waiting_share[waiting++] = share * piece_share[piece];
      continue;
    }
    for (output = 0; output < WIDTH; ++output) {
      const double number = share == 1.0 ? node_number(node, output, x) : share * node_number(node, output, x);
      numbers[output] = ends == 0 ? number : numbers[output] + number;
    }
    ++ends, last = node;
  }
  return ends == 1 ? last - root[tree] : -1;
}

/* What AdaBoost's votes mean: a class gets its share of the say, less what chance would give. */
static void samme(const double *votes, double *answers) {
  const double others = N_ANSWERS - 1;
  int i;
  for (i = 0; i < N_ANSWERS; ++i) answers[i] = others > 0 ? (votes[i] * N_ANSWERS / ALL_VOTES - 1) / others : 0.0;
  if (N_ANSWERS == 2) {
    const double ahead = answers[N_ANSWERS - 1] - answers[0];
    answers[0] = -ahead / 2, answers[N_ANSWERS - 1] = ahead / 2;
  } else {
    for (i = 0; i < N_ANSWERS; ++i) answers[i] = others > 0 ? answers[i] / others : 0.0;
  }
  softmax(answers, N_ANSWERS);
}

/* The smallest number so that the numbers up to it have half of all say. */
static double median(const double *numbers) {
  int order[N_OUTPUTS], i, j;
  double below[N_OUTPUTS], total = 0.0;
  for (i = 0; i < N_OUTPUTS; ++i) {
    for (j = i; j > 0 && numbers[order[j - 1]] > numbers[i]; --j) order[j] = order[j - 1];
    order[j] = i;
  }
  for (i = 0; i < N_OUTPUTS; ++i) below[i] = total += says[LINK == LINK_MEDIAN ? order[i] : 0];
  for (i = 0; i < N_OUTPUTS - 1 && !(below[i] >= 0.5 * total); ++i) continue;
  return numbers[order[i]];
}

/* From the sums over all trees to what the model answers. */
static void finish(const double *sums, double *answers) {
  const int n = N_OUTPUTS < N_ANSWERS ? N_OUTPUTS : N_ANSWERS;
  int i;
  if (LINK == LINK_MEDIAN) {
    answers[0] = median(sums);
    return;
  }
  if (LINK == LINK_SAMME) {
    samme(sums, answers);
    return;
  }
  for (i = 0; i < n; ++i) answers[i] = LINK == LINK_MEAN ? sums[i] / N_TREES : sums[i];
  if (LINK == LINK_EXP) answers[0] = power_of_e(answers[0]);
  if (LINK == LINK_SOFTMAX) softmax(answers, n);
  if (LINK == LINK_LOGISTIC) {
    const double second = sigmoid(sums[0]);
    answers[0] = 1.0 - second, answers[N_ANSWERS - 1] = second;
  }
}

static void encode(const $row *row, double *x);

/* The sums over all trees; gives the node of the last tree, -1 where the row ends in several. */
static int add_trees(const double *x, double *sums) {
  double numbers[WIDTH];
  int tree, output, node = 0;
  for (output = 0; output < N_OUTPUTS; ++output) sums[output] = start[output];
  for (tree = 0; tree < N_TREES; ++tree) {
    node = ask_tree(tree, x, numbers);
    if (WIDTH == 1) sums[tree % N_OUTPUTS] += numbers[0];
    else
      for (output = 0; output < N_OUTPUTS; ++output) sums[output] += numbers[output % WIDTH];
  }
  return node;
}

static int label_from(int node, const double *sums, const double *answers) {
  switch (LABEL_BY) {
    case 1: return node >= 0 ? label_of[node % N_LABELLED] : largest(answers, N_ANSWERS);
    case 2: return sums[0] > 0.0;
    case 3: return largest(sums, N_OUTPUTS);
    case 4: return largest(answers, N_ANSWERS);
    default: return 0;
  }
}

int ${name}_predict(const $row *row, double *answers) {
  double x[N_COLUMNS], sums[N_OUTPUTS];
  int node, label;
  encode(row, x);
  node = add_trees(x, sums);
  finish(sums, answers);
  label = label_from(node, sums, answers);
  correct_shares(answers);
  return label;
}

int ${name}_node(const $row *row, int tree) {
  double x[N_COLUMNS], numbers[WIDTH];
  encode(row, x);
  return ask_tree(tree, x, numbers);
}

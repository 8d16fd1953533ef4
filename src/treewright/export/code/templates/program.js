// The interpreter: a node is a list of rules, asked in order; a rule whose value is missing fails.
const [BELOW, ABOVE, MEMBER, KNOWN, SUM_BELOW] = [0, 1, 2, 3, 4];

function addTerm(sum, term, x) {
  if (Number.isNaN(x)) {
    sum.unknown += term_share[term];
    sum.total += term_filler[term];
  } else if (term_level[term] === 0) sum.total += term_weight[term] * x;
  else sum.total += x === term_level[term] ? term_weight[term] : 0;
}

function sumHolds(at, below, x) {
  const sum = { total: 0, unknown: 0 };
  for (let term = sum_start[at]; term < sum_start[at + 1]; ++term) addTerm(sum, term, x[term_column[term]]);
  return sum.unknown <= 0.5 && sum.total <= sum_cut[at] === below;
}

function isMember(set, x) {
  let [low, high] = [set_start[set], set_start[set + 1]];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (set_code[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low < set_start[set + 1] && set_code[low] === x;
}

function ruleHolds(rule, x) {
  const number = rule_number[rule];
  const value = x[rule_column[rule]];
  switch (rule_kind[rule]) {
    case BELOW: return value <= number;
    case ABOVE: return value > number;
    case MEMBER: return isMember(number, value);
    case KNOWN: return !Number.isNaN(value);
    default: return sumHolds(number, rule_kind[rule] === SUM_BELOW, x);
  }
}

// The next node; -1 where the row ends, less where it goes down several branches.
function nextNode(node, x) {
  for (let rule = rule_start[node]; rule < rule_start[node + 1]; ++rule) if (ruleHolds(rule, x)) return rule_child[rule];
  return fallback[node];
}

function nodeNumbers(node, x) {
  const equation = equation_of[node];
  const from = answer_of[node] * WIDTH;
  if (equation < 0) return Array.from(answer.slice(from, from + WIDTH));
  const sum = { total: equation_intercept[equation], unknown: 0 };
  for (let term = equation_start[equation]; term < equation_start[equation + 1]; ++term) {
    const value = x[term_column[term]];
    addTerm(sum, term, Number.isFinite(value) ? value : NaN);
  }
  const total = Number.isNaN(sum.total) ? answer[from] : sum.total;
  if (total < equation_lowest[equation]) return [equation_lowest[equation]];
  return [total > equation_highest[equation] ? equation_highest[equation] : total];
}

// What a tree says, and the node in which the row ends: -1 where it ends in several.
function askTree(tree, x) {
  const waiting = [[root[tree], 1]];
  let [numbers, ends, last] = [null, 0, 0];
  while (waiting.length) {
    let [node, share] = waiting.pop();
    let after;
    while ((after = nextNode(node, x)) >= 0) node = after;
    if (after < -1) {
      const list = -2 - after;
      for (let piece = piece_start[list + 1]; piece-- > piece_start[list]; )
        waiting.push([piece_child[piece], share * piece_share[piece]]);
      continue;
    }
    const said = nodeNumbers(node, x).map((number) => (share === 1 ? number : share * number));
    numbers = numbers === null ? said : numbers.map((number, i) => number + said[i]);
    ends += 1;
    last = node;
  }
  return [numbers, ends === 1 ? last - root[tree] : -1];
}

// What AdaBoost's votes mean: a class gets its share of the say, less what chance would give.
function samme(votes) {
  const others = N_ANSWERS - 1;
  const decision = votes.map((vote) => (others > 0 ? ((vote * N_ANSWERS) / ALL_VOTES - 1) / others : 0));
  if (N_ANSWERS === 2) {
    const ahead = decision[1] - decision[0];
    return softmax([-ahead / 2, ahead / 2]);
  }
  return softmax(decision.map((number) => (others > 0 ? number / others : 0)));
}

// The smallest number so that the numbers up to it have half of all say.
function median(numbers) {
  const order = numbers.map((_, i) => i).sort((a, b) => numbers[a] - numbers[b]);
  let total = 0;
  const below = order.map((i) => (total += says[i]));
  return numbers[order[below.findIndex((part) => part >= 0.5 * total)]];
}

// From the sums over all trees to what the model answers.
function finish(sums) {
  if (LINK === "samme") return samme(sums);
  if (LINK === "median") return [median(sums)];
  if (LINK === "mean") return sums.map((sum) => sum / N_TREES);
  if (LINK === "exp") return [exp(sums[0])];
  if (LINK === "softmax") return softmax(sums);
  if (LINK !== "logistic") return sums;
  const second = expit(sums[0]);
  return [1 - second, second];
}

function ask(row) {
  const x = encode(row);
  const sums = Array.from(start);
  let node = 0;
  for (let tree = 0; tree < N_TREES; ++tree) {
    const [numbers, at] = askTree(tree, x);
    node = at;
    if (WIDTH === 1) sums[tree % N_OUTPUTS] += numbers[0];
    else for (let i = 0; i < N_OUTPUTS; ++i) sums[i] += numbers[i];
  }
  return { sums, node, answers: finish(sums) };
}

function classOf({ sums, node, answers }) {
  if (LABEL_BY === "node") return node >= 0 ? label_of[node] : largest(answers);
  if (LABEL_BY === "sign") return sums[0] > 0 ? 1 : 0;
  return largest(LABEL_BY === "sums" ? sums : answers);
}

/** The class of a row, or the number that it is answered with. */
export function predict(row) {
  const asked = ask(row);
  return labels === null ? asked.answers[0] : labels[classOf(asked)];
}

/** The probability of each class, in the order of `labels`; for numbers the answer alone. */
export function predictProba(row) {
  return corrected(ask(row).answers);
}

/** The number of the node in which the row ends in each tree; -1 where it ends in several. */
export function nodes(row) {
  const x = encode(row);
  return Array.from(root, (_, tree) => askTree(tree, x)[1]);
}

export { columns, labels };

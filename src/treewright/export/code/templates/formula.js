// The formula: inputs are made of cells; units add inputs and earlier units up, term after term.
// Numbers far out are drawn in, within 3.
function smoothClip(x) {
  if (Math.abs(x) > 1e8) return x > 0 ? 3 : -3;
  return x / Math.sqrt(1 + (x / 3) * (x / 3));
}

const shapes = [
  (x) => x,
  (x) => (x > 0 ? x : 0),
  Math.tanh,
  (x) => 0.5 * Math.tanh(0.5 * x) + 0.5,
  expit,
  (x) => x * x,
  exp,
  Math.sin,
  Math.cos,
  smoothClip,
];

function inputOf(at, cell) {
  let x = cell;
  if (input_level[at] < 0) x = Number.isNaN(x) ? 1 : 0;
  else if (Number.isNaN(x)) x = input_fill[at];
  else if (input_level[at] > 0) x = x === input_level[at] ? 1 : 0;
  x = (x - input_center[at]) / input_scale[at];
  return Math.min(Math.max(x, -input_reach[at]), input_reach[at]);
}

// A curve of polynomials, each from its cut up to the next.
function along(at, x) {
  let piece = unit_pieces[at + 1] - 1;
  while (piece > unit_pieces[at] && piece_cut[piece] > x) --piece;
  const gap = x - piece_origin[piece];
  let [total, power] = [0, 1];
  for (let number = piece_numbers[piece]; number < piece_numbers[piece + 1]; ++number) {
    total += piece_number[number] * power;
    power *= gap;
  }
  return total;
}

// The logarithm of a sum of bells.
function over(at, x) {
  const terms = [];
  for (let bell = unit_bells[at]; bell < unit_bells[at + 1]; ++bell) {
    const gap = (x - bell_place[bell]) / unit_width[at];
    terms.push(bell_log[bell] - 0.5 * (gap * gap));
  }
  const highest = terms[largest(terms)];
  return highest + Math.log(terms.reduce((sum, term) => sum + exp(term - highest), 0));
}

function unitOf(at, x, values) {
  if (unit_gate[at] >= 0 && Number.isNaN(x[unit_gate[at]])) return 0;
  let total = 0;
  for (let term = unit_start[at]; term < unit_start[at + 1]; ++term) {
    const value = values[term_source[term]];
    if (value !== 0) total += term_weight[term] * value;
  }
  const shape = unit_shape[at];
  total = shape < shapes.length ? shapes[shape](total) : shape === shapes.length ? along(at, total) : over(at, total);
  if (unit_times[at] >= 0) total *= values[unit_times[at]];
  return total / unit_divisor[at];
}

/** The sums that the answer is made of: one for each class, or one. */
export function scores(row) {
  const x = encode(row);
  const values = Array.from(input_column, (column, at) => inputOf(at, column >= 0 ? x[column] : NaN));
  for (let at = 0; at < unit_shape.length; ++at) values.push(unitOf(at, x, values));
  const found = Array.from(outputs, (place) => values[place]);
  if (LINK !== "bayes") return found;
  const highest = Math.max(...found);
  const least = highest - 1e-12 * Math.abs(highest);
  return found.map((score) => (score >= least ? highest : score));
}

function shares(numbers) {
  const total = numbers.reduce((sum, number) => sum + number, 0);
  return numbers.map((number) => (total > 0 ? number / total : 1 / numbers.length));
}

// From the scores to what the model answers.
function finish(found) {
  if (LINK === "identity") return found;
  if (LINK === "logistic") return [1 - expit(found[0]), expit(found[0])];
  if (LINK === "logistic_pair") return [expit(-found[0]), expit(found[0])];
  if (LINK === "expit_shares") return shares(found.map(expit));
  return softmax(Math.max(...found) > -Infinity ? found : Array.from(fallback));
}

/** The class of a row, or the number that it is answered with. */
export function predict(row) {
  const found = scores(row);
  const answers = finish(found);
  if (labels === null) return answers[0];
  if (LABEL_BY === "sign") return labels[found[0] > 0 ? 1 : 0];
  return labels[largest(LABEL_BY === "sums" && Math.max(...found) > -Infinity ? found : answers)];
}

/** The probability of each class, in the order of `labels`; for numbers the answer alone. */
export function predictProba(row) {
  return corrected(finish(scores(row)));
}

export { columns, labels };

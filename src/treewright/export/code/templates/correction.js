// Probabilities that were corrected after training.
function lineAt(k, x) {
  const [first, last] = [correction_start[k], correction_start[k + 1] - 1];
  let [low, high] = [first, last + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (correction_given[middle] <= x) low = middle + 1;
    else high = middle;
  }
  const at = low - 1;
  if (at < first) return correction_answer[first];
  if (at === last || correction_given[at] === x) return correction_answer[at];
  const slope = (correction_answer[at + 1] - correction_answer[at]) / (correction_given[at + 1] - correction_given[at]);
  return slope * (x - correction_given[at]) + correction_answer[at];
}

function corrected(answers) {
  if (CORRECTION === "softmax") {
    const mixed = answers.map((share, i) => Math.max(KEPT * share + correction_added[i], 1e-12));
    return softmax(mixed.map((share, i) => SLOPE * Math.log(share) + correction_bias[i]));
  }
  if (CORRECTION !== "isotonic") return answers;
  if (correction_start.length === 2) return [1 - lineAt(0, answers[1]), lineAt(0, answers[1])];
  const each = answers.map((share, i) => lineAt(i, share));
  const whole = each.reduce((sum, share) => sum + share, 0);
  return whole > 0 ? each.map((share) => share / whole) : answers;
}


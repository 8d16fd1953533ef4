// The rule of a node in words: the conditions on its path, those on the same column merged into one.
import { HYPERPLANE, INTERVALS, LEVELS, THRESHOLD, formatNumber, pathTo } from "./tree.js";

export function conditionsOf(tree, id) {
  const path = pathTo(tree, id), found = new Map();
  for (let i = 0; i + 1 < path.length; i++) {
    const node = path[i], branch = tree.children[node].indexOf(path[i + 1]);
    const key = tree.arrays.kind[node] === HYPERPLANE ? `sum ${node}` : tree.arrays.column[node];
    found.set(key, narrowed(tree, node, branch, found.get(key)));
  }
  return [...found.values()].map((condition) => words(tree, condition));
}

function narrowed(tree, node, branch, before) {
  const { arrays } = tree, kind = arrays.kind[node], label = tree.answers[path(tree, node, branch)];
  const now = before ?? { column: arrays.column[node], low: -Infinity, high: Infinity, levels: null, plain: null };
  if (kind === HYPERPLANE || arrays.missing_branch[node] === branch && branch >= testBranches(arrays, node))
    return { ...now, plain: `${tree.questions[node]} ${label}` };
  if (kind === LEVELS) {
    const taken = new Set();
    for (let k = arrays.level_start[node]; k < arrays.level_start[node + 1]; k++)
      if (arrays.level_branch[k] === branch && (!now.levels || now.levels.has(arrays.level[k]))) taken.add(arrays.level[k]);
    return { ...now, levels: taken };
  }
  const [low, high] = bounds(arrays, node, branch);
  return { ...now, low: Math.max(now.low, low), high: Math.min(now.high, high) };
}

const path = (tree, node, branch) => tree.children[node][branch];

// How many branches the test itself has; one more may be there for missing values.
function testBranches(arrays, node) {
  if (arrays.kind[node] === THRESHOLD) return Number.isFinite(arrays.threshold[node]) ? 2 : 1;
  if (arrays.kind[node] === INTERVALS) return arrays.interval_start[node + 1] - arrays.interval_start[node];
  let most = -1;
  for (let k = arrays.level_start[node]; k < arrays.level_start[node + 1]; k++) most = Math.max(most, arrays.level_branch[k]);
  return most + 1;
}

function bounds(arrays, node, branch) {
  if (arrays.kind[node] === THRESHOLD)
    return branch === 0 ? [-Infinity, arrays.threshold[node]] : [arrays.threshold[node], Infinity];
  const start = arrays.interval_start[node];
  const at = (b) => (b < 0 ? -Infinity : arrays.interval_upper[start + b] ?? Infinity);
  return [at(branch - 1), start + branch < arrays.interval_start[node + 1] ? at(branch) : Infinity];
}

function words(tree, { column, low, high, levels, plain }) {
  if (plain) return plain;
  const { name, kind, levels: names } = tree.columns[column];
  if (levels) return `${name} is ${listed([...levels].map((code) => names[code - 1]))}`;
  if (kind === "ordinal") {
    const inside = names.filter((_, i) => i + 1 > low && i + 1 <= high);
    return `${name} is ${listed(inside)}`;
  }
  const show = (value) => valueText(tree.columns[column], value);
  if (low === -Infinity && high === Infinity) return `${name} is known`;
  if (low === -Infinity) return `${name} ≤ ${show(high)}`;
  if (high === Infinity) return `${name} > ${show(low)}`;
  return `${show(low)} < ${name} ≤ ${show(high)}`;
}

const MOST_NAMES = 8;
function listed(names) {
  if (names.length === 0) return "no known level";
  const shown = names.slice(0, MOST_NAMES), rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(", ")} or one of ${rest} others`;
  return shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(", ")} or ${shown.at(-1)}`;
}

// A number as the values of its column look: days and moments are numbers inside.
export function valueText(column, value) {
  const moment = (microseconds) => new Date(microseconds / 1000).toISOString();
  if (column.face === "date") return moment(Math.floor(value) * 86400e6).slice(0, 10);
  if (column.face === "datetime") return moment(value).slice(0, 19).replace("T", " ");
  if (column.face === "time") return moment(value).slice(11, 19);
  if (column.face === "duration") return `${formatNumber(value / 1e6)} s`;
  return formatNumber(value);
}

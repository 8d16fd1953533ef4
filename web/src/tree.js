// The tree of the page: the arrays of the model file, with children and a few sums beside them. Ids are preorder numbers.

export const STOPS = -1; // a missing branch that is none: the row stays at the node
export const SPREADS = -2; // … or goes down every branch in pieces
export const THRESHOLD = 1, LEVELS = 2, HYPERPLANE = 3, INTERVALS = 4;

// JSON has no word for what is not finite.
const number = (value) => (typeof value === "string" ? { nan: NaN, inf: Infinity, "-inf": -Infinity }[value] : value);

export function readTree(data) {
  const arrays = {};
  for (const [name, values] of Object.entries(data.arrays)) arrays[name] = values.map(number);
  const n = arrays.kind.length;
  const children = Array.from({ length: n }, () => []);
  for (let id = 1; id < n; id++) children[data.parent[id]].push(id);
  return {
    ...data,
    arrays,
    n,
    children,
    row: data.row ? data.row.map(number) : null,
    rows: arrays.weight,
    isLeaf: (id) => children[id].length === 0,
    counts: (id) => classCounts(arrays, id, data.classes),
    answer: (id) => (data.classes ? data.classes[arrays.prediction[id]] : formatNumber(arrays.value[id])),
  };
}

// [class, weight] of the classes that a node has.
function classCounts(arrays, id, classes) {
  if (!classes) return [];
  const found = [];
  for (let k = arrays.count_start[id]; k < arrays.count_start[id + 1]; k++)
    found.push([arrays.count_class[k], arrays.count_weight[k]]);
  return found;
}

export function pathTo(tree, id) {
  const path = [];
  for (let at = id; at !== null && at !== undefined; at = tree.parent[at]) path.push(at);
  return path.reverse();
}

export function formatNumber(value, digits = 6) {
  if (value === null || Number.isNaN(value)) return "missing";
  if (!Number.isFinite(value)) return String(value);
  const text = Number(value.toPrecision(digits));
  return Math.abs(text) >= 1e15 || (text !== 0 && Math.abs(text) < 1e-6) ? text.toExponential() : String(text);
}

export const formatRows = (value) => Number(value.toFixed(2)).toLocaleString("en");
export const formatShare = (share) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

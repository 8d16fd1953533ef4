// The tree of the page: the arrays of the model file, with children and a few sums beside them. Ids are preorder numbers.

export const STOPS = -1; // a missing branch that is none: the row stays at the node
export const SPREADS = -2; // … or goes down every branch in pieces
export const THRESHOLD = 1, LEVELS = 2, HYPERPLANE = 3, INTERVALS = 4;

// JSON has no word for what is not finite.
const finite = (value) => (typeof value === "string" ? { nan: NaN, inf: Infinity, "-inf": -Infinity }[value] : value);

export function readTree(data) {
  const arrays = {};
  for (const [name, values] of Object.entries(data.arrays)) arrays[name] = values.map(finite);
  const n = arrays.kind.length;
  const children = Array.from({ length: n }, () => []);
  for (let id = 1; id < n; id++) children[data.parent[id]].push(id);
  const share = (id) => shareOf(arrays, id, data.classes), number = (id) => formatMeasured(arrays.value[id]);
  return {
    ...data,
    arrays,
    n,
    children,
    row: data.row ? data.row.map(finite) : null,
    rows: arrays.weight,
    isLeaf: (id) => children[id].length === 0,
    counts: (id) => classCounts(arrays, id, data.classes),
    share,
    sureness: data.classes ? sureness(n, share) : null,
    number,
    answer: (id) => (data.classes ? data.classes[arrays.prediction[id]] : number(id)),
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

// The share of the predicted class; null of numbers, and where no row ever came.
function shareOf(arrays, id, classes) {
  if (!classes) return null;
  let own = 0, whole = 0;
  for (let k = arrays.count_start[id]; k < arrays.count_start[id + 1]; k++) {
    whole += arrays.count_weight[k];
    if (arrays.count_class[k] === arrays.prediction[id]) own = arrays.count_weight[k];
  }
  return whole > 0 ? own / whole : null;
}

// The shares of the least sure node and of the surest.
function sureness(n, share) {
  let low = 1, high = 0;
  for (let id = 0; id < n; id++) {
    const own = share(id);
    if (own !== null) low = Math.min(low, own), high = Math.max(high, own);
  }
  return [Math.min(low, high), high];
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

// What was measured, and a mean: four digits, but never fewer than the whole part has, and thousands apart, as texts,
// pictures and reports write them.
export function formatMeasured(value) {
  if (value === null || !Number.isFinite(value)) return formatNumber(value);
  const short = Number(value.toPrecision(4));
  if (Math.abs(short) < 1000 || Math.abs(short) >= 1e15) return formatNumber(value, 4);
  return Number(value.toFixed(0)).toLocaleString("en");
}

export const formatRows = (value) => Number(value.toFixed(2)).toLocaleString("en");
// 100 % is said only of everything and 0 % only of nothing.
export function formatShare(share) {
  const percent = Math.round(100 * share);
  if (percent >= 100 && share < 1) return ">99 %";
  return percent <= 0 && share > 0 ? "<1 %" : `${percent} %`;
}

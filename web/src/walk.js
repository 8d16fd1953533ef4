// One row through the tree, by the rules of core/predict/walk.hpp. Values are numbers or level codes; NaN is missing.
import { HYPERPLANE, INTERVALS, SPREADS, STOPS, THRESHOLD } from "./tree.js";

// The sum of a node's terms for a row, and the share of them that has no value.
export function weightedSum(arrays, node, values, terms = "term") {
  let total = 0, unknown = 0;
  for (let k = arrays[`${terms}_start`][node]; k < arrays[`${terms}_start`][node + 1]; k++) {
    const x = values[arrays[`${terms}_column`][k]], level = arrays[`${terms}_level`][k];
    if (Number.isNaN(x) || (terms === "equation" && !Number.isFinite(x))) {
      total += arrays[`${terms}_filler`][k];
      unknown += arrays[`${terms}_share`][k];
    } else if (level === 0) total += arrays[`${terms}_weight`][k] * x;
    else if (x === level) total += arrays[`${terms}_weight`][k];
  }
  return [total, unknown];
}

// The upper bounds of the branches, without the last one, which has none.
function boundsOf(arrays, node) {
  return arrays.interval_upper.slice(arrays.interval_start[node], arrays.interval_start[node + 1]).filter(Number.isFinite);
}

// The branch that the test of a node says; -1 where the row has no value, or a level that the node never saw.
export function branchByTest(arrays, node, values) {
  const kind = arrays.kind[node];
  if (kind === HYPERPLANE) {
    const [total, unknown] = weightedSum(arrays, node, values);
    return unknown > 0.5 ? -1 : Number(!(total <= arrays.threshold[node]));
  }
  const x = values[arrays.column[node]];
  if (Number.isNaN(x)) return -1;
  if (kind === THRESHOLD) return Number(!(x <= arrays.threshold[node]));
  if (kind === INTERVALS) {
    const bounds = boundsOf(arrays, node), at = bounds.findIndex((bound) => x <= bound);
    return at < 0 ? bounds.length : at;
  }
  for (let k = arrays.level_start[node]; k < arrays.level_start[node + 1]; k++)
    if (arrays.level[k] === x) return arrays.level_branch[k];
  return -1;
}

// The branch of the first surrogate that has a value; -1 if none has.
function branchBySurrogate(arrays, node, values) {
  if (!arrays.surrogate_start) return -1;
  const levels = surrogateLevels(arrays, node);
  for (let k = arrays.surrogate_start[node]; k < arrays.surrogate_start[node + 1]; k++) {
    const x = values[arrays.surrogate_column[k]], threshold = arrays.surrogate_threshold[k];
    if (Number.isNaN(x)) continue;
    if (!Number.isNaN(threshold)) return Number(!(x <= threshold)) ^ arrays.surrogate_flip[k];
    const found = levels.find(([which, level]) => which === k - arrays.surrogate_start[node] && level === x);
    if (found) return found[2];
  }
  return -1;
}

function surrogateLevels(arrays, node) {
  if (!arrays.surrogate_level_start) return [];
  const found = [];
  for (let k = arrays.surrogate_level_start[node]; k < arrays.surrogate_level_start[node + 1]; k++)
    found.push([arrays.surrogate_level_which[k], arrays.surrogate_level_level[k], arrays.surrogate_level_branch[k]]);
  return found;
}

// The branch that a row takes at an inner node, or STOPS or SPREADS.
export function branchOf(arrays, node, values) {
  let branch = branchByTest(arrays, node, values);
  if (branch < 0) branch = branchBySurrogate(arrays, node, values);
  return branch < 0 ? arrays.missing_branch[node] : branch;
}

// Where a row ends: [node, share of the row] of each piece; and the share of the row in every node that it passes.
export function walk(tree, values) {
  const passed = new Map(), ends = [], open = [[0, 1]];
  while (open.length) {
    const [node, share] = open.pop(), below = tree.children[node];
    passed.set(node, share);
    const branch = below.length ? branchOf(tree.arrays, node, values) : STOPS;
    const whole = below.reduce((sum, child) => sum + tree.rows[child], 0);
    if (branch >= 0) open.push([below[branch], share]);
    else if (branch === SPREADS && whole > 0) {
      for (const child of below.slice().reverse())
        if (tree.rows[child] > 0) open.push([child, (share * tree.rows[child]) / whole]);
    } else ends.push([node, share]);
  }
  return { passed, ends };
}

// What the tree answers a row: the nodes that it passes, and the share of each class or the number.
export function answerOf(tree, values) {
  const { passed, ends } = walk(tree, values);
  if (!tree.classes) {
    const value = ends.reduce((sum, [node, share]) => sum + share * numberOf(tree, node, values), 0);
    return { passed, ends, value };
  }
  const shares = new Array(tree.classes.length).fill(0);
  for (const [node, share] of ends)
    for (const [index, part] of sharesOf(tree, node)) shares[index] += share * part;
  const best = ends.length === 1 ? tree.arrays.prediction[ends[0][0]] : shares.indexOf(Math.max(...shares));
  return { passed, ends, best, shares };
}

// A node that no training row reached answers as its parent.
export function sharesOf(tree, node) {
  let at = node, counts = tree.counts(at);
  while (counts.length === 0 && at !== 0) counts = tree.counts((at = tree.parent[at]));
  const whole = counts.reduce((sum, [, weight]) => sum + weight, 0);
  return counts.map(([index, weight]) => [index, weight / whole]);
}

function numberOf(tree, node, values) {
  const { arrays } = tree;
  if (!arrays.equation_start) return arrays.value[node];
  let found = arrays.intercept[node] + weightedSum(arrays, node, values, "equation")[0];
  if (Number.isNaN(found)) found = arrays.value[node];
  return arrays.lowest ? Math.min(Math.max(found, arrays.lowest[node]), arrays.highest[node]) : found;
}

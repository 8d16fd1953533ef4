// Where the nodes stand: as a tree, as an icicle, or as a sunburst. Only nodes that are not folded away have a place.
import { hierarchy, tree as tidy } from "d3-hierarchy";
import { BUTTON, boxOf, labelOf } from "./node_box.js";

export const MARGIN = 20, LARGEST = 1.5;
const GAP = { down: 14, right: 8 }, LANE = { down: 24, right: 30 }, LABEL_GAP = 4;
const MOST_GAP = 60, MOST_LANE = 110; // as far as a tree is drawn out to fill the window

function shown(tree, folded) {
  return hierarchy(0, (id) => (folded.has(id) ? [] : tree.children[id]));
}

// way: as `arrangement` says; only the tree has a choice.
export function layout(tree, folded, view, way, size) {
  if (view === "tree") return treeLayout(tree, folded, way);
  const root = shown(tree, folded);
  return view === "icicle" ? icicle(root, tree, size) : sunburst(root, tree);
}

// The ways to draw a tree, the liked ones first; boxes are narrow where their small words stand in two lines.
const WAYS = [["down", false], ["right", false], ["down", true], ["right", true]].map(
  ([to, narrow]) => ({ to, narrow, gap: GAP[to], lane: LANE[to] }));
const BETTER = 1.02, MOST_COMPARED = 400; // of many leaves none can be read at once, however they are drawn

// The way that is larger in this window, drawn out until it fills it.
export function arrangement(tree, folded, size) {
  const tried = WAYS.map((way) => () => {
    const { box, levels, leaves } = treeLayout(tree, folded, way);
    return { way, box, levels, leaves, scale: scaleOf(box, size) };
  });
  let best = tried[0]();
  for (const attempt of tried.slice(1, best.leaves > MOST_COMPARED ? 2 : undefined)) {
    const other = attempt();
    if (other.scale > BETTER * best.scale) best = other;
  }
  const { way, box, levels, leaves, scale } = best;
  const spare = [(size[0] - 2 * MARGIN) / scale - (box.x1 - box.x0), (size[1] - 2 * MARGIN) / scale - (box.y1 - box.y0)];
  const [across, along] = way.to === "right" ? [spare[1], spare[0]] : spare;
  return {
    scale,
    to: way.to,
    narrow: way.narrow,
    gap: way.gap + Math.min(Math.max(0, (0.96 * across) / Math.max(1, leaves - 1)), MOST_GAP),
    lane: way.lane + Math.min(Math.max(0, along / Math.max(1, levels - 1)), MOST_LANE),
  };
}

export function scaleOf(box, [width, height]) {
  return Math.min((width - 2 * MARGIN) / (box.x1 - box.x0), (height - 2 * MARGIN) / (box.y1 - box.y0), LARGEST);
}

function treeLayout(tree, folded, way) {
  const { to, gap, lane } = way, right = to === "right", root = shown(tree, folded), nodes = root.descendants();
  for (const node of nodes) {
    node.box = boxOf(tree, node.data, folded.has(node.data), way);
    node.label = labelOf(tree, node.data, right);
    node.across = right ? Math.max(node.box.height, node.label.height) : Math.max(node.box.width, node.label.width);
  }
  tidy().nodeSize([1, 1]).separation((a, b) => (a.across + b.across) / 2 + gap)(root);
  const levels = levelsOf(nodes, right, lane);
  const places = nodes.map((node) => {
    const { front, laneFrom, laneTo } = levels[node.depth];
    const along = front + (right ? node.box.width : node.box.height) / 2;
    const [x, y] = right ? [along, node.x] : [node.x, along];
    const { width, height } = node.box;
    return { id: node.data, parent: node.parent ? node.parent.data : null, x, y, width, height, box: node.box, label: node.label, laneFrom, laneTo };
  });
  return { kind: "tree", right, places, box: around(places, right), levels: levels.length, leaves: root.leaves().length };
}

// Where the boxes of a level begin, and between which lines the branches that lead to it bend: behind the longest box
// before, in front of the longest label. So no branch passes behind a box or a label.
function levelsOf(nodes, right, lane) {
  const levels = [];
  for (const { depth, box, label } of nodes) {
    const level = (levels[depth] ??= { length: 0, labels: 0 });
    level.length = Math.max(level.length, right ? box.width : box.height);
    level.labels = Math.max(level.labels, label.lines.length ? (right ? label.width : label.height) + 2 * LABEL_GAP : 0);
  }
  let at = 0;
  for (const level of levels) {
    level.laneFrom = at;
    level.laneTo = at += level === levels[0] ? 0 : lane;
    level.front = at += level.labels;
    at += level.length + 2 * BUTTON;
  }
  return levels;
}

// Children take the share of their parent's breadth that they have of its rows.
function shares(root, tree) {
  root.x0 = 0, root.x1 = 1;
  root.eachBefore((node) => {
    if (!node.children) return;
    const whole = node.children.reduce((sum, child) => sum + tree.rows[child.data], 0) || 1;
    let at = node.x0;
    for (const child of node.children) {
      child.x0 = at;
      child.x1 = at += ((node.x1 - node.x0) * tree.rows[child.data]) / whole;
    }
  });
}

// As large as the window. In one that is higher than wide it grows to the right, so that there is room for words.
function icicle(root, tree, size) {
  shares(root, tree);
  const [width, height] = size.map((length) => length - 2 * MARGIN), upright = height > 0.8 * width;
  const [breadth, length] = upright ? [height, width] : [width, height];
  const step = Math.min(length / (root.height + 1), 170);
  const places = root.descendants().map((node) => {
    const from = breadth * node.x0, part = breadth * (node.x1 - node.x0), along = step * node.depth;
    const box = upright ? { x: along, y: from, width: step, height: part } : { x: from, y: along, width: part, height: step };
    return { id: node.data, parent: node.parent ? node.parent.data : null, ...box };
  });
  const end = step * (root.height + 1);
  return { kind: "icicle", upright, places, box: { x0: 0, y0: 0, x1: upright ? end : breadth, y1: upright ? breadth : end } };
}

function sunburst(root, tree) {
  shares(root, tree);
  const ring = Math.max(26, 420 / (root.height + 1));
  const places = root.descendants().map((node) => ({
    id: node.data,
    parent: node.parent ? node.parent.data : null,
    from: 2 * Math.PI * node.x0, to: 2 * Math.PI * node.x1, inner: ring * node.depth, outer: ring * (node.depth + 1),
  }));
  return { kind: "sunburst", places, box: spread(places) };
}

// What the slices cover: the deepest of them may all lie on one side.
function spread(places) {
  const box = { x0: 0, y0: 0, x1: 0, y1: 0 };
  for (const { from, to, outer } of places) {
    const corners = [from, to], quarter = Math.PI / 2;
    for (let k = Math.ceil(from / quarter); k * quarter <= to; k++) corners.push(k * quarter);
    for (const angle of corners) {
      const x = outer * Math.sin(angle), y = -outer * Math.cos(angle);
      box.x0 = Math.min(box.x0, x), box.x1 = Math.max(box.x1, x), box.y0 = Math.min(box.y0, y), box.y1 = Math.max(box.y1, y);
    }
  }
  return box;
}

function around(places, right) {
  const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (const { x, y, width, height, label } of places) {
    const w = Math.max(width, right ? 0 : label.width) / 2, h = Math.max(height, right ? label.height : 0) / 2;
    box.x0 = Math.min(box.x0, x - w), box.x1 = Math.max(box.x1, x + w);
    box.y0 = Math.min(box.y0, y - h), box.y1 = Math.max(box.y1, y + h);
  }
  return box;
}

// The middle of a node's place, to bring it into view.
export function centre(place, kind) {
  if (kind === "tree") return [place.x, place.y];
  if (kind === "icicle") return [place.x + place.width / 2, place.y + place.height / 2];
  const angle = (place.from + place.to) / 2 - Math.PI / 2, radius = (place.inner + place.outer) / 2;
  return place.inner === 0 ? [0, 0] : [radius * Math.cos(angle), radius * Math.sin(angle)];
}

// From a box over its button to the lane before the next level, bent inside that lane, then straight to its label.
export function branch(from, to, right) {
  const gap = to.label.lines.length ? LABEL_GAP : 0;
  if (right) {
    const start = from.x + from.width / 2, middle = (to.laneFrom + to.laneTo) / 2;
    const end = to.x - to.width / 2 - (to.label.width ? to.label.width + 2 * gap : 0);
    return `M${start} ${from.y}H${to.laneFrom}C${middle} ${from.y} ${middle} ${to.y} ${to.laneTo} ${to.y}H${end}`;
  }
  const start = from.y + from.height / 2, middle = (to.laneFrom + to.laneTo) / 2;
  const end = to.y - to.height / 2 - (to.label.height ? to.label.height + 2 * gap : 0);
  return `M${from.x} ${start}V${to.laneFrom}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.laneTo}V${end}`;
}

export const labelPlace = ({ x, y, width, height, label }, right) =>
  right
    ? { x: x - width / 2 - LABEL_GAP, y: y - label.height / 2 + 11, anchor: "end" }
    : { x, y: y - height / 2 - LABEL_GAP - label.height + 11, anchor: "middle" };

export function arc({ from, to, inner, outer }) {
  const at = (angle, radius) => `${radius * Math.sin(angle)} ${-radius * Math.cos(angle)}`;
  if (to - from > 2 * Math.PI - 1e-6) {
    const ring = (radius) => `M0 ${-radius}A${radius} ${radius} 0 1 1 0 ${radius}A${radius} ${radius} 0 1 1 0 ${-radius}Z`;
    return inner > 0 ? ring(outer) + ring(inner) : ring(outer);
  }
  const large = to - from > Math.PI ? 1 : 0;
  return `M${at(from, outer)}A${outer} ${outer} 0 ${large} 1 ${at(to, outer)}L${at(to, inner)}` +
    (inner > 0 ? `A${inner} ${inner} 0 ${large} 0 ${at(from, inner)}Z` : "Z");
}

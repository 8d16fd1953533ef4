// Where the nodes stand: as a tree, as an icicle, or as a sunburst. Only nodes that are not folded away have a place.
import { hierarchy, tree as tidy } from "d3-hierarchy";

export const BOX = { width: 178, height: 48 };
const SPACE = { down: [BOX.width + 16, BOX.height + 52], right: [BOX.height + 10, BOX.width + 104] };

function shown(tree, folded) {
  return hierarchy(0, (id) => (folded.has(id) ? [] : tree.children[id]));
}

export function layout(tree, folded, view) {
  if (view === "tree") return treeLayout(tree, folded);
  const root = shown(tree, folded);
  return view === "icicle" ? icicle(root, tree) : sunburst(root, tree);
}

function treeLayout(tree, folded) {
  const root = shown(tree, folded);
  const right = root.leaves().length > 10;
  tidy().nodeSize(right ? SPACE.right : SPACE.down)(root);
  const places = root.descendants().map((node) => ({
    id: node.data,
    parent: node.parent ? node.parent.data : null,
    x: right ? node.y : node.x,
    y: right ? node.x : node.y,
  }));
  return { kind: "tree", right, places, box: around(places, BOX.width / 2, BOX.height / 2) };
}

const WIDE = 1200, HIGH = 800;

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

function icicle(root, tree) {
  shares(root, tree);
  const row = Math.min(64, HIGH / (root.height + 1));
  const places = root.descendants().map((node) => ({
    id: node.data,
    parent: node.parent ? node.parent.data : null,
    x: WIDE * node.x0, y: row * node.depth, width: WIDE * (node.x1 - node.x0), height: row,
  }));
  return { kind: "icicle", places, box: { x0: 0, y0: 0, x1: WIDE, y1: row * (root.height + 1) } };
}

function sunburst(root, tree) {
  shares(root, tree);
  const ring = Math.max(26, 420 / (root.height + 1));
  const places = root.descendants().map((node) => ({
    id: node.data,
    parent: node.parent ? node.parent.data : null,
    from: 2 * Math.PI * node.x0, to: 2 * Math.PI * node.x1, inner: ring * node.depth, outer: ring * (node.depth + 1),
  }));
  const radius = ring * (root.height + 1);
  return { kind: "sunburst", places, box: { x0: -radius, y0: -radius, x1: radius, y1: radius } };
}

function around(places, width, height) {
  const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (const { x, y } of places) {
    box.x0 = Math.min(box.x0, x - width), box.x1 = Math.max(box.x1, x + width);
    box.y0 = Math.min(box.y0, y - height), box.y1 = Math.max(box.y1, y + height);
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

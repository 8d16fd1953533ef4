// Which nodes are folded, so that what lies below them is not shown.
import { arrangement } from "./layouts.js";
import { pathTo } from "./tree.js";

const WHOLE = 30; // a tree of so many leaves is shown as a whole, if its letters can be read at all
const READABLE = { whole: 0.38, levels: 0.6 }; // the least scale
const PHONE = 500; // in a window as narrow as this one nobody reads small letters
const MOST = 80; // nodes that are shown at first

// A tree of a page is shown as a whole; of a larger one the first levels, as many as can be read in this window.
export function foldedAtFirst(tree, size) {
  const leaves = tree.children.reduce((sum, below) => sum + (below.length === 0), 0);
  const all = new Set();
  if (leaves <= WHOLE && arrangement(tree, all, size).scale >= (size[0] < PHONE ? READABLE.levels : READABLE.whole)) return all;
  let folded = foldedBelow(tree, [0]), level = tree.children[0], shown = 1 + level.length;
  while (level.length) {
    const next = foldedBelow(tree, level);
    if (shown > MOST || arrangement(tree, next, size).scale < READABLE.levels) return level === tree.children[0] ? next : folded;
    folded = next;
    level = level.flatMap((id) => tree.children[id]);
    shown += level.length;
  }
  return folded;
}

const foldedBelow = (tree, level) => new Set(level.filter((id) => !tree.isLeaf(id)));

export function unfoldTo(tree, folded, id) {
  const above = pathTo(tree, id).slice(0, -1);
  if (!above.some((node) => folded.has(node))) return folded;
  const next = new Set(folded);
  for (const node of above) next.delete(node);
  return next;
}

export const unfoldAll = () => new Set();
export const foldAll = (tree) => new Set(tree.children[0].filter((id) => !tree.isLeaf(id)));

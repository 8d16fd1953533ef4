// Which nodes are folded, so that what lies below them is not shown.
import { pathTo } from "./tree.js";

const READABLE = 36; // so many nodes are shown at first

// The first levels of the tree, as many as can be read.
export function foldedAtFirst(tree) {
  const folded = new Set();
  let level = [0], shown = 1;
  while (level.length) {
    const next = level.flatMap((id) => tree.children[id]);
    shown += next.length;
    if (shown > READABLE && level[0] !== 0) {
      for (const id of level) if (!tree.isLeaf(id)) folded.add(id);
      break;
    }
    level = next;
  }
  return folded;
}

export function unfoldTo(tree, folded, id) {
  const above = pathTo(tree, id).slice(0, -1);
  if (!above.some((node) => folded.has(node))) return folded;
  const next = new Set(folded);
  for (const node of above) next.delete(node);
  return next;
}

export const unfoldAll = () => new Set();
export const foldAll = (tree) => new Set(tree.children[0].filter((id) => !tree.isLeaf(id)));

// Which nodes fit the search and the filters: as sets of ids, with the nodes above them, which stay lit too.
import { pathTo } from "./tree.js";

// null where nothing is asked for: then every node is lit.
export function matching(tree, { text, leastRows, classes }) {
  const words = text.trim().toLowerCase();
  if (!words && leastRows <= 0 && !classes) return null;
  const found = [];
  for (let id = 0; id < tree.n; id++) {
    if (tree.rows[id] < leastRows) continue;
    if (classes && !(tree.isLeaf(id) && classes.has(tree.arrays.prediction[id]))) continue;
    if (words && !textOf(tree, id).includes(words)) continue;
    found.push(id);
  }
  const lit = new Set();
  for (const id of found) for (const node of pathTo(tree, id)) lit.add(node);
  return { found, lit };
}

function textOf(tree, id) {
  return [tree.questions[id], tree.answers[id], tree.isLeaf(id) ? tree.answer(id) : "", `node ${id}`].join("\n").toLowerCase();
}

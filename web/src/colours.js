// The colour of a node: its class, or how large its number is.

export function colourOf(tree, id) {
  if (tree.classes) return tree.colours[tree.arrays.prediction[id]];
  const [low, high] = tree.range, value = tree.arrays.value[id];
  const share = high > low ? (value - low) / (high - low) : 0.5;
  return share < 0.5 ? mixed(tree.scale[0], tree.scale[1], 2 * share) : mixed(tree.scale[1], tree.scale[2], 2 * share - 1);
}

function mixed(one, two, share) {
  const part = (colour, i) => parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16);
  const at = (i) => Math.round(part(one, i) + (part(two, i) - part(one, i)) * share).toString(16).padStart(2, "0");
  return `#${at(0)}${at(1)}${at(2)}`;
}

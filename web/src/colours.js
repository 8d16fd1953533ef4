// The colour of a node: its class, fainter where it is less sure; or how large its number is.

const FAINTEST = 0.25, SHADES = 20;
// No more shades than eyes tell apart: from afar all nodes of a shade are one path.
const stepped = (share) => Math.round(SHADES * share) / SHADES;

export function colourOf(tree, id, ground) {
  if (!tree.classes) return numberColour(tree, tree.arrays.value[id]);
  return mixed(ground, tree.colours[tree.arrays.prediction[id]], strengthOf(tree, tree.share(id)));
}

// How strong a colour is: from the least sure node of the tree to the surest, by the logarithm of the odds. In a lopsided
// table nearly all shares lie between 95 and 100 %, and would be one shade by themselves.
export function strengthOf(tree, share) {
  if (share === null) return FAINTEST;
  const [low, high] = tree.sureness.map((end) => logOdds(tree, end));
  return high > low ? FAINTEST + (1 - FAINTEST) * stepped((logOdds(tree, share) - low) / (high - low)) : 1;
}

// The share that is halfway between the faintest colour and the strongest.
export function halfwayShare(tree) {
  const [low, high] = tree.sureness.map((end) => logOdds(tree, end));
  return 1 / (1 + Math.exp(-(low + high) / 2));
}

// Shares near 1 have no end of odds: a colour is full where an eighth of the root's other rows are left, or 1 %.
function logOdds(tree, share) {
  const full = Math.max(0.99, 1 - (1 - (tree.share(0) ?? 0)) / 8), kept = Math.min(Math.max(share, 0.001), full, 0.9999);
  return Math.log(kept / (1 - kept));
}

export function numberColour(tree, value) {
  const [low, high] = tree.range, share = stepped(high > low ? (value - low) / (high - low) : 0.5);
  return share < 0.5 ? mixed(tree.scale[0], tree.scale[1], 2 * share) : mixed(tree.scale[1], tree.scale[2], 2 * share - 1);
}

export function mixed(one, two, share) {
  const at = (i) => Math.round(channel(one, i) + (channel(two, i) - channel(one, i)) * share).toString(16).padStart(2, "0");
  return `#${at(0)}${at(1)}${at(2)}`;
}

const channel = (colour, i) => parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16);

// Black or white letters, whichever stand out more (relative luminance, WCAG 2).
export function inkOn(ground) {
  const linear = (i) => ((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))(channel(ground, i) / 255);
  return 0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2) > 0.179 ? "#000000" : "#ffffff";
}

// What stands in the box of a node and on the branch that leads to it, and how large that makes them.
import { LINE, lines, shortened, textWidth } from "./text_size.js";
import { formatRows, formatShare } from "./tree.js";

export const PAD = 8, STRIPE = 7, BAR = 6, BUTTON = 9;
const HEAD_ROOM = 132, SMALL_ROOM = 170, LABEL_ROOM = { down: 112, right: 104 }, LEAST = 74;
const FLAT = { bar: 34, gap: 6, height: 24, room: 150 };

export function boxOf(tree, id, folded, { to, narrow }) {
  return tree.isLeaf(id) && to === "right" ? flatLeaf(tree, id) : boxed(tree, id, folded, narrow);
}

function boxed(tree, id, folded, narrow) {
  const says = tree.isLeaf(id) || folded;
  const head = lines(says ? said(tree, id) : tree.questions[id], HEAD_ROOM, "head", 3);
  const small = (says ? [sure(tree, id)] : heldLines(tree, id, narrow)).map((line) => shortened(line, SMALL_ROOM, "small"));
  const text = Math.max(...head.map((line) => textWidth(line, "head")), ...small.map((line) => textWidth(line, "small")), LEAST);
  const left = STRIPE + PAD;
  return { head, small, left, width: left + text + PAD, height: 6 + LINE * (head.length + small.length) + 3 + BAR + 6 };
}

// A leaf of a tree that grows to the right is one line: its bar, its answer, how sure it is.
function flatLeaf(tree, id) {
  const head = [shortened(said(tree, id), FLAT.room, "head")], small = [sure(tree, id)];
  const left = STRIPE + FLAT.gap + FLAT.bar + FLAT.gap, beside = left + textWidth(head[0], "head") + FLAT.gap;
  return { flat: true, head, small, left, beside, width: beside + textWidth(small[0], "small") + PAD, height: FLAT.height };
}

export const flatBar = { x: STRIPE + FLAT.gap, y: (FLAT.height - BAR) / 2, width: FLAT.bar, height: BAR };

export function rowsText(count) {
  return `${formatRows(count)} ${count === 1 ? "row" : "rows"}`;
}

// A number says what it is: a mean, a median, a rate.
const said = (tree, id) => (tree.classes ? tree.answer(id) : `${tree.word} ${tree.number(id)}`);

// How many rows, and how sure the answer is: the share of its class.
function sure(tree, id) {
  const rows = rowsText(tree.rows[id]), share = tree.share(id);
  return share === null ? rows : `${formatShare(share)} of ${rows}`;
}

// What a node that asks holds before it asks: in one line if that fits, in two where boxes shall be narrow.
function heldLines(tree, id, narrow) {
  const rows = rowsText(tree.rows[id]), share = tree.share(id);
  if (tree.classes && share === null) return [rows];
  const held = tree.classes ? `${formatShare(share)} ${tree.answer(id)}` : `${tree.word} ${tree.number(id)}`, line = `${rows} · ${held}`;
  return narrow || textWidth(line, "small") > SMALL_ROOM ? [rows, held] : [line];
}

export function labelOf(tree, id, right) {
  const shown = id === 0 ? [] : lines(tree.answers[id], LABEL_ROOM[right ? "right" : "down"], "small", right ? 2 : 3);
  const width = Math.max(0, ...shown.map((line) => textWidth(line, "small")));
  return { lines: shown, width, height: shown.length * 14 };
}

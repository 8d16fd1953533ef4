// How wide words are in the letters of the page, and where they break: between words, never inside one that fits a line.

export const LETTERS = { head: [600, 13], plain: [400, 13], small: [400, 12] };
export const LINE = 16;
const canvas = document.createElement("canvas").getContext("2d");
const family = getComputedStyle(document.documentElement).fontFamily;
const widths = new Map();

export function textWidth(text, letters = "plain") {
  const key = `${letters} ${text}`;
  if (!widths.has(key)) {
    const [weight, size] = LETTERS[letters];
    canvas.font = `${weight} ${size}px ${family}`;
    widths.set(key, canvas.measureText(text).width);
  }
  return widths.get(key);
}

// Where a line may end: behind a space, a sign that joins words, or before a capital inside a name.
const pieces = (text) => String(text).split(/(?<=\s)|(?<=[\p{L}\p{N}][_\-/,;])(?=[^\s\d])|(?<=[a-z])(?=[A-Z])/u);

// The beginning that fits, in whole words, with … for the rest; of a word that is too long by itself, its first letters.
export function shortened(text, room, letters = "plain") {
  if (textWidth(String(text), letters) <= room) return String(text);
  const parts = pieces(text);
  for (let n = parts.length - 1; n > 0; n--) {
    const shown = parts.slice(0, n).join("").replace(/[\s,;]+$/, "") + "…";
    if (textWidth(shown, letters) <= room && (n > 1 || parts[0].trim().length > 2)) return shown;
  }
  const signs = [...String(text)];
  let low = 0, high = signs.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    textWidth(signs.slice(0, middle).join("") + "…", letters) <= room ? (low = middle) : (high = middle - 1);
  }
  return low ? signs.slice(0, low).join("") + "…" : "";
}

// Lines that fit; the last one ends with … where there is more.
export function lines(text, room, letters = "plain", most = 2) {
  const found = [];
  let line = "", rest = pieces(text);
  while (rest.length) {
    const longer = line + rest[0];
    if (line && textWidth(longer.trimEnd(), letters) > room) {
      if (found.length + 1 === most) break;
      found.push(line.trimEnd());
      line = "";
      continue;
    }
    line = longer;
    rest = rest.slice(1);
  }
  found.push((line + rest.join("")).trimEnd());
  return found.map((one) => shortened(one, room, letters));
}

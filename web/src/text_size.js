// How wide words are in the letters of the page, and where they break: between words, never inside one that fits a line.

export const LETTERS = { head: [600, 13], plain: [400, 13], small: [400, 12], fine: [400, 11] };
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
export const pieces = (text) => String(text).split(/(?<=\s)|(?<=[\p{L}\p{N}][_\-/,;])(?=[^\s\d])|(?<=[a-z])(?=[A-Z])/u);

const isNumber = (text) => /^[\s\d.,−-]+$/.test(text);
const LEAST = 3; // letters before …: fewer say nothing

// The beginning that fits, in whole words, with … for the rest.
function inWholeWords(text, room, letters) {
  const parts = pieces(text);
  for (let n = parts.length - 1; n > 0; n--) {
    const shown = parts.slice(0, n).join("").replace(/[\s,;]+$/, "") + "…";
    if (textWidth(shown, letters) <= room && [...shown].length > LEAST) return shown;
  }
  return "";
}

// A text that fits: in whole words if it can be; of a word that is too long by itself the first letters; of a number
// all or nothing, since a part of it is another number.
export function shortened(text, room, letters = "plain") {
  const whole = String(text);
  if (textWidth(whole, letters) <= room) return whole;
  if (isNumber(whole)) return "";
  const words = inWholeWords(whole, room, letters);
  if (words) return words;
  const signs = [...whole];
  let low = 0, high = signs.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    textWidth(signs.slice(0, middle).join("") + "…", letters) <= room ? (low = middle) : (high = middle - 1);
  }
  return low >= LEAST ? signs.slice(0, low).join("") + "…" : "";
}

// A word that fits a line stays whole; a longer one may end a line inside.
const wordsOf = (text, room, letters) =>
  String(text).split(/(?<=\s)/).flatMap((word) => (textWidth(word.trimEnd(), letters) <= room ? [word] : pieces(word)));

// Lines that fit; the last one ends with … where there is more.
export function lines(text, room, letters = "plain", most = 2) {
  const found = [];
  let line = "", rest = wordsOf(text, room, letters);
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
  const last = (line + rest.join("")).trimEnd();
  const fits = textWidth(last, letters) <= room || inWholeWords(last, room, letters);
  if (found.length && !fits) found.push(`${found.pop()} …`); // rather a line less than a part of a word
  else found.push(last);
  return found.map((one) => shortened(one, room, letters));
}

// Nodes of the icicle and the sunburst: an area in the colour of the node, with words where they fit inside it.
import { colourOf, inkOn } from "./colours.js";
import { arc, centre } from "./layouts.js";
import { LINE, lines, shortened, textWidth } from "./text_size.js";
import { formatShare } from "./tree.js";

const LEAST_ROOM = 24, EDGE = 5;

const saidBy = (tree, id, folded) => (tree.isLeaf(id) || folded ? tree.answer(id) : tree.questions[id]);

export function Bar({ tree, place, scale, folded, ground }) {
  const { id, x, y, width, height } = place, fill = colourOf(tree, id, ground.page);
  const { shown, letters } = wholeIfItCanBe((letters) =>
    barLines(tree, id, folded, width * scale - 2 * EDGE, Math.floor((height * scale - 2) / LINE), letters));
  const first = ((shown.length - 1) * LINE) / -2;
  return (
    <>
      <rect class="area" x={x} y={y} width={width} height={height} fill={fill} stroke-width={1 / scale} />
      {shown.length > 0 && (
        <text class={`on-colour ${letters}`} fill={inkOn(fill)} transform={`translate(${x + EDGE / scale} ${y + height / 2}) scale(${1 / scale})`}>
          {shown.map((line, i) => <tspan x="0" y={first + LINE * i + 4.5}>{line}</tspan>)}
        </text>
      )}
    </>
  );
}

// In small letters where a name would be cut otherwise.
function wholeIfItCanBe(linesIn) {
  const shown = linesIn("plain"), isCut = shown.length === 0 || shown.some((line) => line.endsWith("…"));
  return isCut ? { shown: linesIn("fine"), letters: "fine" } : { shown, letters: "plain" };
}

function barLines(tree, id, folded, room, most, letters) {
  if (room < LEAST_ROOM || most < 1) return [];
  const shown = lines(saidBy(tree, id, folded), room, letters, Math.min(most, 3)).filter(Boolean), share = tree.share(id);
  const sure = share === null || !tree.isLeaf(id) ? "" : formatShare(share);
  if (sure && shown.length < most && textWidth(sure, letters) <= room) shown.push(sure);
  return shown;
}

export function Slice({ tree, place, scale, folded, ground }) {
  const { id } = place, fill = colourOf(tree, id, ground.page), words = saidBy(tree, id, folded);
  const { shown, letters } = wholeIfItCanBe((letters) => sliceLabel(place, words, scale, letters)?.lines ?? []);
  const label = shown.length ? sliceLabel(place, words, scale, letters) : null;
  return (
    <>
      <path class="area" d={arc(place)} fill={fill} stroke-width={1 / scale} fill-rule="evenodd" />
      {label && (
        <text class={`on-colour ${letters}`} fill={inkOn(fill)} text-anchor="middle"
          transform={`translate(${label.x} ${label.y}) rotate(${label.turn}) scale(${1 / scale})`}>
          {label.lines.map((line, i) => <tspan x="0" y={LINE * (i - (label.lines.length - 1) / 2)} dy="0.35em">{line}</tspan>)}
        </text>
      )}
    </>
  );
}

// Words along the ring or along the radius, whichever shows more of them inside the slice; null where nothing fits.
function sliceLabel(place, words, scale, letters) {
  const inner = place.inner * scale, outer = place.outer * scale, half = Math.min((place.to - place.from) / 2, Math.PI);
  if (inner === 0) return labelAt(place, inTheMiddle(words, outer, letters), 0, 0);
  const angle = (place.from + place.to) / 2, degrees = (180 * angle) / Math.PI;
  const along = alongTheRing(inner, outer, half), outward = alongTheRadius(inner, outer, half);
  const ring = labelAt(place, along.room < LEAST_ROOM ? "" : shortened(words, along.room, letters), along.radius / scale, upright(degrees));
  const radius = labelAt(place, outward.room < LEAST_ROOM ? "" : shortened(words, outward.room, letters), outward.radius / scale, upright(degrees - 90));
  const length = (label) => (label ? label.lines[0].length : 0);
  return length(radius) > length(ring) ? radius : ring;
}

// In the root, a circle, words may take as many lines as it is high.
function inTheMiddle(words, radius, letters) {
  let shown = [];
  for (const most of [1, 2, 3]) {
    const room = 2 * Math.sqrt(Math.max(0, (radius - EDGE) ** 2 - ((most * LINE) / 2) ** 2));
    if (room < LEAST_ROOM) break;
    shown = lines(words, room, letters, most).filter(Boolean);
    if (!shown.some((line) => line.endsWith("…"))) break;
  }
  return shown;
}

// shown: a line or lines.
function labelAt(place, shown, radius, turn) {
  const found = [shown].flat();
  if (!found[0] || found[0] === "…") return null;
  const angle = (place.from + place.to) / 2;
  return { lines: found, turn, x: radius * Math.sin(angle), y: -radius * Math.cos(angle) };
}

// Letters stand on their feet: no text is upside down.
const upright = (degrees) => ((((degrees % 360) + 450) % 360) >= 180 ? degrees + 180 : degrees) % 360;

const HIGH = LINE - 1; // of a line with a little air

// A straight line of words across a ring: its outer corners stay inside the circle, its ends between the sides.
function alongTheRing(inner, outer, half) {
  if (outer - inner < HIGH + 2) return { room: 0, radius: 0 };
  const low = inner + 2, radius = half >= Math.PI / 2 ? low + HIGH / 2 : (inner + outer) / 2;
  const corner = Math.sqrt(Math.max(0, (outer - 2) ** 2 - (radius + HIGH / 2) ** 2));
  const sides = half >= Math.PI / 2 ? Infinity : Math.tan(half) * (radius - HIGH / 2) - 3;
  return { room: 2 * Math.min(corner, sides), radius };
}

// A line of words from the inside to the outside: the slice is narrowest at its inner end.
function alongTheRadius(inner, outer, half) {
  const from = half >= Math.PI / 2 ? inner + 4 : Math.max(inner + 4, (HIGH / 2 + 1) / Math.tan(half));
  return { room: outer - 4 - from, radius: (outer - 4 + from) / 2 };
}
